import type { ProjectionView, RebuildView } from '@alpenglow/domain/contracts';
import { Badge, Button, useLocale, type BadgeProps } from '@alpenglow/ui';
import { useFormatTime } from '../panel/use-format-time.ts';
import { formatProjectionName } from '../panel/part-names.ts';
import { useText } from '../text.ts';
import styles from './projections-page.module.css';

const TONES: Readonly<Record<RebuildView['state'], NonNullable<BadgeProps['tone']>>> = {
  running: 'accent',
  paused: 'neutral',
  checking: 'accent',
  ready: 'success',
  swapping: 'accent',
  swapped: 'success',
  reverted: 'neutral',
  cancelled: 'neutral',
  failed: 'danger',
};

/** Shows the progress of a rebuild, and the previous version of the read model, which can be restored. */
export function RebuildState({
  projection: { name, rebuild, previous },
  onShowDifferences,
}: {
  readonly projection: ProjectionView;
  readonly onShowDifferences: () => void;
}) {
  const t = useText();
  const formatTime = useFormatTime();
  if (!rebuild && !previous) return null;
  return (
    <div className={styles['state']}>
      {rebuild && <Progress name={name} rebuild={rebuild} onShowDifferences={onShowDifferences} />}
      {previous && (
        <p>
          {previous.isReverting
            ? t('replay.reverting')
            : t('replay.previous', {
                version: previous.version,
                time: formatTime(previous.keptAt),
              })}
        </p>
      )}
    </div>
  );
}

function Progress({
  name,
  rebuild,
  onShowDifferences,
}: {
  readonly name: string;
  readonly rebuild: RebuildView;
  readonly onShowDifferences: () => void;
}) {
  const t = useText();
  const locale = useLocale();
  const { state, wish, events, eventsPerSecond, fraction, secondsLeft, differingRows, error } = rebuild;
  const percent = fraction.toLocaleString(locale, { style: 'percent' });
  const isUnderWay = state === 'running' || state === 'paused' || state === 'checking';
  return (
    <>
      <p>
        <Badge tone={TONES[state]}>{wish === null ? t(`replay.states.${state}`) : t(`replay.wishes.${wish}`)}</Badge>
        {isUnderWay && <span className={styles['percent']}>{percent}</span>}
      </p>
      {isUnderWay && (
        <progress
          className={styles['bar']}
          max={1}
          value={fraction}
          aria-label={t('replay.progress', { name: formatProjectionName(t, name), percent })}
        />
      )}
      {isUnderWay && (
        <p>
          {t('replay.events', { count: events })}
          {state === 'running' && <> · {t('replay.rate', { rate: eventsPerSecond })}</>}
          {state === 'running' && secondsLeft !== null && <> · {t('replay.left', { seconds: secondsLeft })}</>}
        </p>
      )}
      {error !== null && <p className={styles['error']}>{error}</p>}
      {state === 'ready' && differingRows !== null && (
        <p className={styles['differing']}>
          {t('replay.differing', { count: differingRows })}
          {differingRows > 0 && (
            <Button
              size="small"
              onClick={onShowDifferences}
              aria-label={t('replay.differencesOf', { name: formatProjectionName(t, name) })}
            >
              {t('replay.showDifferences')}
            </Button>
          )}
        </p>
      )}
    </>
  );
}
