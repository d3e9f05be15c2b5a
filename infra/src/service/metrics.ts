import { setTimeout as pause } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = Registry;

/**
 * The maximum time to read the value of a metric, so that a request for the metrics does not wait for an unreachable
 * backing service.
 */
const READ_TIMEOUT_ms = 2_000;
/** The upper limits of the histograms of requests. */
export const REQUEST_LIMITS_s: readonly number[] = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];

export type HttpMetrics = ReturnType<typeof createHttpMetrics>;

/** Creates the Prometheus registry of a process, which contains the default metrics of Node.js. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/**
 * Registers a histogram of the durations of requests, by HTTP method and class of the status code, e.g. `2xx`, and a
 * counter of the requests that the fair queue has rejected.
 */
export function createHttpMetrics(registry: Metrics) {
  const duration = registerHistogram(
    registry,
    'http_request_duration_seconds',
    'Time to respond to a request',
    ['method', 'status'],
    REQUEST_LIMITS_s,
  );
  // With a first value, the alarm about errors notices those between the start and the first scrape after them.
  for (const method of ['GET', 'POST']) for (const status of ['2xx', '5xx']) duration.show({ method, status });
  const busy = new Counter({
    name: 'busy_requests_total',
    help: 'Requests that were rejected because their network sends too many expensive requests',
    registers: [registry],
  });
  return {
    countBusy: (): void => busy.inc(),
    observe: (method: string, status: number, duration_s: number): void =>
      duration.observe({ method, status: `${Math.floor(status / 100)}xx` }, duration_s),
  };
}

/**
 * Registers a counter with labels. Returns a function that adds one to the counter. The counter starts at 0 for the
 * label values in `known`. Without a first value, an alarm about an increase would miss the first event.
 */
export function registerCounter<Label extends string>(
  registry: Metrics,
  name: string,
  help: string,
  labels: readonly Label[],
  known: readonly Readonly<Record<Label, string>>[] = [],
): (values: Readonly<Record<Label, string>>) => void {
  const metric = new Counter({ name, help, registers: [registry], labelNames: labels });
  for (const values of known) metric.inc({ ...values }, 0);
  return (values) => metric.inc({ ...values });
}

/**
 * Registers a counter with labels, of which the caller can forget values, so that their number remains limited. `show`
 * adds a value of 0, so that an alarm about an increase notices the first event.
 */
export function registerForgettingCounter<Label extends string>(
  registry: Metrics,
  name: string,
  help: string,
  labels: readonly Label[],
) {
  const metric = new Counter({ name, help, registers: [registry], labelNames: labels });
  return {
    show: (values: Readonly<Record<Label, string>>): void => metric.inc({ ...values }, 0),
    count: (values: Readonly<Record<Label, string>>): void => metric.inc({ ...values }),
    forget: (values: Readonly<Record<Label, string>>): void => metric.remove({ ...values }),
  };
}

/**
 * Registers a histogram with labels and the given upper limits. The caller can forget values of labels, so that their
 * number remains limited. `show` adds a value of 0, so that an alarm about an increase notices the first event.
 */
export function registerHistogram<Label extends string>(
  registry: Metrics,
  name: string,
  help: string,
  labels: readonly Label[],
  limits: readonly number[],
) {
  const metric = new Histogram({ name, help, registers: [registry], labelNames: labels, buckets: [...limits] });
  return {
    show: (values: Readonly<Record<Label, string>>): void => metric.zero({ ...values }),
    observe: (values: Readonly<Record<Label, string>>, value: number): void => metric.observe({ ...values }, value),
    forget: (values: Readonly<Record<Label, string>>): void => metric.remove({ ...values }),
  };
}

/** Reads the value of the metric `name`. Returns null if this fails or takes too long. */
export type ReadMetric = <T>(name: string, read: () => T | Promise<T>) => Promise<T | null>;

/**
 * Returns the function that reads the values of metrics. The metric `metrics_unreadable` shows the result of the last
 * read of each, because a metric without values looks like one that has nothing to report.
 */
export function createMetricReader(registry: Metrics): ReadMetric {
  const unreadable =
    (registry.getSingleMetric('metrics_unreadable') as Gauge<'metric'> | undefined) ??
    new Gauge({
      name: 'metrics_unreadable',
      help: '1 if the value of a metric could not be read for the last response, and 0 otherwise',
      registers: [registry],
      labelNames: ['metric'],
    });
  return async (name, read) => {
    const readings = await Promise.race([
      Promise.resolve().then(read),
      pause(READ_TIMEOUT_ms, null, { ref: false }),
    ]).catch(() => null);
    unreadable.set({ metric: name }, readings === null ? 1 : 0);
    return readings;
  };
}

/**
 * Registers a metric whose value is the result of `read`. `read` is called whenever the metrics are requested. With
 * `label`, the metric has one value for each label value. If `read` fails, the metric has no value in this response,
 * and the metric `metrics_unreadable` names it.
 */
export function registerGauge(
  registry: Metrics,
  name: string,
  help: string,
  read: () => number | Promise<number>,
): void;
export function registerGauge(
  registry: Metrics,
  name: string,
  help: string,
  read: () => Promise<Readonly<Record<string, number>>>,
  label: string,
): void;
export function registerGauge(
  registry: Metrics,
  name: string,
  help: string,
  read: () => number | Promise<number> | Promise<Readonly<Record<string, number>>>,
  label?: string,
): void {
  const readMetric = createMetricReader(registry);
  new Gauge({
    name,
    help,
    registers: [registry],
    labelNames: label === undefined ? [] : [label],
    async collect() {
      const readings = await readMetric<number | Readonly<Record<string, number>>>(name, read);
      this.reset();
      // A gauge without labels would have the value 0.
      if (readings === null && label === undefined) this.remove();
      if (typeof readings === 'number') this.set(readings);
      else for (const [value, reading] of Object.entries(readings ?? {})) this.set({ [label ?? name]: value }, reading);
    },
  });
}
