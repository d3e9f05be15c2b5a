import { expect, it } from 'vitest';
import { createFrontEndMetrics } from '../src/service/front-end-metrics.ts';
import { createMetrics } from '../src/service/metrics.ts';

it('the metrics show the ten builds with the newest reports, and forget earlier ones', async () => {
  const registry = createMetrics();
  const { countError, countView, observeVital } = createFrontEndMetrics(registry);
  for (let build = 1; build <= 10; build++) {
    countError('mf-listings', `build-${build}`, 'load');
    countError('mf-listings', `build-${build}`, 'chunk');
    countView('mf-listings', `build-${build}`, 'started');
    observeVital('mf-listings', `build-${build}`, 'lcp', 1_000);
  }
  countError('mf-listings', 'build-1', 'load');
  countError('mf-listings', 'build-11', 'load');
  const builds = (await registry.metrics()).split('\n').flatMap((line) => /build="([^"]*)"/u.exec(line)?.[1] ?? []);
  expect(new Set(builds)).toEqual(new Set([1, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((number) => `build-${number}`)));
  const metrics = await registry.metrics();
  expect(metrics).toMatch(/build="build-1",kind="load"\} 2/u);
  expect(metrics).toContain('front_end_views_total{front_end="mf-listings",build="build-1",state="started"} 1');
  expect(metrics).toMatch(/paint_seconds_bucket\{le="1",front_end="mf-listings",build="build-3"\} 1/u);
});
