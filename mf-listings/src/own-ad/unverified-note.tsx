import type { UserView } from '@alpenglow/domain/contracts';
import { LinkButton } from '@alpenglow/ui';
import { useText as useListingsText } from '../text.ts';
import { useText } from './text.ts';
import note from '../pages/note.module.css';

/** A note for users who have not verified their e-mail address. It links to the page for the verification. */
export function UnverifiedNote({ user }: { readonly user: UserView }) {
  const t = useText();
  const listingsText = useListingsText();
  if (user.isEmailVerified) return null;
  return (
    <div className={note['note']}>
      <p>{t('unverified')}</p>
      <LinkButton to="/verify-email" variant="primary" size="small">
        {listingsText('verifyEmail')}
      </LinkButton>
    </div>
  );
}
