import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { metricsOfService } from '../../launcher/docs/metrics-page.ts';
import {
  findAlerts,
  groupsIn,
  parseInputSeries,
  readDeployFile,
  readRules,
  RULE_FILES,
} from '../support/alert-rules.ts';
import { metricsIn, parseDuration_s, type Labels } from '../support/promql.ts';
import { imageEnv, read, SERVICES } from './deploy-files.ts';

/** Checks the alert rules of Prometheus (decision 0125). */

const rules = readRules();
const names = [...new Set(rules.map(({ alert }) => alert))];

/** The services that have each metric. `up` belongs to Prometheus itself. */
const servicesOf = new Map<string, string[]>();
for (const service of SERVICES)
  for (const { name, type } of metricsOfService(service))
    for (const series of type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => name + end) : [name])
      servicesOf.set(series, [...(servicesOf.get(series) ?? []), service]);

interface RuleTest {
  readonly name: string;
  readonly interval: string;
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly alert_rule_test: readonly {
    readonly eval_time: string;
    readonly alertname: string;
    readonly exp_alerts: readonly { readonly exp_labels: Labels; readonly exp_annotations: Labels }[];
  }[];
}
const file = readDeployFile('alerts.test.yaml') as {
  readonly rule_files: readonly string[];
  readonly evaluation_interval: string;
  readonly tests: readonly RuleTest[];
};

/** Returns the labels and annotations of the alerts with a name at a time, as promtool compares them. */
function alertsOf({ input_series, interval }: RuleTest, alertname: string, at: string) {
  const series = input_series.map((input) => parseInputSeries(input.series, input.values, parseDuration_s(interval)));
  return rules
    .filter(({ alert }) => alert === alertname)
    .flatMap((rule) =>
      findAlerts(rule, series, parseDuration_s(at), parseDuration_s(file.evaluation_interval)).map(
        ({ alertname: _, ...labels }) => ({ exp_labels: labels, exp_annotations: rule.annotations }),
      ),
    );
}

const sorted = (alerts: readonly unknown[]) => alerts.map((alert) => JSON.stringify(sortKeys(alert))).sort();
const sortKeys = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([one], [other]) => (one < other ? -1 : 1))
          .map(([key, inner]) => [key, sortKeys(inner)]),
      )
    : value;

describe('alerts.test.yaml', () => {
  it('tests the rules of both files', () => {
    expect(file.rule_files).toEqual(RULE_FILES);
  });

  it.each(file.tests)('$name', (ruleTest) => {
    for (const { alertname, eval_time, exp_alerts } of ruleTest.alert_rule_test) {
      expect(names).toContain(alertname);
      expect(sorted(alertsOf(ruleTest, alertname, eval_time)), eval_time).toEqual(sorted(exp_alerts));
    }
  });

  it.each(rules.map((rule) => [`${rule.alert} ${rule.expr}`, rule] as const))(
    'has a test in which %s sends an alert, and one in which it does not',
    (_, rule) => {
      const outcomes = file.tests.flatMap((ruleTest) =>
        ruleTest.alert_rule_test
          .filter(({ alertname }) => alertname === rule.alert)
          .map(({ exp_alerts }) =>
            exp_alerts.some(({ exp_labels }) =>
              Object.entries(rule.labels).every(([label, value]) => exp_labels[label] === value),
            ),
          ),
      );
      expect(new Set(outcomes)).toEqual(new Set([true, false]));
    },
  );
});

describe('the rules', () => {
  it.each(rules.map((rule) => [`${rule.alert} ${rule.expr}`, rule] as const))(
    '%s uses metrics that docs/metrics.md lists, and has a severity and a summary',
    (_, { expr, labels, annotations }) => {
      for (const metric of metricsIn(expr)) if (metric !== 'up') expect(servicesOf.has(metric), metric).toBe(true);
      expect(['warning', 'critical']).toContain(labels['severity']);
      expect(annotations['summary']).toMatch(/^[A-Z].*\.$/u);
    },
  );

  it.each(names)('%s is explained in docs/operations.md', (name) => {
    expect(read('docs/operations.md')).toMatch(new RegExp(`^\\|[^|]*\`${name}\``, 'mu'));
  });

  /** Metrics that have no values while all is well. Another metric of the same service shows that the service runs. */
  const WITHOUT_VALUES = ['parked_events', 'consumer_failing_seconds', 'front_end_errors_total', 'read_replica_usable'];
  const absent = rules.flatMap(({ alert, expr, labels }) =>
    alert === 'MetricMissing' ? [{ metric: metricsIn(expr)[0] ?? '', expr, labels }] : [],
  );

  it('notice the absence of each metric that only one service has', () => {
    const single = rules
      .filter(({ alert }) => alert !== 'MetricMissing')
      .flatMap(({ expr }) => metricsIn(expr))
      .filter((metric) => servicesOf.get(metric)?.length === 1);
    expect(new Set(single).size).toBeGreaterThan(10);
    for (const metric of single) {
      const [service] = servicesOf.get(metric) ?? [];
      const covering = absent.filter(({ labels }) => labels['service'] === service);
      expect(
        covering.some((rule) => rule.metric === metric || WITHOUT_VALUES.includes(metric)),
        metric,
      ).toBe(true);
    }
  });

  it('name the metric that is missing, and its only service', () => {
    expect(absent.length).toBeGreaterThan(8);
    for (const { metric, expr, labels } of absent) {
      expect(expr).toMatch(/^absent\([^()]+\)$/u);
      expect(labels).toMatchObject({ metric, service: (servicesOf.get(metric) ?? []).join() });
    }
  });

  it('notice that no process of a service runs', () => {
    const missing = rules.filter(({ alert }) => alert === 'ServiceMissing');
    expect(missing.map(({ labels }) => labels['service']).sort()).toEqual(SERVICES.toSorted());
    for (const { expr, labels } of missing)
      expect(expr).toBe(`absent(up{job="alpenglow",service="${labels['service'] ?? ''}"} == 1)`);
  });

  it('need the label "service" only in the file for several machines', () => {
    for (const { rules: ofOneMachine } of groupsIn('alerts.yaml'))
      for (const { expr } of ofOneMachine) expect(expr).not.toMatch(/service=|upstream_/u);
  });
});

interface ScrapeConfig {
  readonly rule_files: readonly string[];
  readonly scrape_configs: readonly {
    readonly job_name: string;
    readonly static_configs: readonly { readonly targets: readonly string[]; readonly labels?: Labels }[];
  }[];
}

describe('the configurations of Prometheus', () => {
  it('for Compose uses all rules, and names the service of each process', () => {
    const { rule_files, scrape_configs } = parse(read('infra/deploy/prometheus.yaml')) as ScrapeConfig;
    expect(rule_files).toEqual(RULE_FILES);
    expect(scrape_configs.map(({ job_name }) => job_name)).toEqual(['alpenglow']);
    const groups = scrape_configs.flatMap(({ static_configs }) => static_configs);
    expect(groups.map(({ labels }) => labels?.['service']).sort()).toEqual(SERVICES.toSorted());
    for (const { targets, labels } of groups)
      for (const target of targets)
        expect(target.replace(/-\d+(?=:)/u, '')).toBe(`${labels?.['service'] ?? ''}:${imageEnv['PORT'] ?? ''}`);
  });

  it('for one machine uses the rules that need no label', () => {
    const { rule_files, scrape_configs } = parse(read('infra/deploy/prometheus.production.yaml')) as ScrapeConfig;
    expect(rule_files).toEqual(['alerts.yaml']);
    expect(scrape_configs).toMatchObject([
      { job_name: 'alpenglow', static_configs: [{ targets: ['127.0.0.1:8080'] }] },
    ]);
  });
});

test('the resource for the Prometheus operator has all rules', () => {
  const resource = parse(read('infra/deploy/k8s/monitoring/prometheus-rule.yaml')) as { readonly spec: unknown };
  expect(resource).toMatchObject({ apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule' });
  expect(resource.spec).toEqual({ groups: RULE_FILES.flatMap(groupsIn) });
});
