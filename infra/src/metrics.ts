import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = Registry;

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
  return { observe: (method, status, duration_s) => duration.observe({ method, status: `${Math.floor(status / 100)}xx` }, duration_s) };
}

/** A gauge read whenever the metrics are scraped. */
export function gauge(registry: Metrics, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
