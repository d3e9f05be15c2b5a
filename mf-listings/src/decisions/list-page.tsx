import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { StatementView } from '@alpenglow/domain/contracts';
import {
  Badge,
  Breadcrumbs,
  Button,
  EmptyState,
  ErrorBox,
  messageOf,
  Skeleton,
  useApi,
  useLocale,
  VisuallyHidden,
} from '@alpenglow/ui';
import { OwnPage } from '../pages/own-page.tsx';
import { statementsQuery } from './calls.ts';
import { OutcomeBadge } from './outcome-badge.tsx';
import { RichText, useText } from './text.ts';
import styles from './decisions.module.css';

/** `/account/decisions`: what was decided about what the user has posted. */
export default function DecisionsPage() {
  const t = useText();
  return (
    <OwnPage title={t('decisions.title')} lead={() => t('decisions.lead')}>
      {(user) => (
        <>
          <Statements viewer={user.id} />
          <p className={styles['after']}>
            <RichText id="decisions.how" components={{ help: <Link to="/help#decide" /> }} />
          </p>
        </>
      )}
    </OwnPage>
  );
}

/** The way from the profile to the pages about decisions. */
export function DecisionCrumbs({ isProvider, last }: { readonly isProvider: boolean; readonly last: string }) {
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
  if (list.isPending) return <StatementsSkeleton />;
  if (list.isError && statements.length === 0)
    return <ErrorBox message={messageOf(list.error, t('decisions.failed'))} onRetry={() => void list.refetch()} />;
  if (statements.length === 0) {
    return (
      <EmptyState title={t('decisions.empty')}>
        <p>{t('decisions.emptyText')}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <ul role="list" className={styles['list']}>
        {statements.map((statement) => (
          <Row key={statement.id} statement={statement} />
        ))}
      </ul>
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

function Row({
  statement: { id, subject, title, outcome, at, appeal, isInForce },
}: {
  readonly statement: StatementView;
}) {
  const t = useText();
  const locale = useLocale();
  return (
    <li className={styles['row']}>
      <div>
        <Link to={`/account/decisions/${encodeURIComponent(id)}`} className={styles['link']}>
          {t(`decisions.kind.${subject.kind}`)}
          {title !== null && (
            <>
              {': '}
              <bdi>{title}</bdi>
            </>
          )}
        </Link>
        <p>
          <time dateTime={at}>{new Date(at).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short' })}</time>
          {appeal !== null && ` · ${t(`decisions.appeal.${appeal.outcome ?? 'waiting'}`)}`}
        </p>
      </div>
      <span className={styles['badges']}>
        <OutcomeBadge outcome={outcome} />
        {!isInForce && <Badge>{t('decisions.over')}</Badge>}
      </span>
    </li>
  );
}

function StatementsSkeleton() {
  const t = useText();
  return (
    <div role="status">
      <VisuallyHidden>{t('common.loading')}</VisuallyHidden>
      <Skeleton height="10rem" />
    </div>
  );
}
