import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { StatementView } from '@alpenglow/domain/contracts';
import { Card, EmptyState, isApiError, Loading, Page, PageHeading, QueryError, useApi, useLocale } from '@alpenglow/ui';
import { AppealSection } from './appeal-section.tsx';
import { statementQuery, type StatementReader } from './api.ts';
import { OutcomeBadge } from './outcome-badge.tsx';
import { ProofDetails } from './proof-details.tsx';
import { RichText, useText } from './text.ts';
import styles from './decisions.module.css';

export interface StatementContentProps {
  readonly id: string;
  readonly reader: StatementReader;
  readonly crumbs?: ReactNode;
  readonly unknown?: ReactNode;
  readonly elsewhere: ReactNode;
}

/** The content of a page with the reasons for one moderation decision and the form for an appeal. */
export function StatementContent({ id, reader, crumbs, unknown, elsewhere }: StatementContentProps) {
  const t = useText();
  const api = useApi();
  const statement = useQuery(statementQuery(api, reader, id));
  if (isApiError(statement.error) && statement.error.status === 404) {
    return (
      <Page narrow>
        <EmptyState
          title={<PageHeading documentTitle={t('decisions.unknown')}>{t('decisions.unknown')}</PageHeading>}
          actions={elsewhere}
        >
          {unknown}
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page narrow>
      {crumbs}
      <PageHeading documentTitle={t('decisions.one')}>{t('decisions.one')}</PageHeading>
      <div className={styles['statement']}>
        {statement.isPending && <Loading height="20rem" />}
        {statement.isError && !statement.data && <QueryError query={statement} text={t('decisions.failed')} />}
        {statement.data && <Statement statement={statement.data.data} reader={reader} />}
      </div>
    </Page>
  );
}

function Statement({ statement, reader }: { readonly statement: StatementView; readonly reader: StatementReader }) {
  const t = useText();
  const locale = useLocale();
  const { subject, title, path, outcome, rule, facts, isAutomated, hidingRuleId, at, isInForce, appeal } = statement;
  const isClosedInError = outcome === 'account_closed' && appeal?.outcome === 'overturned';
  const name = title === null ? t(`decisions.kind.${subject.kind}`) : title;
  return (
    <>
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
            {!isInForce && (
              <p>
                {isClosedInError ? (
                  <RichText id="decisions.closedInError" components={{ signup: <Link to="/signup" /> }} />
                ) : (
                  t('decisions.notInForce')
                )}
              </p>
            )}
          </dd>
          <dt>{t('decisions.rule')}</dt>
          <dd>{t(`decisions.rules.${rule.id}`)}</dd>
          <dt>{t('decisions.facts')}</dt>
          <dd className={styles['words']} dir="auto">
            {facts}
          </dd>
          <dt>{t('decisions.by')}</dt>
          <dd>
            {isAutomated
              ? hidingRuleId === null
                ? t('decisions.byReport')
                : t('decisions.byRule')
              : t('decisions.byModerator')}
          </dd>
          <dt>{t('decisions.at')}</dt>
          <dd>
            <time dateTime={at}>{new Date(at).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' })}</time>
          </dd>
        </dl>
      </Card>
      <AppealSection statement={statement} reader={reader} />
      {statement.proof !== null && <ProofDetails proof={statement.proof} />}
    </>
  );
}
