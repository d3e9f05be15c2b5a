import { setTimeout as pause } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = Registry;

/** A figure that takes longer is left out: a scrape must not hang on an engine that is gone. */
const READ_LIMIT_ms = 2_000;

export interface HttpMetrics {
  observe(method: string, status: number, duration_s: number): void;
}

/** A process's Prometheus registry, with Node's own figures in it. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Request counts and latencies by method and status class. */
export function httpMetrics(registry: Metrics): HttpMetrics {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  return {
    observe: (method, status, duration_s) =>
      duration.observe({ method, status: `${Math.floor(status / 100)}xx` }, duration_s),
  };
}

/** A count by labels; what it answers adds one. */
export function counter<Label extends string>(
  registry: Metrics,
  name: string,
  help: string,
  labels: readonly Label[],
): (values: Readonly<Record<Label, string>>) => void {
  const metric = new Counter({ name, help, registers: [registry], labelNames: labels });
  return (values) => metric.inc({ ...values });
}

/**
 * A gauge read whenever the metrics are scraped; with a label, one figure for each of its values. Without a figure (the engine it is
 * asked of may be gone) the gauge is left out of that scrape.
 */
export function gauge(registry: Metrics, name: string, help: string, read: () => number): void;
export function gauge(
  registry: Metrics,
  name: string,
  help: string,
  read: () => Promise<Readonly<Record<string, number>>>,
  label: string,
): void;
export function gauge(
  registry: Metrics,
  name: string,
  help: string,
  read: () => number | Promise<Readonly<Record<string, number>>>,
  label?: string,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    labelNames: label === undefined ? [] : [label],
    async collect() {
      this.reset();
      const figures = await Promise.race([read(), pause(READ_LIMIT_ms, {}, { ref: false })]).catch(() => ({}));
      if (typeof figures === 'number') this.set(figures);
      else for (const [value, figure] of Object.entries(figures)) this.set({ [label ?? name]: value }, figure);
    },
  });
}
