import { Outlet } from 'react-router-dom';
import { EmptyState, Page, PageHeading, useUser } from '@alpenglow/ui';
import { useText } from '../text.ts';

type Role = 'admin' | 'moderator';

/** Renders the page for users with the role, and a notice for all others. The API checks the role as well. */
export function StaffOnly({ role }: { readonly role: Role }) {
  const user = useUser();
  return (role === 'admin' ? user?.isAdmin : user?.isModerator) ? <Outlet /> : <StaffNotice role={role} />;
}

export function StaffNotice({ role }: { readonly role: Role }) {
  const t = useText();
  return (
    <Page>
      <EmptyState title={<PageHeading documentTitle={t('title')}>{t(`for.${role}`)}</PageHeading>}>
        <p>{t(`for.${role}Text`)}</p>
      </EmptyState>
    </Page>
  );
}
