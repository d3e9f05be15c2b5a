import { PostponedJobError, UnreadableEventError, UnrecoverableJobError } from '@alpenglow/domain';
import { expect, test, vi } from 'vitest';
import { attemptAll } from '../src/attempt-all.ts';

const fail = (error: Error) => () => Promise.reject(error);
const forGood = new UnrecoverableJobError('the address was rejected');
const later = new PostponedJobError('the files are being moved');

test('all steps run, also after a failure', async () => {
  const last = vi.fn(() => Promise.resolve());
  await expect(attemptAll([fail(forGood), last])).rejects.toBe(forGood);
  expect(last).toHaveBeenCalledOnce();
});

test('an error that ends the job does not hide one after which it can be repeated', async () => {
  await expect(attemptAll([fail(forGood), fail(later)])).rejects.toBe(later);
});

test('unreadable personal data is reported although another step failed before', async () => {
  const unreadable = Object.create(UnreadableEventError.prototype) as UnreadableEventError;
  await expect(attemptAll([fail(later), fail(unreadable)])).rejects.toBe(unreadable);
});
