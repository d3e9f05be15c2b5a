import { useMemo } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router-dom';
import { ALL_REPORT_REASONS, SUBJECT_KINDS } from '@alpenglow/domain/contracts';
import { EmptyState, LinkRows, Page, PagedList, useApi, useUser, NewEntries } from '@alpenglow/ui';
import { ChoiceLinks, useChoice } from '../panel/choice-links.tsx';
import { ChoiceSelect } from '../panel/choice-select.tsx';
import { PageIntro } from '../panel/page-intro.tsx';
import { useHeldRows } from '../panel/use-held-rows.ts';
import { casesQuery, QUEUES, type CaseFilter, type Queue } from './api.ts';
import { CaseRow } from './case-row.tsx';
import { RestoreReported } from './restore-reported.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { useNextCase } from './use-next-case.ts';
import { useText } from '../text.ts';
import styles from './queue-page.module.css';

/**
 * The page `/admin/moderation`, which shows the queues of open and decided moderation cases. While a moderator uses the
 * list, its order stays the same.
 */
export default function QueuePage() {
  const t = useText();
  const queue = useChoice('state', QUEUES, 'open');
  const kind = useChoice('kind', SUBJECT_KINDS, null);
  const reason = useChoice('reason', ALL_REPORT_REASONS, null);
  const isFiltered = kind !== null || reason !== null;
  const list = useInfiniteQuery(casesQuery(useApi(), queue, { kind, reason }));
  const cases = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  const { rows, waiting, release, ref } = useHeldRows(cases, JSON.stringify([queue, kind, reason]));
  const isAdmin = useUser()?.isAdmin === true;
  const openNext = useNextCase(null);
  const counts = list.data?.pages[0]?.counts;
  const labelOf = (name: Queue) => (
    <>
      {t(`moderation.queue.${name}`)}
      {name !== 'decided' && <span className={styles['count']}>{counts?.[name]}</span>}
    </>
  );
  return (
    <Page>
      <PageIntro title={t('nav.moderation')}>{t('moderation.lead')}</PageIntro>
      <ChoiceLinks
        label={t('moderation.queues')}
        path="/admin/moderation"
        parameter="state"
        choices={QUEUES}
        selected={queue}
        labelOf={labelOf}
      />
      <Filters kind={kind} reason={reason} />
      <Shortcuts actions={{ n: () => void openNext() }} />
      <PagedList
        list={list}
        failedText={t('moderation.listFailed')}
        empty={
          <EmptyState title={t(isFiltered ? 'moderation.emptyFilter' : `moderation.empty.${queue}`)}>
            <p>{t(isFiltered ? 'moderation.emptyFilterText' : 'moderation.emptyText')}</p>
          </EmptyState>
        }
        moreText={t('moderation.more')}
        // The last case may have been decided while the pointer is on its row.
        isShownEmpty={rows.length > 0}
      >
        {() => (
          <>
            {isAdmin && queue === 'open' && <RestoreReported cases={cases} />}
            <NewEntries count={waiting} onShow={release}>
              {t('moderation.newCases', { count: waiting })}
            </NewEntries>
            <div ref={ref}>
              <LinkRows>
                {rows.map(({ item, isGone }) => (
                  <CaseRow key={item.id} card={item} isGone={isGone} />
                ))}
              </LinkRows>
            </div>
          </>
        )}
      </PagedList>
    </Page>
  );
}

/** Two select fields that limit the queue to one kind of content or one reason of reports. The URL stores them. */
function Filters({ kind, reason }: CaseFilter) {
  const t = useText();
  const [search, setSearch] = useSearchParams();
  const choose = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    setSearch(next, { replace: true });
  };
  return (
    <div role="search" className={styles['filters']}>
      <ChoiceSelect
        label={t('moderation.filterKind')}
        anyLabel={t('moderation.anyKind')}
        choices={SUBJECT_KINDS}
        labelOf={(value) => t(`moderation.kind.${value}`)}
        value={kind ?? ''}
        onChange={({ target }) => choose('kind', target.value)}
      />
      <ChoiceSelect
        label={t('moderation.filterReason')}
        anyLabel={t('moderation.anyReason')}
        choices={ALL_REPORT_REASONS}
        labelOf={(value) => t(`moderation.reason.${value}`)}
        value={reason ?? ''}
        onChange={({ target }) => choose('reason', target.value)}
      />
    </div>
  );
}
