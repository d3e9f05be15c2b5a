import { useState } from 'react';
import { Link } from 'react-router-dom';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { HistoryEntryView } from '@alpenglow/domain/contracts';
import { Badge, Button, Field, layout, PagedList, Select, useApi, useLocale } from '@alpenglow/ui';
import { AccountName } from '../panel/account-name.tsx';
import { ExportButtons } from '../panel/export-buttons.tsx';
import { mergeNames } from '../panel/merge-names.ts';
import { formatSystemName } from '../panel/part-names.ts';
import { TechnicalDetails } from '../panel/technical-details.tsx';
import { downloadHistory, historyQuery, type HistoryKind, type SelectedTimes } from './api.ts';
import { ChangedIds, ChangeTable } from './change-table.tsx';
import { EVENT_TYPES, formatEventName, formatFieldName, formatTime, formatValue } from './labels.ts';
import { useText } from '../text.ts';
import styles from './history.module.css';

interface TimelineProps {
  readonly kind: HistoryKind;
  readonly id: string;
  readonly times: SelectedTimes;
  readonly onTimesChange: (moments: SelectedTimes) => void;
}

/**
 * Lists the events of an ad, an account or a thread with their changes, newest first. The events can be exported as
 * files.
 */
export function Timeline({ kind, id, times: moments, onTimesChange: onMoments }: TimelineProps) {
  const t = useText();
  const api = useApi();
  const [type, setType] = useState<string | null>(null);
  const list = useInfiniteQuery(historyQuery(api, kind, id, type));
  const names = mergeNames(list);
  return (
    <section aria-labelledby="timeline">
      <div className={styles['sectionHead']}>
        <h2 id="timeline">{t('history.timeline')}</h2>
        <div className={layout['row2']}>
          <ExportButtons download={(format) => downloadHistory(api, kind, id, format, type)} />
        </div>
      </div>
      <Field label={t('history.filter')} className={styles['filter']}>
        <Select value={type ?? ''} onChange={({ target }) => setType(target.value || null)}>
          <option value="">{t('history.allEvents')}</option>
          {EVENT_TYPES[kind].map((eventType) => (
            <option key={eventType} value={eventType}>
              {formatEventName(t, eventType)}
            </option>
          ))}
        </Select>
      </Field>
      <PagedList
        list={list}
        failedText={t('history.failed')}
        empty={<p className={layout['muted']}>{t('history.noEvents')}</p>}
        moreText={t('history.earlier')}
      >
        {(entries) => (
          <ol role="list" className={styles['timeline']}>
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} names={names} times={moments} onTimesChange={onMoments} />
            ))}
          </ol>
        )}
      </PagedList>
    </section>
  );
}

function Entry({
  entry,
  names,
  times,
  onTimesChange,
}: { readonly entry: HistoryEntryView; readonly names: Readonly<Record<string, string>> } & Pick<
  TimelineProps,
  'times' | 'onTimesChange'
>) {
  const t = useText();
  const locale = useLocale();
  const { type, revision, at, actor, correlationId, causationId, changes, details } = entry;
  const when = formatTime(locale, at);
  const shownDetails = details.filter(({ name }) => name !== 'reviewId' && name !== 'ruleId');
  const isShown = times.at === at;
  const name = formatEventName(t, type);
  return (
    <li className={styles['entry']} aria-current={isShown ? 'step' : undefined}>
      <header>
        <h3>
          {name} {isShown && <Badge tone="accent">{t('history.shownNow')}</Badge>}
        </h3>
        <p>
          <time dateTime={at}>{when}</time> · <ActorName actor={actor} />
        </p>
      </header>
      {changes.length > 0 && (
        <ChangeTable changes={changes} names={names} label={t('history.changesOf', { event: name, time: when })} />
      )}
      {shownDetails.length > 0 && (
        <ul role="list" className={styles['details']}>
          {shownDetails.map(({ name, value }) => (
            <li key={name}>
              <strong>{formatFieldName(t, name)}</strong>{' '}
              {name === 'caseId' ? (
                <Link to={`/admin/moderation/cases/${encodeURIComponent(String(value))}`}>{t('log.open')}</Link>
              ) : (
                formatValue(t, locale, value)
              )}
            </li>
          ))}
        </ul>
      )}
      <div className={layout['row2']}>
        <Button
          size="small"
          onClick={() => onTimesChange({ ...times, at })}
          aria-label={t('history.lookAtOf', { event: name, time: when })}
        >
          {t('history.lookAt')}
        </Button>
        <Button
          size="small"
          variant="quiet"
          onClick={() => onTimesChange({ ...times, and: at })}
          aria-label={t('history.compareOf', { event: name, time: when })}
        >
          {t('history.compare')}
        </Button>
      </div>
      <TechnicalDetails>
        <p>
          {t('history.revision', { revision })} · {t('history.correlation')} <code>{correlationId}</code>
          {causationId !== null && (
            <>
              {' '}
              · {t('history.causation')} <code>{causationId}</code>
            </>
          )}{' '}
          · {t('log.type')} <code>{type}</code> · {t('log.actor')} <code>{actor.id}</code>
        </p>
        <ChangedIds changes={changes} />
      </TechnicalDetails>
    </li>
  );
}

function ActorName({ actor: { kind, id, name } }: Pick<HistoryEntryView, 'actor'>) {
  const t = useText();
  if (kind === 'system') return formatSystemName(t, id);
  return <AccountName id={id} names={name === null ? {} : { [id]: name }} />;
}
