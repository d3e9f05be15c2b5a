import { useParams } from 'react-router-dom';
import { LinkButton, Page, PageHeading, useHost } from '@alpenglow/ui';
import { DecisionBreadcrumbs } from './list-page.tsx';
import { StatementContent } from './statement-content.tsx';
import { useText } from './text.ts';

/**
 * The page `/account/decisions/{id}` with the reasons for a moderation decision and the form for an appeal.
 */
export default function StatementPage() {
  const t = useText();
  const { id = '' } = useParams();
  const { session } = useHost();
  if (session.state !== 'authenticated') {
    return (
      <Page narrow>
        <PageHeading documentTitle={t('decisions.title')}>{t('decisions.title')}</PageHeading>
        {session.state === 'anonymous' && <LinkButton to="/login">{t('common.login')}</LinkButton>}
      </Page>
    );
  }
  return (
    <StatementContent
      key={id}
      id={id}
      reader={{ viewer: session.user.id }}
      crumbs={<DecisionBreadcrumbs isProvider={session.user.isProvider} last={t('decisions.one')} />}
      elsewhere={<LinkButton to="/account/decisions">{t('decisions.all')}</LinkButton>}
    />
  );
}
