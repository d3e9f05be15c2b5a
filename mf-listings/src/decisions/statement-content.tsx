import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import {
  AUTOMATED_COPY_FACTS,
  EARLIER_COPY_FACTS,
  AUTOMATED_REMOVAL_FACTS,
  isAdDecidedWithFile,
  isAdHiddenWithFile,
  REMOVAL_WITHDRAWN_FACTS,
  type StatementView,
} from '@alpenglow/domain/contracts';
import {
  Card,
  EmptyState,
  isApiError,
  Loading,
  Page,
  PageHeading,
  QueryError,
  serverText,
  useApi,
  useLocale,
} from '@alpenglow/ui';
import { AppealSection } from './appeal-section.tsx';
import { statementQuery, type StatementReader } from './api.ts';
import { isChangeRequested, hasEffect } from './effects.ts';
import { OutcomeBadge, useFormatSubject } from './outcome-badge.tsx';
import { ProofDetails } from './proof-details.tsx';
import { OwnerResponseSection } from './owner-response-section.tsx';
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
  const { title, path, file, outcome, rule, facts, isAutomated, hidingRuleId, at, isInForce, appeal, changeBy } =
    statement;
  const changeDate = changeBy && new Date(changeBy).toLocaleDateString(locale, { dateStyle: 'long' });
  const isOfRemoval = facts === AUTOMATED_REMOVAL_FACTS || facts === REMOVAL_WITHDRAWN_FACTS;
  const isOfCopy = facts === AUTOMATED_COPY_FACTS || facts === EARLIER_COPY_FACTS;
  // An automated decision that shows content again has the facts of a moderator or an admin.
  const isHiding = outcome === 'hidden' || outcome === 'removed';
  const isOfReport = isAutomated && isHiding && hidingRuleId === null && changeBy === null && !isOfRemoval && !isOfCopy;
  const isFileText = file !== null && (outcome === 'kept' || outcome === 'hidden' || outcome === 'removed');
  const isAboutFileOfAd = file !== null && path !== null && (outcome === 'hidden' || outcome === 'removed');
  const isClosedInError = outcome === 'account_closed' && appeal?.outcome === 'overturned';
  const kind = useFormatSubject()(statement);
  const name = title === null ? kind : title;
  return (
    <>
      <Card>
        <dl className={styles['reasons']}>
          <dt>{t('decisions.about')}</dt>
          <dd>
            {title !== null && <>{t('decisions.kindOf', { kind })} </>}
            {path === null ? <bdi>{name}</bdi> : <Link to={path}>{name}</Link>}
          </dd>
          <dt>{t('decisions.outcome')}</dt>
          <dd>
            <OutcomeBadge outcome={outcome} />{' '}
            {hasEffect(statement) &&
              (isFileText ? t(`decisions.meansFile.${outcome}`) : t(`decisions.means.${outcome}`))}
            {isChangeRequested(statement) && (
              <p>
                <RichText
                  id="decisions.changeBy"
                  values={{ date: changeDate ?? '' }}
                  components={{ edit: <Link to={`/edit/${statement.subject.id}`} /> }}
                />
              </p>
            )}
            {changeDate !== null && isAutomated && <p>{t('decisions.notChanged', { date: changeDate })}</p>}
            {isAboutFileOfAd && isInForce && (
              <p>
                {isAdHiddenWithFile({ outcome, isAutomated, rule: rule.id }) ? (
                  t('decisions.adHidden')
                ) : isAdDecidedWithFile({ outcome, isAutomated, rule: rule.id }) ? (
                  t('decisions.adDecided')
                ) : (
                  <RichText id="decisions.adStays" components={{ edit: <Link to="/my-ads" /> }} />
                )}
              </p>
            )}
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
            {isOfReport ? t('decisions.factsOfReport') : isOfRemoval || isOfCopy ? serverText(facts) : facts}
          </dd>
          <dt>{t('decisions.by')}</dt>
          <dd>
            {isOfRemoval
              ? t('decisions.byRemoval')
              : isOfReport
                ? t('decisions.byReport')
                : isOfCopy
                  ? t('decisions.byCopy')
                  : !isAutomated || !isHiding
                    ? t('decisions.byModerator')
                    : t(hidingRuleId === null ? 'decisions.byDate' : 'decisions.byRule')}
          </dd>
          <dt>{t('decisions.at')}</dt>
          <dd>
            <time dateTime={at}>{new Date(at).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' })}</time>
          </dd>
        </dl>
      </Card>
      <OwnerResponseSection statement={statement} reader={reader} />
      <AppealSection statement={statement} reader={reader} />
      {statement.proof !== null && <ProofDetails proof={statement.proof} />}
    </>
  );
}
