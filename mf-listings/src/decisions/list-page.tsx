import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { StatementView } from '@alpenglow/domain/contracts';
import {
  Badge,
  Breadcrumbs,
  Button,
  EmptyState,
  ErrorBox,
  layout,
  LinkRow,
  LinkRows,
  Loading,
  messageOf,
  QueryError,
  useApi,
  useLocale,
} from '@alpenglow/ui';
import { AccountPage } from '../pages/account-page.tsx';
import { statementsQuery } from './api.ts';
import { OutcomeBadge, useFormatSubject } from './outcome-badge.tsx';
import { RichText, useText } from './text.ts';
import styles from './decisions.module.css';

/** The page `/account/decisions` with the moderation decisions about the user's content. */
export default function DecisionsPage() {
  const t = useText();
  return (
    <AccountPage title={t('decisions.title')} lead={() => t('decisions.lead')}>
      {(user) => (
        <>
          <Statements viewer={user.id} />
          <p className={styles['after']}>
            <RichText id="decisions.how" components={{ help: <Link to="/help#decide" /> }} />
          </p>
        </>
      )}
    </AccountPage>
  );
}

/**
 * The breadcrumb navigation of the pages about moderation decisions. It starts with the profile and ends with `last`.
 */
export function DecisionBreadcrumbs({ isProvider, last }: { readonly isProvider: boolean; readonly last: string }) {
  const t = useText();
  return (
    <Breadcrumbs
      items={[
        { label: t('decisions.profile'), to: isProvider ? '/provider-profile' : '/profile' },
        { label: t('decisions.title'), to: '/account/decisions' },
        { label: last },
      ]}
    />
  );
}

function Statements({ viewer }: { readonly viewer: string }) {
  const t = useText();
  const api = useApi();
  const list = useInfiniteQuery(statementsQuery(api, viewer));
  const statements = list.data?.pages.flatMap(({ data }) => data) ?? [];
  if (list.isPending) return <Loading height="10rem" />;
  if (list.isError && statements.length === 0) return <QueryError query={list} text={t('decisions.failed')} />;
  if (statements.length === 0) {
    return (
      <EmptyState title={t('decisions.empty')}>
        <p>{t('decisions.emptyText')}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <LinkRows>
        {statements.map((statement) => (
          <Row key={statement.id} statement={statement} />
        ))}
      </LinkRows>
      {list.isFetchNextPageError && (
        <ErrorBox message={messageOf(list.error, t('decisions.failed'))} onRetry={() => void list.fetchNextPage()} />
      )}
      {list.hasNextPage && (
        <Button className={styles['more']} busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {list.isFetchingNextPage ? t('common.loading') : t('decisions.more')}
        </Button>
      )}
    </>
  );
}

function Row(props: { readonly statement: StatementView }) {
  const { id, title, outcome, at, appeal, isInForce } = props.statement;
  const t = useText();
  const formatSubject = useFormatSubject();
  const locale = useLocale();
  return (
    <LinkRow
      className={styles['row']}
      to={`/account/decisions/${encodeURIComponent(id)}`}
      title={
        <>
          {formatSubject(props.statement)}
          {title !== null && (
            <>
              {': '}
              <bdi>{title}</bdi>
            </>
          )}
        </>
      }
      details={
        <>
          <time dateTime={at}>{new Date(at).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' })}</time>
          {appeal !== null && ` · ${t(`decisions.appeal.${appeal.outcome ?? 'waiting'}`)}`}
        </>
      }
      aside={
        <span className={layout['row2']}>
          <OutcomeBadge outcome={outcome} />
          {!isInForce && <Badge>{t('decisions.over')}</Badge>}
        </span>
      }
    />
  );
}
