import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router-dom';
import { Card, EmptyState, Field, Page, PagedList, TextInput, useApi } from '@alpenglow/ui';
import { FilterForm } from '../panel/filter-form.tsx';
import { PageIntro } from '../panel/page-intro.tsx';
import { logQuery, type LogFilter } from './api.ts';
import { LogEntry } from './log-entry.tsx';
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
  return (
    <Page>
      <PageIntro title={t('nav.log')}>{t('log.lead')}</PageIntro>
      <FilterForm isFiltered={isFiltered}>
        <Field label={t('log.type')}>
          <TextInput name="type" defaultValue={filter.type} pattern="[A-Za-z]{1,60}" />
        </Field>
        <Field label={t('log.actor')} hint={t('log.actorHint')}>
          <TextInput name="actor" defaultValue={filter.actor} pattern="[\w\-]{1,64}" />
        </Field>
      </FilterForm>
      <Entries filter={filter} isFiltered={isFiltered} />
      <RootsCard />
    </Page>
  );
}

function Entries({ filter, isFiltered }: { readonly filter: LogFilter; readonly isFiltered: boolean }) {
  const t = useText();
  const list = useInfiniteQuery(logQuery(useApi(), filter));
  return (
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
                <LogEntry key={entry.eventId} entry={entry} />
              ))}
            </ol>
          </>
        )}
      </PagedList>
    </Card>
  );
}
