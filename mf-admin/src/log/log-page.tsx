import { useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router-dom';
import type { LogEntryView } from '@alpenglow/domain/contracts';
import {
  Button,
  Card,
  EmptyState,
  ErrorBox,
  Field,
  messageOf,
  Page,
  TextInput,
  useApi,
  useLocale,
} from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { FilterForm } from '../panel/filter-form.tsx';
import { LeadHead } from '../panel/lead-head.tsx';
import { logQuery, type LogFilter } from './calls.ts';
import { EntryDetails } from './entry-details.tsx';
import { RootsCard } from './roots-card.tsx';
import { useText } from './text.ts';
import styles from './log-page.module.css';

/** `/admin/log`: the moderation log, newest first, and the daily roots that prove it. */
export default function LogPage() {
  const t = useText();
  const [search] = useSearchParams();
  const filter: LogFilter = { type: search.get('type') ?? '', actor: search.get('actor') ?? '' };
  const isFiltered = filter.type !== '' || filter.actor !== '';
  return (
    <Page>
      <LeadHead title={t('log.title')}>{t('log.lead')}</LeadHead>
      <FilterForm filterLabel={t('log.filter')} clearLabel={t('log.clear')} isFiltered={isFiltered}>
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
  const api = useApi();
  const log = useInfiniteQuery(logQuery(api, filter));
  const entries = log.data?.pages.flatMap(({ data }) => data) ?? [];
  const chain = log.data?.pages[0]?.chain;
  if (log.isPending) return <Loading height="24rem" />;
  if (log.isError && entries.length === 0)
    return <ErrorBox message={messageOf(log.error, t('log.failed'))} onRetry={() => void log.refetch()} />;
  if (entries.length === 0) return <EmptyState title={t(isFiltered ? 'log.emptyFilter' : 'log.empty')} />;
  return (
    <Card>
      {chain && <p className={styles['chain']}>{t('log.chained', chain)}</p>}
      <ol role="list" aria-label={t('log.list')} className={styles['entries']}>
        {entries.map((entry) => (
          <Entry key={entry.eventId} entry={entry} />
        ))}
      </ol>
      {log.hasNextPage && (
        <Button busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          {t('log.more')}
        </Button>
      )}
    </Card>
  );
}

function Entry({ entry }: { readonly entry: LogEntryView }) {
  const t = useText();
  const locale = useLocale();
  const [isOpen, setOpen] = useState(false);
  const when = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(entry.at));
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className={styles['number']}>{entry.number}</span>
          <strong>{entry.type}</strong>
          <time dateTime={entry.at}>{when}</time>
          <span className={styles['actor']}>
            {entry.actor.kind === 'system' ? t('log.system', { name: entry.actor.id }) : entry.actor.id}
          </span>
        </summary>
        {isOpen && <EntryDetails entry={entry} />}
      </details>
    </li>
  );
}
