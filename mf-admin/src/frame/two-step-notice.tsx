import { EmptyState, LinkButton, Page, PageHeading, useUser, type Api } from '@alpenglow/ui';
import { signedInQuery } from '../panel/signed-in-query.ts';
import { useText } from '../text.ts';

/**
 * Returns the query for the state of two-step sign-in. Until two-step sign-in is complete, the API rejects requests of
 * the admin panel.
 */
export function twoStepQuery(api: Api, viewer: string) {
  return signedInQuery<'getTwoStep'>(api, ['two-step', viewer], '/auth/two-step');
}

/**
 * Replaces the admin panel until two-step sign-in is complete. A user who has set up two-step sign-in in another
 * session must sign in again.
 */
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
