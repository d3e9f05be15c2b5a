import { createEventsPage } from './events-page.ts';
import { createGoalsPage } from './goals-page.ts';
import { createMetricsPage } from './metrics-page.ts';
import { createPrometheusRule } from './prometheus-rule.ts';

/** The generated documents: functions that return their text, by the path in the repository. */
export const PAGES: Readonly<Record<string, (root: string) => string>> = {
  'docs/events-and-read-models.md': createEventsPage,
  'docs/metrics.md': createMetricsPage,
  'docs/scaling.md': createGoalsPage,
  'infra/deploy/k8s/monitoring/prometheus-rule.yaml': createPrometheusRule,
};
