import { BlobStoreUnavailable } from '@alpenglow/domain';
import { afterAll, expect, test, vi } from 'vitest';
import { checkWithRetries } from '../src/service/check-with-retries.ts';
import { createResourceStack } from '../src/service/resource-stack.ts';
import { ConfigurationError } from '../src/service/config.ts';
import { createLogger } from '../src/service/logger.ts';
import { eventually } from '../../tests/support/eventually.ts';

const log = createLogger('silent');
const closing = createResourceStack();
afterAll(() => closing.closeAll());
const unavailable = new BlobStoreUnavailable('away');
const misconfigured = new ConfigurationError('S3_BUCKET: is no name for a bucket');

function startChecking(check: () => Promise<void>, { onStop = closing.add } = {}) {
  const onUnusable = vi.fn();
  return { started: checkWithRetries('S3', check, { log, onStop, onPermanentError: onUnusable }), onUnusable };
}

// Each test waits for some seconds of real time, so the tests run in parallel.
test.concurrent('waits for a reachable backing service', async () => {
  const check = vi.fn<() => Promise<void>>().mockResolvedValue();
  await startChecking(check).started;
  expect(check).toHaveBeenCalledTimes(1);
});

test.concurrent('does not wait for an unreachable backing service, and checks until it is reachable', async () => {
  let isReachable = false;
  const check = vi.fn((): Promise<void> => (isReachable ? Promise.resolve() : Promise.reject(unavailable)));
  // `started` resolves although the backing service is still unreachable.
  await startChecking(check).started;
  const calls = check.mock.calls.length;
  await eventually(() => expect(check.mock.calls.length).toBeGreaterThan(calls));
  isReachable = true;
  await eventually(async () =>
    expect(
      await Promise.resolve(check.mock.results.at(-1)?.value as Promise<void>).then(
        () => 'reachable',
        () => 'unreachable',
      ),
    ).toBe('reachable'),
  );
});

test.concurrent('does not wait for a backing service that does not respond', async () => {
  await startChecking(() => new Promise(() => undefined)).started;
});

test.concurrent('reports a permanent error at once, or as soon as it occurs', async () => {
  await expect(startChecking(() => Promise.reject(misconfigured)).started).rejects.toBe(misconfigured);
  const check = vi
    .fn<() => Promise<void>>()
    .mockRejectedValueOnce(unavailable)
    .mockRejectedValueOnce(unavailable)
    .mockRejectedValue(misconfigured);
  const { started, onUnusable } = startChecking(check);
  await started;
  await eventually(() => expect(onUnusable).toHaveBeenCalledWith(misconfigured));
});

test.concurrent('stops checking when the service stops', async () => {
  const check = vi.fn<() => Promise<void>>().mockRejectedValue(unavailable);
  const service = createResourceStack();
  await startChecking(check, { onStop: service.add }).started;
  await service.closeAll();
  const calls = check.mock.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(check.mock.calls.length).toBe(calls);
});
