import type { TransparencyReport } from '@alpenglow/domain';
import { stringify } from 'csv-stringify/sync';

const COLUMNS = ['from', 'to', 'measure', 'subject', 'reason', 'outcome', 'rule', 'automated', 'value'] as const;
type Figure = readonly [
  measure: string,
  value: number | null,
  of?: {
    readonly subject?: string;
    readonly reason?: string;
    readonly outcome?: string;
    readonly rule?: string;
    readonly automated?: boolean;
  },
];

/** Converts the transparency report to CSV with one row for each number. */
export function createReportCsv(report: TransparencyReport): string {
  const rows = listFigures(report).map(([measure, value, { subject, reason, outcome, rule, automated } = {}]) => [
    report.from,
    report.to,
    measure,
    subject,
    reason,
    outcome,
    rule,
    automated,
    value,
  ]);
  const csv = stringify([[...COLUMNS], ...rows], {
    escape_formulas: true,
    record_delimiter: '\r\n',
    cast: { boolean: String },
  });
  return `\uFEFF${csv}`;
}

function listFigures({
  reports,
  decisions,
  timeToDecision,
  appeals,
  erasures,
  removals,
  identityChecks,
}: TransparencyReport): readonly Figure[] {
  return [
    ...reports.map(({ count, ...of }): Figure => ['reports', count, of]),
    ...decisions.map(
      ({ count, isAutomated, ...of }): Figure => ['decisions', count, { ...of, automated: isAutomated }],
    ),
    ['decisions_half_within_s', timeToDecision.halfWithin_s],
    ['appeals', appeals.filed],
    ...appeals.decided.map(({ count, outcome }): Figure => ['appeals_decided', count, { outcome }]),
    ['appeals_half_within_s', appeals.timeToDecision.halfWithin_s],
    ...erasures.asked.map(({ count, by }): Figure => ['erasures_asked', count, { outcome: by }]),
    ['erasures_completed', erasures.completed],
    ['removals_requested', removals.requested],
    ...removals.decided.map(({ count, outcome }): Figure => ['removals_decided', count, { outcome }]),
    ['removals_completed', removals.timeToRemoval.count],
    ['removals_half_within_s', removals.timeToRemoval.halfWithin_s],
    ['removals_95_percent_within_s', removals.timeToRemoval.mostWithin_s],
    ['removals_longest_s', removals.timeToRemoval.longest_s],
    ...identityChecks.map(({ count, outcome }): Figure => ['identity_checks', count, { outcome }]),
  ];
}
