import {
  BlobStoreDenied,
  BlobStoreUnavailable,
  EventStoreUnavailable,
  PostponedJobError,
  UnreadableEventError,
} from '@alpenglow/domain';
import { createLogger } from '@alpenglow/infra';
import { expect, test, vi } from 'vitest';
import { createJobContext } from '../../tests/support/job-context.ts';
import { withRetryDuringOutages } from '../src/retry-during-outages.ts';

const log = createLogger('silent');
const payload = { mediaId: 'm1' };

/**
 * Creates a job handler for tests. Each call fails with the next of the given errors. After the last error, the handler
 * succeeds.
 */
function failing(...errors: readonly Error[]) {
  let calls = 0;
  const handle = () => {
    const error = errors[calls];
    calls += 1;
    return error ? Promise.reject(error) : Promise.resolve();
  };
  return { handle, calls: () => calls };
}

test('waits until the backing services are available again', async () => {
  const { handle, calls } = failing(
    new BlobStoreUnavailable(),
    new EventStoreUnavailable(),
    new BlobStoreUnavailable(),
  );
  await withRetryDuringOutages<'photo-variants'>(handle, log, { firstWait_ms: 1 })(payload, createJobContext());
  expect(calls()).toBe(4);
});

test('postpones the job while personal data cannot be decrypted', async () => {
  const { handle, calls } = failing(new UnreadableEventError('The key is missing'));
  await expect(
    withRetryDuringOutages<'photo-variants'>(handle, log, { firstWait_ms: 1 })(payload, createJobContext()),
  ).rejects.toThrow(PostponedJobError);
  expect(calls()).toBe(1);
});

test('throws any other error at once', async () => {
  const { handle, calls } = failing(new BlobStoreUnavailable(), new Error('no picture'));
  await expect(
    withRetryDuringOutages<'photo-variants'>(handle, log, { firstWait_ms: 1 })(payload, createJobContext()),
  ).rejects.toThrow('no picture');
  expect(calls()).toBe(2);
});

test('postpones the job at once if the blob store rejects the request', async () => {
  const rejection = new BlobStoreDenied('S3 refused: AccessDenied 403');
  const { handle, calls } = failing(rejection);
  await expect(
    withRetryDuringOutages<'photo-variants'>(handle, log)(payload, createJobContext()),
  ).rejects.toMatchObject({
    name: 'PostponedJobError',
    cause: rejection,
  });
  expect(calls()).toBe(1);
});

test('postpones the job after `patience_ms`', async () => {
  const { handle, calls } = failing(...Array.from({ length: 1_000 }, () => new BlobStoreUnavailable('away')));
  // Each call takes 30 s on this clock, and the time between calls does not count.
  let now_ms = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now_ms);
  const handleSlowly = () => {
    now_ms += 30_000;
    return handle();
  };
  await expect(
    withRetryDuringOutages<'photo-variants'>(handleSlowly, log, { firstWait_ms: 1, patience_ms: 100_000 })(
      payload,
      createJobContext(),
    ),
  ).rejects.toMatchObject({ name: 'PostponedJobError', cause: { message: 'away' } });
  expect(calls()).toBe(4);
});

test('stops waiting when the signal aborts', async () => {
  const { handle, calls } = failing(...Array.from({ length: 10 }, () => new BlobStoreUnavailable('away')));
  const stopping = new AbortController();
  const job = withRetryDuringOutages<'photo-variants'>(handle, log, { firstWait_ms: 60_000 })(
    payload,
    createJobContext({ signal: stopping.signal }),
  );
  setTimeout(() => stopping.abort(), 20);
  await expect(job).rejects.toMatchObject({ name: 'PostponedJobError' });
  expect(calls()).toBe(2);
});
