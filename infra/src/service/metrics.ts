import { setTimeout as pause } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = Registry;

/**
 * The maximum time to read the value of a metric, so that a request for the metrics does not wait for an unreachable
 * backing service.
 */
const READ_TIMEOUT_ms = 2_000;

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
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to respond to a request',
    labelNames: ['method', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
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

/** Registers a counter with labels, of which the caller can forget values, so that their number remains limited. */
export function registerForgettingCounter<Label extends string>(
  registry: Metrics,
  name: string,
  help: string,
  labels: readonly Label[],
) {
  const metric = new Counter({ name, help, registers: [registry], labelNames: labels });
  return {
    count: (values: Readonly<Record<Label, string>>): void => metric.inc({ ...values }),
    forget: (values: Readonly<Record<Label, string>>): void => metric.remove({ ...values }),
  };
}

/** Registers a histogram with labels and the given upper limits. Returns a function that adds a value. */
export function registerHistogram<Label extends string>(
  registry: Metrics,
  name: string,
  help: string,
  labels: readonly Label[],
  limits: readonly number[],
): (values: Readonly<Record<Label, string>>, value: number) => void {
  const metric = new Histogram({ name, help, registers: [registry], labelNames: labels, buckets: [...limits] });
  return (values, value) => metric.observe({ ...values }, value);
}

/**
 * Registers a metric whose value is the result of `read`. `read` is called whenever the metrics are requested. With
 * `label`, the metric has one value for each label value. If `read` fails, the metric has no value in this response.
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
  new Gauge({
    name,
    help,
    registers: [registry],
    labelNames: label === undefined ? [] : [label],
    async collect() {
      this.reset();
      const readings = await Promise.race([read(), pause(READ_TIMEOUT_ms, {}, { ref: false })]).catch(() => ({}));
      if (typeof readings === 'number') this.set(readings);
      else for (const [value, reading] of Object.entries(readings)) this.set({ [label ?? name]: value }, reading);
    },
  });
}
