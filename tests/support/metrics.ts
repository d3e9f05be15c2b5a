import { expect } from 'vitest';
import { metricsOfService, REPLICA_METRICS } from '../../launcher/docs/metrics-page.ts';
import { METRICS_TOKEN } from './product.ts';

/** Default metrics of Node, which docs/metrics.md does not list. */
const DEFAULT = /^(?:process|nodejs)_/u;

/**
 * Fetches the metrics of a running process with the token of the tests, and compares their names, types and help with
 * those that docs/metrics.md lists for these services. Read replicas are not configured.
 */
export async function expectDocumentedMetrics(url: string, services: readonly string[]): Promise<void> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  expect(response.status).toBe(200);
  const text = await response.text();
  const served = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \1 (\S+)$/gmu)]
    .map(([, name = '', help = '', type = '']) => ({ name, help, type }))
    .filter(({ name }) => !DEFAULT.test(name));
  const documented = new Map(
    services
      .flatMap(metricsOfService)
      .filter(({ name }) => !REPLICA_METRICS.includes(name))
      .map(({ name, help, type }) => [name, { name, help, type }]),
  );
  const byName = (one: { readonly name: string }, other: { readonly name: string }) => (one.name < other.name ? -1 : 1);
  expect(served.toSorted(byName)).toEqual([...documented.values()].sort(byName));
}
