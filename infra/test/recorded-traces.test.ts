import { expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '../src/service/logger.ts';
import { beginsTrace, startTracing } from '../src/tracing/tracing.ts';

async function trace(share: number): Promise<void> {
  const tracing = { url: 'http://127.0.0.1:9/v1/traces', headers: {}, share };
  onTestFinished(await startTracing({ tracing }, { service: 'test', version: '1', log: createLogger('silent') }));
}

test('a process without a collector begins no trace', () => {
  expect(beginsTrace()).toBe(false);
});

test('a share of all traces is recorded, chosen at random', async () => {
  await trace(0.25);
  const random = vi.spyOn(Math, 'random');
  onTestFinished(() => random.mockRestore());
  random.mockReturnValue(0.24);
  expect(beginsTrace()).toBe(true);
  random.mockReturnValue(0.25);
  expect(beginsTrace()).toBe(false);
});

test.each([
  [0, 0],
  [1, 100],
])('a share of %d records %d of 100 traces', async (share, expected) => {
  await trace(share);
  expect(Array.from({ length: 100 }, beginsTrace).filter(Boolean)).toHaveLength(expected);
});
