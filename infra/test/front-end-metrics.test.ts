import { expect, it } from 'vitest';
import { createFrontEndMetrics } from '../src/service/front-end-metrics.ts';
import { createMetrics } from '../src/service/metrics.ts';

it('the metric shows the ten builds with the newest errors, and forgets earlier ones', async () => {
  const registry = createMetrics();
  const { countError } = createFrontEndMetrics(registry);
  for (let build = 1; build <= 10; build++) {
    countError('mf-listings', `build-${build}`, 'load');
    countError('mf-listings', `build-${build}`, 'chunk');
  }
  countError('mf-listings', 'build-1', 'load');
  countError('mf-listings', 'build-11', 'load');
  const builds = (await registry.metrics()).split('\n').flatMap((line) => /build="([^"]*)"/u.exec(line)?.[1] ?? []);
  expect(new Set(builds)).toEqual(new Set([1, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((number) => `build-${number}`)));
  expect(await registry.metrics()).toMatch(/build="build-1",kind="load"\} 2/u);
});
