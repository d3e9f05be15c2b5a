import { useEffect, useRef } from 'react';
import { Link } from 'react-router-dom';
import { Button, Card, classNames, EmptyState, ErrorBox, messageOf, useLocale } from '@alpenglow/ui';
import { DataTable } from '../panel/data-table.tsx';
import type { Trial } from './use-trial.ts';
import { useText } from './text.ts';
import tables from '../panel/table-in-card.module.css';
import styles from './rules-page.module.css';

/** More are counted, but not listed: nobody reads so many. */
const SHOWN = 200;

export interface TrialResultProps {
  readonly trial: Trial;
  readonly onStop: () => void;
  readonly onAgain: () => void;
}

/** How far a trial is, and what the rule would have hidden. */
export function TrialResult({ trial: { state, progress, error }, onStop, onAgain }: TrialResultProps) {
  const t = useText();
  const locale = useLocale();
  const section = useRef<HTMLElement>(null);
  // Asked for above or below, it may be out of sight.
  useEffect(() => {
    if (state === 'running' || state === 'done') section.current?.scrollIntoView({ block: 'nearest' });
  }, [state]);
  if (state === 'idle') return null;
  const { hits, examined, total } = progress ?? { hits: [], examined: 0, total: 0 };
  const at = (time: string) => new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <Card>
      <section ref={section} className={styles['trial']} aria-labelledby="trial">
        <h2 id="trial">{t('rules.trial')}</h2>
        <div className={styles['progress']}>
          <progress
            aria-label={t('rules.trial')}
            max={Math.max(1, total)}
            value={state === 'running' && !progress ? undefined : examined}
          />
          <p role="status">
            {t(state === 'done' ? 'rules.tried' : 'rules.trying', { examined, total, hits: hits.length })}
          </p>
          {state === 'running' && <Button onClick={onStop}>{t('rules.stop')}</Button>}
        </div>
        {state === 'stopped' && <p>{t('rules.stopped')}</p>}
        {state === 'failed' && <ErrorBox message={messageOf(error, t('rules.tryFailed'))} onRetry={onAgain} />}
        {state === 'done' && hits.length === 0 && <EmptyState title={t('rules.noHits')} />}
        {hits.length > 0 && (
          <DataTable
            label={t('rules.hits')}
            columns={[t('rules.ad'), t('rules.when'), t('rules.because'), t('rules.now')]}
            className={classNames(tables['inCard'], styles['hits'])}
          >
            {hits.slice(0, SHOWN).map(({ adId, title, at: time, because, isUp }) => (
              <tr key={adId}>
                <th scope="row">
                  <Link to={`/admin/ads/${adId}`} dir="auto">
                    {title === '' ? t('rules.erased') : title}
                  </Link>
                </th>
                <td>
                  <time dateTime={time}>{at(time)}</time>
                </td>
                <td>{t(`rules.becauseOf.${because}`)}</td>
                <td>{t(isUp ? 'rules.isUp' : 'rules.isGone')}</td>
              </tr>
            ))}
          </DataTable>
        )}
        {hits.length > SHOWN && <p>{t('rules.moreHits', { shown: SHOWN })}</p>}
      </section>
    </Card>
  );
}
