import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router-dom';
import type { CaseCard } from '@alpenglow/domain/contracts';
import { Button, classNames, EmptyState, ErrorBox, messageOf, Page, TimeAgo, useApi, useHost } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { LeadHead } from '../panel/lead-head.tsx';
import { LinkChips } from '../panel/link-chips.tsx';
import { MoreButton } from '../panel/more-button.tsx';
import { caseCalls, casesQuery, moderationKeys, QUEUES, type Queue } from './calls.ts';
import { CaseBadges, PersonName, useCaseTitle, useReasons } from './case-facts.tsx';
import { useText } from './text.ts';
import rows from '../panel/link-rows.module.css';
import styles from './queue-page.module.css';

/** `/admin/moderation`: what waits for a moderator, and what was decided. */
export default function QueuePage() {
  const t = useText();
  const [search] = useSearchParams();
  const queue = QUEUES.find((one) => one === search.get('state')) ?? 'open';
  return (
    <Page>
      <LeadHead title={t('moderation.title')}>{t('moderation.lead')}</LeadHead>
      <Cases queue={queue} />
    </Page>
  );
}

function Cases({ queue }: { readonly queue: Queue }) {
  const t = useText();
  const api = useApi();
  const list = useInfiniteQuery(casesQuery(api, queue));
  const counts = list.data?.pages[0]?.counts;
  const cases = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      <LinkChips
        label={t('moderation.queues')}
        links={QUEUES.map((one) => ({
          to: one === 'open' ? '/admin/moderation' : `/admin/moderation?state=${one}`,
          words: (
            <>
              {t(`moderation.queue.${one}`)}
              {one !== 'decided' && <span className={styles['count']}>{counts?.[one]}</span>}
            </>
          ),
          isCurrent: one === queue,
        }))}
      />
      {list.isPending && <Loading height="16rem" />}
      {list.isError && !list.isFetchNextPageError && cases.length === 0 && (
        <ErrorBox message={messageOf(list.error, t('moderation.listFailed'))} onRetry={() => void list.refetch()} />
      )}
      {list.data && cases.length === 0 && (
        <EmptyState title={t(`moderation.empty.${queue}`)}>
          <p>{t('moderation.emptyText')}</p>
        </EmptyState>
      )}
      {cases.length > 0 && (
        <ul role="list" className={rows['rows']}>
          {cases.map((card) => (
            <Row key={card.id} card={card} />
          ))}
        </ul>
      )}
      {list.isFetchNextPageError && (
        <ErrorBox
          message={messageOf(list.error, t('moderation.listFailed'))}
          onRetry={() => void list.fetchNextPage()}
        />
      )}
      <MoreButton list={list}>{t('moderation.more')}</MoreButton>
    </>
  );
}

const pathOf = (id: string) => `/admin/moderation/cases/${encodeURIComponent(id)}`;

function Row({ card }: { readonly card: CaseCard }) {
  const t = useText();
  const titleOf = useCaseTitle();
  const reasonsOf = useReasons();
  const { id, owner, reasons, openedAt, appealedAt, state, decision, claim } = card;
  return (
    <li className={classNames(rows['row'], styles['case'])}>
      <div>
        <p className={styles['badges']}>
          <CaseBadges card={card} />
        </p>
        <Link to={pathOf(id)} className={rows['link']}>
          <bdi>{titleOf(card)}</bdi>
        </Link>
        <p>
          {reasons.length > 0 && <>{reasonsOf(reasons)} · </>}
          <PersonName person={owner} /> ·{' '}
          {state === 'decided' && decision !== null ? (
            <>
              {t('moderation.decided')} <TimeAgo at={decision.at} />
            </>
          ) : (
            <>
              {t('moderation.waits')} <TimeAgo at={appealedAt ?? openedAt} />
            </>
          )}
        </p>
      </div>
      {state !== 'decided' && claim === null && <ClaimButton id={id} />}
    </li>
  );
}

/** Claims a case and opens it. */
function ClaimButton({ id }: { readonly id: string }) {
  const t = useText();
  const api = useApi();
  const { navigate, notify } = useHost();
  const queryClient = useQueryClient();
  const claim = useMutation({
    mutationFn: () => caseCalls(api).claim(id),
    onSuccess: () => navigate(pathOf(id)),
    // Somebody else was first, most often.
    onError: (error) => notify({ text: messageOf(error, t('moderation.claimFailed')), tone: 'danger' }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: moderationKeys.all }),
  });
  return (
    <Button size="small" className={styles['claim']} busy={claim.isPending} onClick={() => claim.mutate()}>
      {t('moderation.claim')}
    </Button>
  );
}
