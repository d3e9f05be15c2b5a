import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { StatementView } from '@alpenglow/domain/contracts';
import {
  Card,
  EmptyState,
  ErrorBox,
  isApiError,
  messageOf,
  Page,
  PageHeading,
  Skeleton,
  useApi,
  useLocale,
  VisuallyHidden,
} from '@alpenglow/ui';
import { AppealSection } from './appeal-section.tsx';
import { statementQuery, type Reader } from './calls.ts';
import { OutcomeBadge } from './outcome-badge.tsx';
import { ProofDetails } from './proof-details.tsx';
import { RichText, useText } from './text.ts';
import styles from './decisions.module.css';

export interface StatementOfProps {
  readonly id: string;
  readonly reader: Reader;
  /** Above the heading. */
  readonly crumbs?: ReactNode;
  /** What is said where there is no such decision. */
  readonly unknown?: ReactNode;
  /** Where to go from there. */
  readonly elsewhere: ReactNode;
}

/** The page of one statement of reasons, with the way to appeal. */
export function StatementOf({ id, reader, crumbs, unknown, elsewhere }: StatementOfProps) {
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
        {statement.isPending && (
          <div role="status">
            <VisuallyHidden>{t('common.loading')}</VisuallyHidden>
            <Skeleton height="20rem" />
          </div>
        )}
        {statement.isError && !statement.data && (
          <ErrorBox
            message={messageOf(statement.error, t('decisions.failed'))}
            onRetry={() => void statement.refetch()}
          />
        )}
        {statement.data && <Statement statement={statement.data.data} reader={reader} />}
      </div>
    </Page>
  );
}

function Statement({ statement, reader }: { readonly statement: StatementView; readonly reader: Reader }) {
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
