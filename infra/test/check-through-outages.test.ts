import { BlobStoreUnavailable } from '@alpenglow/domain';
import { afterAll, expect, test, vi } from 'vitest';
import { checkThroughOutages } from '../src/check-through-outages.ts';
import { createClosing } from '../src/closing.ts';
import { ConfigurationError } from '../src/config.ts';
import { createLogger } from '../src/logger.ts';
import { eventually } from '../../tests/support/eventually.ts';

const log = createLogger('silent');
const closing = createClosing();
afterAll(() => closing.closeAll());
const away = new BlobStoreUnavailable('away');
const wrong = new ConfigurationError('S3_BUCKET: is no name for a bucket');

function checking(check: () => Promise<void>, { onStop = closing.add } = {}) {
  const onUnusable = vi.fn();
  return { started: checkThroughOutages('S3', check, { log, onStop, onUnusable }), onUnusable };
}

// Each waits for real seconds, at the same time as the others.
test.concurrent('an engine that is there is waited for', async () => {
  const check = vi.fn<() => Promise<void>>().mockResolvedValue();
  await checking(check).started;
  expect(check).toHaveBeenCalledTimes(1);
});

test.concurrent('one that is away is not, and is looked for until it is there', async () => {
  let isThere = false;
  const check = vi.fn((): Promise<void> => (isThere ? Promise.resolve() : Promise.reject(away)));
  // It is away until the service has started: one that waited for it would never start.
  await checking(check).started;
  const calls = check.mock.calls.length;
  await eventually(() => expect(check.mock.calls.length).toBeGreaterThan(calls));
  isThere = true;
  await eventually(async () =>
    expect(
      await Promise.resolve(check.mock.results.at(-1)?.value as Promise<void>).then(
        () => 'there',
        () => 'away',
      ),
    ).toBe('there'),
  );
});

test.concurrent('one that says nothing is not waited for either', async () => {
  await checking(() => new Promise(() => undefined)).started;
});

test.concurrent('one that can never be used is told of at once, or as soon as that is known', async () => {
  await expect(checking(() => Promise.reject(wrong)).started).rejects.toBe(wrong);
  const check = vi
    .fn<() => Promise<void>>()
    .mockRejectedValueOnce(away)
    .mockRejectedValueOnce(away)
    .mockRejectedValue(wrong);
  const { started, onUnusable } = checking(check);
  await started;
  await eventually(() => expect(onUnusable).toHaveBeenCalledWith(wrong));
});

test.concurrent('it ends with the service', async () => {
  const check = vi.fn<() => Promise<void>>().mockRejectedValue(away);
  const service = createClosing();
  await checking(check, { onStop: service.add }).started;
  await service.closeAll();
  const calls = check.mock.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(check.mock.calls.length).toBe(calls);
});
