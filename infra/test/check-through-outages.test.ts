import { BlobStoreUnavailable } from '@alpenglow/domain';
import { afterEach, expect, test, vi } from 'vitest';
import { checkThroughOutages } from '../src/check-through-outages.ts';
import { createClosing } from '../src/closing.ts';
import { ConfigurationError } from '../src/config.ts';
import { createLogger } from '../src/logger.ts';
import { eventually } from '../../tests/support/eventually.ts';

const log = createLogger('silent');
const closing = createClosing();
afterEach(() => closing.closeAll());
const away = new BlobStoreUnavailable('away');
const wrong = new ConfigurationError('S3_BUCKET: is no name for a bucket');

function checking(check: () => Promise<void>) {
  const onUnusable = vi.fn();
  return { started: checkThroughOutages('S3', check, { log, onStop: closing.add, onUnusable }), onUnusable };
}

test('an engine that is there is waited for', async () => {
  const check = vi.fn<() => Promise<void>>().mockResolvedValue();
  await checking(check).started;
  expect(check).toHaveBeenCalledTimes(1);
});

test('one that is away is not, and is looked for until it is there', async () => {
  const check = vi.fn<() => Promise<void>>().mockRejectedValueOnce(away).mockRejectedValueOnce(away).mockRejectedValueOnce(away).mockResolvedValue();
  const started_ms = Date.now();
  await checking(check).started;
  expect(Date.now() - started_ms).toBeLessThan(5_000);
  expect(check.mock.calls.length).toBeLessThan(4);
  await eventually(() => expect(check).toHaveBeenCalledTimes(4));
});

test('one that says nothing is not waited for either', async () => {
  const started_ms = Date.now();
  await checking(() => new Promise(() => undefined)).started;
  expect(Date.now() - started_ms).toBeLessThan(10_000);
});

test('one that can never be used is told of at once, or as soon as that is known', async () => {
  await expect(checking(() => Promise.reject(wrong)).started).rejects.toBe(wrong);
  const check = vi.fn<() => Promise<void>>().mockRejectedValueOnce(away).mockRejectedValueOnce(away).mockRejectedValue(wrong);
  const { started, onUnusable } = checking(check);
  await started;
  await eventually(() => expect(onUnusable).toHaveBeenCalledWith(wrong));
});

test('it ends with the service', async () => {
  const check = vi.fn<() => Promise<void>>().mockRejectedValue(away);
  await checking(check).started;
  await closing.closeAll();
  const calls = check.mock.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(check.mock.calls.length).toBe(calls);
});
