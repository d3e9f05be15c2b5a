import { useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { HistoryEntryView } from '@alpenglow/domain/contracts';
import { Badge, Button, ErrorBox, Field, messageOf, Select, useApi, useLocale } from '@alpenglow/ui';
import { Loading } from '../loading.tsx';
import { ExportButtons } from '../panel/export-buttons.tsx';
import { MoreButton } from '../panel/more-button.tsx';
import { downloadHistory, historyQuery, type Kind, type Moments } from './calls.ts';
import { ChangeTable } from './change-table.tsx';
import { EVENT_TYPES, eventName, fieldName, timeText, valueText } from './labels.ts';
import { useText } from './text.ts';
import styles from './history.module.css';

interface TimelineProps {
  readonly kind: Kind;
  readonly id: string;
  readonly moments: Moments;
  readonly onMoments: (moments: Moments) => void;
}

/** Every event of something, the last first, with what it has changed; as files for those who keep them. */
export function Timeline({ kind, id, moments, onMoments }: TimelineProps) {
  const t = useText();
  const api = useApi();
  const [type, setType] = useState<string | null>(null);
  const list = useInfiniteQuery(historyQuery(api, kind, id, type));
  const entries = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <section aria-labelledby="timeline">
      <div className={styles['sectionHead']}>
        <h2 id="timeline">{t('history.timeline')}</h2>
        <div className={styles['buttons']}>
          <ExportButtons
            labelOf={(format) => t('history.export', { format })}
            download={(format) => downloadHistory(api, kind, id, format, type)}
            failedText={t('history.exportFailed')}
          />
        </div>
      </div>
      <Field label={t('history.filter')} className={styles['filter']}>
        <Select value={type ?? ''} onChange={({ target }) => setType(target.value || null)}>
          <option value="">{t('history.allEvents')}</option>
          {EVENT_TYPES[kind].map((one) => (
            <option key={one} value={one}>
              {eventName(t, one)}
            </option>
          ))}
        </Select>
      </Field>
      {list.isPending && <Loading height="16rem" />}
      {list.isError && (
        <ErrorBox message={messageOf(list.error, t('history.failed'))} onRetry={() => void list.refetch()} />
      )}
      {list.isSuccess && entries.length === 0 && <p className={styles['muted']}>{t('history.noEvents')}</p>}
      <ol role="list" className={styles['timeline']}>
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} moments={moments} onMoments={onMoments} />
        ))}
      </ol>
      <MoreButton list={list}>{t('history.earlier')}</MoreButton>
    </section>
  );
}

function Entry({
  entry,
  moments,
  onMoments,
}: { readonly entry: HistoryEntryView } & Pick<TimelineProps, 'moments' | 'onMoments'>) {
  const t = useText();
  const locale = useLocale();
  const { type, revision, at, actor, correlationId, causationId, changes, details } = entry;
  const when = timeText(locale, at);
  const isLookedAt = moments.at === at;
  const what = eventName(t, type);
  return (
    <li className={styles['entry']} aria-current={isLookedAt ? 'step' : undefined}>
      <header>
        <h3>
          {what} {isLookedAt && <Badge tone="accent">{t('history.shownNow')}</Badge>}
        </h3>
        <p>
          <time dateTime={at}>{when}</time> · {whoText(t, actor)}
        </p>
      </header>
      {changes.length > 0 && (
        <ChangeTable changes={changes} label={t('history.changesOf', { event: what, time: when })} />
      )}
      {details.length > 0 && (
        <ul role="list" className={styles['details']}>
          {details.map(({ name, value }) => (
            <li key={name}>
              <strong>{fieldName(t, name)}</strong> {valueText(t, locale, value)}
            </li>
          ))}
        </ul>
      )}
      <div className={styles['buttons']}>
        <Button
          size="small"
          onClick={() => onMoments({ ...moments, at })}
          aria-label={t('history.lookAtOf', { event: what, time: when })}
        >
          {t('history.lookAt')}
        </Button>
        <Button
          size="small"
          variant="quiet"
          onClick={() => onMoments({ ...moments, and: at })}
          aria-label={t('history.compareOf', { event: what, time: when })}
        >
          {t('history.compare')}
        </Button>
      </div>
      <p className={styles['origin']}>
        {t('history.revision', { revision })} · {t('history.correlation')} <code>{correlationId}</code>
        {causationId !== null && (
          <>
            {' '}
            · {t('history.causation')} <code>{causationId}</code>
          </>
        )}
      </p>
    </li>
  );
}

function whoText(t: ReturnType<typeof useText>, { kind, id, name }: HistoryEntryView['actor']): string {
  if (kind === 'system') return t('history.bySystem', { name: id });
  return name === null ? t('history.byGone', { id }) : t('history.byMember', { name });
}
