import { Button, Card, Field, TextInput, useApi } from '@alpenglow/ui';
import { ExportButtons } from '../panel/export-buttons.tsx';
import { downloadReport, type Period } from './api.ts';
import { getNamedPeriod, PERIODS } from './period.ts';
import { useText } from '../text.ts';
import styles from './transparency.module.css';

export interface PeriodCardProps {
  readonly period: Period;
  readonly isRejected: boolean;
  readonly now_ms: number;
  readonly onChange: (period: Period) => void;
}

/** Selects the period of the report, and exports the report. */
export function PeriodCard({ period, isRejected, now_ms, onChange }: PeriodCardProps) {
  const t = useText();
  const api = useApi();
  return (
    <Card className={styles['period']}>
      <div className={styles['dates']}>
        <Field
          label={t('transparency.from')}
          error={isRejected ? t(period.from > period.to ? 'transparency.wrongOrder' : 'transparency.tooLong') : null}
        >
          <TextInput
            type="date"
            value={period.from}
            max={period.to}
            onChange={({ target }) => target.value !== '' && onChange({ ...period, from: target.value })}
          />
        </Field>
        <Field label={t('transparency.to')}>
          <TextInput
            type="date"
            value={period.to}
            min={period.from}
            onChange={({ target }) => target.value !== '' && onChange({ ...period, to: target.value })}
          />
        </Field>
      </div>
      <div className={styles['buttons']}>
        {PERIODS.map((name) => (
          <Button key={name} size="small" variant="quiet" onClick={() => onChange(getNamedPeriod(name, now_ms))}>
            {t(`transparency.period.${name}`)}
          </Button>
        ))}
        <ExportButtons isDisabled={isRejected} download={(format) => downloadReport(api, period, format)} />
      </div>
    </Card>
  );
}
