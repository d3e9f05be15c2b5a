import { BlobStoreUnavailable, DomainError } from '@alpenglow/domain';
import { createLogger } from '@alpenglow/infra';
import { expect, test, vi } from 'vitest';
import type { seedStockPictures } from '../src/index.ts';
import { seedStockPicturesWithRetry } from '../src/seed-stock-pictures-with-retry.ts';

type Seed = typeof seedStockPictures;
const deps = {} as Parameters<Seed>[0];
const signal = new AbortController().signal;

function watchedLog() {
  const log = createLogger('silent');
  return { log, warn: vi.spyOn(log, 'warn'), error: vi.spyOn(log, 'error') };
}

test('retries while a backing service is unavailable, and logs the first failure only', async () => {
  const { log, warn, error } = watchedLog();
  const unavailable = new BlobStoreUnavailable('away');
  const seed = vi
    .fn<Seed>()
    .mockRejectedValueOnce(unavailable)
    .mockRejectedValueOnce(unavailable)
    .mockRejectedValueOnce(unavailable)
    .mockResolvedValue();
  await seedStockPicturesWithRetry(deps, 12, log, signal, { againAfter_ms: 1, seed });
  expect(seed).toHaveBeenCalledTimes(4);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]?.[0]).toEqual({ err: unavailable });
  expect(error).not.toHaveBeenCalled();
});

test('logs a permanent error and does not retry', async () => {
  const { log, error } = watchedLog();
  const permanent = new TypeError('x is not a function');
  const seed = vi.fn<Seed>().mockRejectedValue(permanent);
  await seedStockPicturesWithRetry(deps, 12, log, signal, { againAfter_ms: 1, seed });
  expect(seed).toHaveBeenCalledTimes(1);
  expect(error.mock.calls.map(([fields]) => fields)).toEqual([{ err: permanent }]);
});

test('retries without a log entry while another process seeds the same pictures', async () => {
  const { log, warn, error } = watchedLog();
  const seed = vi.fn<Seed>().mockRejectedValueOnce(new DomainError('CONFLICT')).mockResolvedValue();
  await seedStockPicturesWithRetry(deps, 12, log, signal, { againAfter_ms: 1, seed });
  expect(seed).toHaveBeenCalledTimes(2);
  expect([...warn.mock.calls, ...error.mock.calls]).toEqual([]);
});

test('logs a conflict that remains', async () => {
  const { log, error } = watchedLog();
  const conflict = new DomainError('CONFLICT');
  const seed = vi.fn<Seed>().mockRejectedValue(conflict);
  await seedStockPicturesWithRetry(deps, 12, log, signal, { againAfter_ms: 1, seed });
  expect(seed).toHaveBeenCalledTimes(5);
  expect(error.mock.calls.map(([fields]) => fields)).toEqual([{ err: conflict }]);
});
