import type { PartResult } from './run-part.ts';

/** The part of a result that a later run needs. */
export interface PartSummary {
  readonly seed: number;
  readonly operations: number;
  readonly anomalies: number;
}

function countBy(items: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts]
    .sort()
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

/** Returns the report about one part as lines, and its summary. */
export function summarize(result: PartResult, page: string): { lines: readonly string[]; summary: PartSummary } {
  const { seed, calls, disruptions, anomalies } = result;
  const losses = disruptions.filter(({ loses }) => loses);
  const lost_ms = losses.reduce((all, { start_ms, end_ms }) => all + end_ms - start_ms, 0);
  const lines = [
    `seed ${seed}, ${Math.round((result.end_ms - result.start_ms) / 1000)} s`,
    ...result.missing.map((line) => `  not used: ${line}`),
    `  operations ${calls.length}: ${countBy(calls.map(({ kind, outcome }) => `${kind} ${outcome}`))}`,
    `  events ${result.events}, reads after a write ${result.reads}, live messages ${result.liveMessages}, ` +
      `mails ${result.letters}, erased people ${result.erased}, checks during the load ${result.checks}`,
    `  disruptions ${disruptions.length}: ${countBy(disruptions.map(({ kind }) => kind))}`,
    ...(losses.length > 0
      ? [`  ${losses.length} times commits were lost on purpose; calls of these ${lost_ms} ms may be missing`]
      : []),
    `  timeline: ${page}`,
    `  anomalies ${anomalies.length}`,
    ...anomalies.flatMap(({ check, message, evidence }) => [
      `  ${check}: ${message}`,
      ...evidence.map((line) => `    ${line.slice(0, 400)}`),
    ]),
  ];
  return { lines, summary: { seed, operations: calls.length, anomalies: anomalies.length } };
}
