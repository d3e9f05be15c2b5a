import {
  createFrontEndMetrics,
  createHttpMetrics,
  createLimitRecorder,
  createLogger,
  createMetrics,
  registerCertificateMetrics,
  registerDiskMetrics,
  registerMailMetrics,
  registerQueueMetrics,
  registerReadMetrics,
  type Metrics,
} from '@alpenglow/infra';
import { registerGatewayMetrics } from '@alpenglow/infra/gateway-metrics';
import { registerProjectorMetrics } from '@alpenglow/projectors';
import { registerQueryApiMetrics } from '@alpenglow/query-api';
import { registerCspMetrics, registerReleaseMetrics } from '@alpenglow/shell/server';

type Register = (metrics: Metrics) => unknown;

/** A stand-in for databases and services. Registering a metric does not read its value, so none of them is needed. */
const NEVER_READ = { serverNames: [] } as never;
const limits: Register = (metrics) => createLimitRecorder(metrics, createLogger('silent'));
/** The metrics of every process. */
const common: readonly Register[] = [createHttpMetrics, (metrics) => registerDiskMetrics(metrics, {})];

/** The functions with which each service registers its metrics. Tests compare the result with the running services. */
const SERVICES: Readonly<Record<string, readonly Register[]>> = {
  gateway: [...common, (metrics) => registerGatewayMetrics(metrics, NEVER_READ)],
  'command-api': [...common, limits],
  'query-api': [
    ...common,
    limits,
    createFrontEndMetrics,
    (metrics) => registerQueryApiMetrics(metrics, NEVER_READ),
    (metrics) => registerReadMetrics(metrics, NEVER_READ),
  ],
  projectors: [
    ...common,
    (metrics) => registerProjectorMetrics(metrics, NEVER_READ),
    (metrics) => registerQueueMetrics(metrics, NEVER_READ),
  ],
  workers: [...common, registerMailMetrics, (metrics) => registerCertificateMetrics(metrics, [])],
  decoder: [...common],
  shell: [...common, registerCspMetrics, registerReleaseMetrics],
};

/** Metrics that exist only with read replicas (DATABASE_READ_URLS). */
export const REPLICA_METRICS = ['read_replica_lag_seconds', 'read_replica_usable', 'read_statements_total'];

/** A metric, as its description in the Prometheus text format and its labels. */
export interface DescribedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Returns the metrics that a service registers itself, without the default metrics of Node. */
export function metricsOfService(service: string): readonly DescribedMetric[] {
  const metrics = createMetrics();
  const defaults = new Set(metrics.getMetricsAsArray().map(({ name }) => name));
  for (const register of SERVICES[service] ?? []) register(metrics);
  return metrics
    .getMetricsAsArray()
    .filter(({ name }) => !defaults.has(name))
    .map((metric) => {
      // The type declarations of prom-client omit the label names.
      const { name, type, help, labelNames } = metric as typeof metric & { readonly labelNames: readonly string[] };
      return { name, type: String(type), help, labels: labelNames };
    });
}

/** Returns docs/metrics.md, which lists the metrics of every service of this build. */
export function createMetricsPage(): string {
  const services = new Map<string, { readonly metric: DescribedMetric; readonly by: string[] }>();
  for (const service of Object.keys(SERVICES))
    for (const metric of metricsOfService(service)) {
      const entry = services.get(metric.name) ?? { metric, by: [] };
      entry.by.push(service);
      services.set(metric.name, entry);
    }
  const all = Object.keys(SERVICES).length;
  const rows = [...services.values()]
    .toSorted((one, other) => one.metric.name.localeCompare(other.metric.name, 'en'))
    .map(
      ({ metric: { name, type, help, labels }, by }) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ') || '–'} | ` +
        `${by.length === all ? 'all' : by.join(', ')} | ${help} |`,
    );
  return `# Metrics

\`npm run docs\` generates this page from the code. Tests compare it with the running services.

Each service serves its metrics at \`/metrics\` in the text format of Prometheus, with \`METRICS_TOKEN\`
([configuration.md](configuration.md)). \`npm start\` has the metrics of all services in one process, except
those of the gateway and the decoder. Every process also has the default metrics of Node (\`process_*\`,
\`nodejs_*\`). [operations.md](operations.md#alarms) explains the alarms. \`read_…\` exist only with
\`DATABASE_READ_URLS\`.

| metric | type | labels | services | meaning |
|---|---|---|---|---|
${rows.join('\n')}
`;
}
