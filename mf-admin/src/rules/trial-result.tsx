import { useEffect, useRef } from 'react';
import { Link } from 'react-router-dom';
import { Button, Card, classNames, DataTable, EmptyState, ErrorBox, layout, messageOf } from '@alpenglow/ui';
import { useFormatTime } from '../panel/use-format-time.ts';
import type { Trial } from './use-trial.ts';
import { useText } from '../text.ts';
import styles from './rules-page.module.css';

/** Maximum number of matching ads that are listed. Further ads are counted, but not listed. */
const LISTED_HITS_MAX = 200;

export interface TrialResultProps {
  readonly trial: Trial;
  readonly onStop: () => void;
  readonly onAgain: () => void;
}

/** Shows the progress of the trial of a hiding rule, and the ads that match the conditions of the rule. */
export function TrialResult({ trial: { state, progress, error }, onStop, onAgain }: TrialResultProps) {
  const t = useText();
  const formatTime = useFormatTime();
  const section = useRef<HTMLElement>(null);
  // The page scrolls to the result, because the result may be far away from the button that starts the trial.
  useEffect(() => {
    if (state === 'running' || state === 'done') section.current?.scrollIntoView({ block: 'nearest' });
  }, [state]);
  if (state === 'idle') return null;
  const { hits, examined, total } = progress ?? { hits: [], examined: 0, total: 0 };
  return (
    <Card>
      <section ref={section} className={classNames(layout['stack4'], layout['shrink'])} aria-labelledby="trial">
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
            variant="plain"
            className={styles['hits']}
            rows={hits.slice(0, LISTED_HITS_MAX)}
            getKey={({ adId }) => adId}
            columns={[
              {
                head: t('ads.ad'),
                cell: ({ adId, title }) => (
                  <Link to={`/admin/ads/${adId}`} dir="auto">
                    {title === '' ? t('rules.erased') : title}
                  </Link>
                ),
              },
              {
                head: t('rules.owner'),
                cell: ({ accountId, name }) => (
                  <Link to={`/admin/users/${accountId}`} dir="auto">
                    {name === '' ? t('rules.erased') : name}
                  </Link>
                ),
              },
              { head: t('rules.place'), cell: ({ city, state }) => `${city}, ${state}` },
              { head: t('rules.when'), cell: (hit) => <time dateTime={hit.at}>{formatTime(hit.at)}</time> },
              { head: t('rules.because'), cell: ({ because }) => t(`rules.becauseOf.${because}`) },
              { head: t('history.now'), cell: ({ isUp }) => t(isUp ? 'rules.isUp' : 'rules.isGone') },
            ]}
          />
        )}
        {hits.length > LISTED_HITS_MAX && <p>{t('rules.moreHits', { shown: LISTED_HITS_MAX })}</p>}
      </section>
    </Card>
  );
}
