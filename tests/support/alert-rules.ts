/** Reads the alert rules in `infra/deploy` and evaluates them on recorded metrics. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { evaluate, parseDuration_s, type Labels, type Sample, type Series, type Value } from './promql.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../infra/deploy');
/** The files with rules. The rules of the second one are only for several machines. */
export const RULE_FILES = ['alerts.yaml', 'alerts-cluster.yaml'] as const;

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  /** The time for which the expression must have results before the alert is sent. */
  readonly for?: string;
  readonly labels: Labels;
  readonly annotations: Labels;
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly AlertRule[];
}

export const readDeployFile = (file: string): unknown => parse(readFileSync(path.join(FOLDER, file), 'utf8'));

/** Returns the groups of rules in a file of `infra/deploy`. */
export const groupsIn = (file: string): readonly RuleGroup[] =>
  (readDeployFile(file) as { readonly groups: readonly RuleGroup[] }).groups;

/** Returns all rules. */
export const readRules = (): readonly AlertRule[] =>
  RULE_FILES.flatMap((file) => groupsIn(file).flatMap(({ rules }) => rules));

/**
 * Returns the labels of the alerts that a rule sends at a time. The rule is evaluated every `interval_s` from the time
 * 0 on, as Prometheus does.
 */
export function findAlerts(
  { alert, expr, for: wait = '0s', labels: ofRule }: AlertRule,
  series: readonly Series[],
  at_s: number,
  interval_s = 60,
): readonly Labels[] {
  const active = (time_s: number) => {
    const result = evaluate(expr, series, time_s);
    if (typeof result === 'number') throw new Error(`The rule ${alert} has a number as its result`);
    return result.map(({ labels }) => ({ ...labels, ...ofRule, alertname: alert }));
  };
  const keyOf = (labels: Labels) => JSON.stringify(Object.entries(labels).sort());
  const since_s = Math.floor((at_s - parseDuration_s(wait)) / interval_s) * interval_s;
  if (since_s < 0) return [];
  const steps = Array.from(
    { length: Math.floor((at_s - since_s) / interval_s) + 1 },
    (_, step) => since_s + step * interval_s,
  );
  const times = steps.map((time_s) => new Set(active(time_s).map(keyOf)));
  return active(at_s).filter((labels) => times.every((keys) => keys.has(keyOf(labels))));
}

/** Parses a response of `/metrics`. */
export function parseMetrics(text: string): readonly Value[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/u.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/gu)].map(
      ([, label = '', escaped = '']) =>
        [label, escaped.replaceAll(/\\(.)/gu, (_, char: string) => (char === 'n' ? '\n' : char))] as const,
    );
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value.replace('Inf', 'Infinity')) }];
  });
}

/** The metrics of several processes at several times, as Prometheus stores them. */
export interface Recording {
  /**
   * Adds the response of a process to a request for its metrics, or null if it has not responded. The labels of the
   * process are added to each value. Times must increase.
   */
  add(process: Labels, at_s: number, text: string | null): void;
  series(): readonly Series[];
}

/** Creates an empty recording. A series that is missing in a later response ends there, as in Prometheus. */
export function createRecording(): Recording {
  const all = new Map<string, { name: string; labels: Labels; process: string; samples: Sample[] }>();
  return {
    add(process, at_s, text) {
      const ofProcess = JSON.stringify(process);
      const values = [
        ...(text === null ? [] : parseMetrics(text)),
        { name: 'up', labels: {}, value: text === null ? 0 : 1 },
      ];
      const present = new Set<string>();
      for (const { name, labels: own, value } of values) {
        const labels = { ...own, ...process };
        const key = JSON.stringify([name, Object.entries(labels).sort()]);
        present.add(key);
        const series = all.get(key) ?? { name, labels, process: ofProcess, samples: [] };
        all.set(key, series);
        series.samples.push({ at_s, value });
      }
      for (const [key, { process: owner, samples }] of all)
        if (owner === ofProcess && !present.has(key) && samples.at(-1)?.value !== null)
          samples.push({ at_s, value: null });
    },
    series: () => [...all.values()],
  };
}

/** Returns the series of the notation of `promtool test rules`, e.g. `up{job="a"}` with the values `1x3 _ 0+2x5`. */
export function parseInputSeries(series: string, values: string, interval_s: number): Series {
  const [parsed] = parseMetrics(`${series} 0`);
  if (!parsed) throw new Error(`${series} is not a series`);
  const samples = values
    .trim()
    .split(/\s+/u)
    .flatMap((part): readonly (number | null | undefined)[] => {
      const [, blanks, first, step = '+0', repeats] =
        /^(?:_(?:x(\d+))?|(-?[\d.]+)([+-][\d.]+)?(?:x(\d+))?|stale)$/u.exec(part) ?? [];
      if (part === 'stale') return [null];
      if (part.startsWith('_')) return Array.from({ length: Number(blanks ?? 1) }, () => undefined);
      if (first === undefined) throw new Error(`${part} is not supported in the values of a series`);
      // `1x3` is 1, and then three more values.
      return Array.from({ length: Number(repeats ?? 0) + 1 }, (_, index) => Number(first) + index * Number(step));
    })
    .flatMap((value, index) => (value === undefined ? [] : [{ at_s: index * interval_s, value }]));
  return { name: parsed.name, labels: parsed.labels, samples };
}
