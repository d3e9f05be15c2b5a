import { queryOptions } from '@tanstack/react-query';
import type { TwoStepAnswer } from '@alpenglow/domain/contracts';
import { EmptyState, LinkButton, Page, PageHeading, useUser, type Api } from '@alpenglow/ui';
import { useText } from '../text.ts';

/** Whether the panel waits for two-step sign-in: the API refuses everything in it until then. */
export function twoStepQuery(api: Api, viewer: string) {
  return queryOptions({
    queryKey: ['two-step', viewer],
    queryFn: ({ signal }) => api.callSignedIn<TwoStepAnswer>({ path: '/auth/two-step', signal }),
    select: ({ data }) => data,
  });
}

/** Stands in place of the panel, with the way to set it up; who has set it up in another session signs in again. */
export function TwoStepNotice({ isEnabled }: { readonly isEnabled: boolean }) {
  const t = useText();
  const user = useUser();
  return (
    <Page>
      <EmptyState
        title={<PageHeading documentTitle={t('title')}>{t('twoStep.title')}</PageHeading>}
        actions={
          <LinkButton variant="primary" to={user?.isProvider ? '/provider-profile' : '/profile'}>
            {t('twoStep.toProfile')}
          </LinkButton>
        }
      >
        <p>{t(isEnabled ? 'twoStep.signInAgain' : 'twoStep.text')}</p>
      </EmptyState>
    </Page>
  );
}
