import { useParams } from 'react-router-dom';
import { LinkButton, Page, PageHeading, useHost } from '@alpenglow/ui';
import { DecisionCrumbs } from './list-page.tsx';
import { StatementOf } from './statement.tsx';
import { useText } from './text.ts';

/** `/account/decisions/{id}`: a statement of reasons (design, "Decisions that can be shown"), and the way to appeal. */
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
    <StatementOf
      key={id}
      id={id}
      reader={{ viewer: session.user.id }}
      crumbs={<DecisionCrumbs isProvider={session.user.isProvider} last={t('decisions.one')} />}
      elsewhere={<LinkButton to="/account/decisions">{t('decisions.all')}</LinkButton>}
    />
  );
}
