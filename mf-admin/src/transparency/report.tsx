import type { TransparencyReport } from '@alpenglow/domain/contracts';
import { Card, useLocale } from '@alpenglow/ui';
import type en from '../locales/en.json';
import { FigureTable } from './figure-table.tsx';
import { useText } from '../text.ts';
import styles from './transparency.module.css';

const MINUTE_s = 60;
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', MINUTE_s],
] as const;

/** Shows the transparency report of a period as tables. */
export function Report({ report }: { readonly report: TransparencyReport }) {
  const t = useText();
  // Returns the text that the moderation pages show for an id. If there is no text, returns the id.
  const translate = (kind: 'kind' | 'reason' | 'rule' | 'outcome', id: string) =>
    t(`moderation.${kind}.${id}` as keyof typeof en);
  const { reports, decisions, timeToDecision, appeals, erasures, removals, identityChecks } = report;
  const { timeToRemoval } = removals;
  return (
    <>
      <div className={styles['figures']}>
        <Figure label={t('transparency.reports')} value={sum(reports)} />
        <Figure label={t('transparency.decisions')} value={sum(decisions)} />
        <Figure label={t('transparency.halfDecided')} value={timeToDecision.halfWithin_s} isDuration />
        <Figure label={t('transparency.appeals')} value={appeals.filed} />
        <Figure label={t('transparency.halfAppeals')} value={appeals.timeToDecision.halfWithin_s} isDuration />
        <Figure label={t('transparency.erased')} value={erasures.completed} />
        <Figure label={t('transparency.removals')} value={removals.requested} />
        <Figure label={t('transparency.halfRemoved')} value={timeToRemoval.halfWithin_s} isDuration />
        <Figure label={t('transparency.mostRemoved')} value={timeToRemoval.mostWithin_s} isDuration />
        <Figure label={t('transparency.longestRemoval')} value={timeToRemoval.longest_s} isDuration />
      </div>
      <FigureTable
        title={t('transparency.reportsBy')}
        columns={[t('transparency.subject'), t('field.reason')]}
        rows={reports.map(({ subject, reason, count }) => ({
          labels: [translate('kind', subject), translate('reason', reason)],
          count,
        }))}
      />
      <FigureTable
        title={t('transparency.decisionsBy')}
        columns={[
          t('transparency.subject'),
          t('transparency.outcome'),
          t('moderation.ruleLabel'),
          t('transparency.decidedBy'),
        ]}
        rows={decisions.map(({ subject, outcome, rule, isAutomated, count }) => ({
          labels: [
            translate('kind', subject),
            translate('outcome', outcome),
            translate('rule', rule),
            t(isAutomated ? 'moderation.automated' : 'transparency.byPerson'),
          ],
          count,
        }))}
      />
      <FigureTable
        title={t('transparency.appealsBy')}
        columns={[t('transparency.outcome')]}
        rows={appeals.decided.map(({ outcome, count }) => ({ labels: [t(`transparency.appeal.${outcome}`)], count }))}
      />
      <FigureTable
        title={t('nav.removals')}
        columns={[t('transparency.outcome')]}
        rows={removals.decided.map(({ outcome, count }) => ({ labels: [t(`transparency.removal.${outcome}`)], count }))}
      />
      <FigureTable
        title={t('transparency.erasuresBy')}
        columns={[t('transparency.askedBy')]}
        rows={erasures.asked.map(({ by, count }) => ({ labels: [t(`transparency.erasure.${by}`)], count }))}
      />
      <FigureTable
        title={t('nav.identity')}
        columns={[t('transparency.outcome')]}
        rows={identityChecks.map(({ outcome, count }) => ({ labels: [t(`transparency.check.${outcome}`)], count }))}
      />
    </>
  );
}

const sum = (rows: readonly { readonly count: number }[]) => rows.reduce((total, { count }) => total + count, 0);

/** An important number with its label. */
function Figure({
  label,
  value,
  isDuration = false,
}: {
  readonly label: string;
  readonly value: number | null;
  readonly isDuration?: boolean;
}) {
  const locale = useLocale();
  const shown = value === null ? '–' : isDuration ? durationText(locale, value) : value.toLocaleString(locale);
  return (
    <Card className={styles['figure']}>
      <p>{label}</p>
      <strong>{shown}</strong>
    </Card>
  );
}

function durationText(locale: string, seconds: number): string {
  const [unit, length_s] = UNITS.find(([, one_s]) => seconds >= one_s) ?? (['minute', MINUTE_s] as const);
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.round(seconds / length_s),
  );
}
