import { BlobStoreUnavailable } from '@alpenglow/domain';
import { createLogger } from '@alpenglow/infra';
import { expect, test, vi } from 'vitest';
import type { seedHousePictures } from '../src/index.ts';
import { seedThroughOutages } from '../src/seed-through-outages.ts';

type Seed = typeof seedHousePictures;
const deps = {} as Parameters<Seed>[0];
const signal = new AbortController().signal;

function watchedLog() {
  const log = createLogger('silent');
  return { log, warn: vi.spyOn(log, 'warn'), error: vi.spyOn(log, 'error') };
}

test('while an engine is away it is tried again, and the log hears of it once', async () => {
  const { log, warn, error } = watchedLog();
  const away = new BlobStoreUnavailable('away');
  const seed = vi
    .fn<Seed>()
    .mockRejectedValueOnce(away)
    .mockRejectedValueOnce(away)
    .mockRejectedValueOnce(away)
    .mockResolvedValue();
  await seedThroughOutages(deps, log, signal, { againAfter_ms: 1, seed });
  expect(seed).toHaveBeenCalledTimes(4);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]?.[0]).toEqual({ err: away });
  expect(error).not.toHaveBeenCalled();
});

test('what does not pass is told, and not tried again', async () => {
  const { log, error } = watchedLog();
  const mistake = new TypeError('x is not a function');
  const seed = vi.fn<Seed>().mockRejectedValue(mistake);
  await seedThroughOutages(deps, log, signal, { againAfter_ms: 1, seed });
  expect(seed).toHaveBeenCalledTimes(1);
  expect(error.mock.calls.map(([fields]) => fields)).toEqual([{ err: mistake }]);
});
