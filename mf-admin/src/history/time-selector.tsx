import { useId, useState } from 'react';
import { Button, Card, Field, getServerTime_ms, layout, TextInput, useLocale } from '@alpenglow/ui';
import { formatTime } from './labels.ts';
import { toSecondsInput, parseSecondsInput } from './seconds-input.ts';
import { useText } from '../text.ts';
import styles from './history.module.css';

/** The shown time and the times of the previous, next, first and last event, as the API returns them. */
export interface HistoryPosition {
  readonly at: string;
  readonly previousAt: string | null;
  readonly nextAt: string | null;
  readonly firstAt: string;
  readonly lastAt: string;
}

const STEPS = 1_000;

/**
 * Selects the time to show. The inputs are a slider, a date with a time, and buttons for the previous and the next
 * event. `at` is null for the present.
 */
export function TimeSelector({
  at,
  standing,
  onChange,
}: {
  readonly at: string | null;
  readonly standing: HistoryPosition;
  readonly onChange: (at: string | null) => void;
}) {
  const t = useText();
  const locale = useLocale();
  const sliderId = useId();
  const [openedAt_ms] = useState(getServerTime_ms);
  const first_ms = Date.parse(standing.firstAt);
  const last_ms = Math.max(openedAt_ms, Date.parse(standing.lastAt), first_ms + 1);
  const shown = at ?? new Date(last_ms).toISOString();
  const step = at === null ? STEPS : Math.round(((Date.parse(shown) - first_ms) / (last_ms - first_ms)) * STEPS);
  const timeOfStep = (value: number) =>
    value >= STEPS ? null : new Date(Math.round(first_ms + ((last_ms - first_ms) * value) / STEPS)).toISOString();
  return (
    <Card className={styles['bar']}>
      <div className={styles['slider']}>
        <label htmlFor={sliderId}>{t('history.moment')}</label>
        <input
          id={sliderId}
          type="range"
          min={0}
          max={STEPS}
          value={Math.min(STEPS, Math.max(0, step))}
          aria-valuetext={at === null ? t('history.now') : formatTime(locale, at)}
          onChange={({ target }) => onChange(timeOfStep(Number(target.value)))}
        />
        <p className={styles['ends']} aria-hidden="true">
          <span>{formatTime(locale, standing.firstAt)}</span>
          <span>{t('history.now')}</span>
        </p>
      </div>
      <div className={styles['steps']}>
        <Field label={t('dateAndTime')}>
          <TextInput
            type="datetime-local"
            step={1}
            value={toSecondsInput(shown)}
            onChange={({ target }) => onChange(parseSecondsInput(target.value) ?? at)}
          />
        </Field>
        <div className={layout['row2']}>
          <Button disabled={standing.previousAt === null} onClick={() => onChange(standing.previousAt)}>
            {t('history.previous')}
          </Button>
          <Button disabled={standing.nextAt === null} onClick={() => onChange(standing.nextAt)}>
            {t('history.next')}
          </Button>
          <Button variant="quiet" disabled={at === null} onClick={() => onChange(null)}>
            {t('history.now')}
          </Button>
        </div>
      </div>
    </Card>
  );
}
