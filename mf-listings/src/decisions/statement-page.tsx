import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router-dom';
import type { StatementView } from '@alpenglow/domain/contracts';
import { Card, EmptyState, ErrorBox, isApiError, LinkButton, messageOf, Page, PageHeading, Skeleton, useApi, useHost, useLocale, VisuallyHidden } from '@alpenglow/ui';
import { AppealSection } from './appeal-section.tsx';
import { statementQuery } from './calls.ts';
import { DecisionCrumbs } from './list-page.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';
import { ProofDetails } from './proof-details.tsx';
import { useText } from './text.ts';
import styles from './decisions.module.css';

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
  return <StatementOf key={id} id={id} viewer={session.user.id} isProvider={session.user.isProvider} />;
}

function StatementOf({ id, viewer, isProvider }: { readonly id: string; readonly viewer: string; readonly isProvider: boolean }) {
  const t = useText();
  const api = useApi();
  const statement = useQuery(statementQuery(api, viewer, id));
  if (isApiError(statement.error) && statement.error.status === 404) {
    return (
      <Page narrow>
        <EmptyState
          title={<PageHeading documentTitle={t('decisions.unknown')}>{t('decisions.unknown')}</PageHeading>}
          actions={<LinkButton to="/account/decisions">{t('decisions.all')}</LinkButton>}
        />
      </Page>
    );
  }
  return (
    <Page narrow>
      <DecisionCrumbs isProvider={isProvider} last={t('decisions.one')} />
      <PageHeading documentTitle={t('decisions.one')}>{t('decisions.one')}</PageHeading>
      {statement.isPending && (
        <div role="status">
          <VisuallyHidden>{t('common.loading')}</VisuallyHidden>
          <Skeleton height="20rem" />
        </div>
      )}
      {statement.isError && !statement.data && <ErrorBox message={messageOf(statement.error, t('decisions.failed'))} onRetry={() => void statement.refetch()} />}
      {statement.data && <Statement statement={statement.data.data} viewer={viewer} />}
    </Page>
  );
}

function Statement({ statement, viewer }: { readonly statement: StatementView; readonly viewer: string }) {
  const t = useText();
  const locale = useLocale();
  const { subject, title, path, outcome, rule, facts, isAutomated, hidingRuleId, at, isInForce } = statement;
  const name = title === null ? t(`decisions.kind.${subject.kind}`) : title;
  return (
    <div className={styles['statement']}>
      <Card>
        <dl className={styles['reasons']}>
          <dt>{t('decisions.about')}</dt>
          <dd>
            {title !== null && <>{t(`decisions.kind.${subject.kind}`)}: </>}
            {path === null ? <bdi>{name}</bdi> : <Link to={path}>{name}</Link>}
          </dd>
          <dt>{t('decisions.outcome')}</dt>
          <dd>
            <OutcomeBadge outcome={outcome} /> {t(`decisions.means.${outcome}`)}
            {!isInForce && <p>{t('decisions.notInForce')}</p>}
          </dd>
          <dt>{t('decisions.rule')}</dt>
          <dd>{t(`decisions.rules.${rule.id}`)}</dd>
          <dt>{t('decisions.facts')}</dt>
          <dd className={styles['words']} dir="auto">
            {facts}
          </dd>
          <dt>{t('decisions.by')}</dt>
          <dd>{isAutomated ? (hidingRuleId === null ? t('decisions.byReport') : t('decisions.byRule')) : t('decisions.byModerator')}</dd>
          <dt>{t('decisions.at')}</dt>
          <dd>
            <time dateTime={at}>{new Date(at).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' })}</time>
          </dd>
        </dl>
      </Card>
      <AppealSection statement={statement} viewer={viewer} />
      {statement.proof !== null && <ProofDetails proof={statement.proof} />}
    </div>
  );
}
