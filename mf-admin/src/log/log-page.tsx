import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router-dom';
import type { LogEntryView, ResponseOf } from '@alpenglow/domain/contracts';
import { Card, EmptyState, Page, PagedList, useApi } from '@alpenglow/ui';
import { ChoiceSelect, withChoice } from '../panel/choice-select.tsx';
import { FilterForm } from '../panel/filter-form.tsx';
import { mergeNames } from '../panel/merge-names.ts';
import { PageIntro } from '../panel/page-intro.tsx';
import { formatSystemName } from '../panel/part-names.ts';
import { logQuery, type LogFilter } from './api.ts';
import { LogEntry } from './log-entry.tsx';
import { formatLoggedEventName, LOGGED_EVENT_TYPES } from './logged-event-types.ts';
import { RootsCard } from './roots-card.tsx';
import { useText } from '../text.ts';
import cards from '../panel/cards.module.css';
import styles from './log-page.module.css';

/**
 * The page `/admin/log`. It shows the moderation log and the daily hashes with which auditors can detect changes to the
 * log.
 */
export default function LogPage() {
  const t = useText();
  const [search] = useSearchParams();
  const filter: LogFilter = { type: search.get('type') ?? '', actor: search.get('actor') ?? '' };
  const isFiltered = filter.type !== '' || filter.actor !== '';
  const list = useInfiniteQuery(logQuery(useApi(), filter));
  const actors = listActors(list.data?.pages.flatMap(({ data }) => data) ?? []);
  const names = mergeNames(list);
  const subjects: ResponseOf<'listLogEntries'>['subjects'] = Object.fromEntries(
    list.data?.pages.flatMap((page) => Object.entries(page.subjects)) ?? [],
  );
  const formatActor = (id: string) =>
    actors.get(id) === 'system' ? formatSystemName(t, id) : (names[id] ?? t('table.formerMember'));
  return (
    <Page>
      <PageIntro title={t('nav.log')}>{t('log.lead')}</PageIntro>
      <FilterForm names={['type', 'actor']}>
        {(control) => (
          <>
            <ChoiceSelect
              {...control('type')}
              label={t('log.type')}
              anyLabel={t('history.allEvents')}
              choices={LOGGED_EVENT_TYPES}
              labelOf={(type) => formatLoggedEventName(t, type)}
            />
            <ChoiceSelect
              {...control('actor')}
              label={t('log.actor')}
              anyLabel={t('log.anyActor')}
              choices={withChoice([...actors.keys()], filter.actor)}
              labelOf={formatActor}
            />
          </>
        )}
      </FilterForm>
      <Card>
        <PagedList
          list={list}
          failedText={t('log.failed')}
          empty={<EmptyState title={t(isFiltered ? 'log.emptyFilter' : 'log.empty')} />}
          loadingHeight="24rem"
          moreText={t('log.more')}
          moreClassName={cards['more']}
        >
          {(entries, { chain }) => (
            <>
              <p className={styles['chain']}>{t('log.chained', chain)}</p>
              <ol role="list" aria-label={t('log.list')} className={styles['entries']}>
                {entries.map((entry) => (
                  <LogEntry key={entry.eventId} entry={entry} names={names} subject={subjects[entry.eventId]} />
                ))}
              </ol>
            </>
          )}
        </PagedList>
      </Card>
      <RootsCard />
    </Page>
  );
}

/** Returns the accounts and the parts of the system that caused the entries, with their kinds. */
function listActors(entries: readonly LogEntryView[]): ReadonlyMap<string, LogEntryView['actor']['kind']> {
  return new Map(entries.map(({ actor }) => [actor.id, actor.kind]));
}
