import { BlobStoreRefusal, BlobStoreUnavailable, EventStoreUnavailable } from '@alpenglow/domain';
import { createLogger } from '@alpenglow/infra';
import { expect, test } from 'vitest';
import { throughOutages } from '../src/through-outages.ts';

const log = createLogger('silent');
const payload = { mediaId: 'm1' };
const context = () => ({ attempt: 1, signal: new AbortController().signal });

/** A handler that fails in these ways, one after the other, and then does its work. */
function failing(...errors: readonly Error[]) {
  let calls = 0;
  const handle = () => {
    const error = errors[calls];
    calls += 1;
    return error ? Promise.reject(error) : Promise.resolve();
  };
  return { handle, calls: () => calls };
}

test('a job waits until its engines are back', async () => {
  const { handle, calls } = failing(
    new BlobStoreUnavailable(),
    new EventStoreUnavailable(),
    new BlobStoreUnavailable(),
  );
  await throughOutages<'photo-variants'>(handle, log, { firstWait_ms: 1 })(payload, context());
  expect(calls()).toBe(4);
});

test('any other error is told at once', async () => {
  const { handle, calls } = failing(new BlobStoreUnavailable(), new Error('no picture'));
  await expect(throughOutages<'photo-variants'>(handle, log, { firstWait_ms: 1 })(payload, context())).rejects.toThrow(
    'no picture',
  );
  expect(calls()).toBe(2);
});

test('a store that refuses is not waited for; the job is postponed', async () => {
  const refusal = new BlobStoreRefusal('S3 refused: AccessDenied 403');
  const { handle, calls } = failing(refusal);
  await expect(throughOutages<'photo-variants'>(handle, log)(payload, context())).rejects.toMatchObject({
    name: 'PostponedJobError',
    cause: refusal,
  });
  expect(calls()).toBe(1);
});

test('its patience has an end', async () => {
  const { handle, calls } = failing(...Array.from({ length: 1_000 }, () => new BlobStoreUnavailable('away')));
  await expect(
    throughOutages<'photo-variants'>(handle, log, { firstWait_ms: 10, patience_ms: 100 })(payload, context()),
  ).rejects.toMatchObject({ name: 'PostponedJobError', cause: { message: 'away' } });
  expect(calls()).toBeGreaterThan(1);
  expect(calls()).toBeLessThan(10);
});

test('told to stop, it does not go on waiting', async () => {
  const { handle, calls } = failing(...Array.from({ length: 10 }, () => new BlobStoreUnavailable('away')));
  const stopping = new AbortController();
  const job = throughOutages<'photo-variants'>(handle, log, { firstWait_ms: 60_000 })(payload, {
    attempt: 1,
    signal: stopping.signal,
  });
  setTimeout(() => stopping.abort(), 20);
  await expect(job).rejects.toMatchObject({ name: 'PostponedJobError' });
  expect(calls()).toBe(2);
});
