import { PostponedJobError, type JobHandler } from '@alpenglow/domain';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { JobSystem } from './job-queue.ts';

type PhotoHandler = JobHandler<'photo-variants'>;

/** More than a job has attempts. */
const ROUNDS = 7;

/** What every job queue promises of jobs that end without a verdict: none of their attempts counts. */
export function jobPostponingContract(name: string, open: () => Promise<JobSystem>): void {
  describe(`${name}, of jobs that are not to be blamed`, () => {
    let system: JobSystem;
    beforeEach(async () => {
      system = await open();
    });
    afterEach(() => system.close());
    const enqueue = () => system.queue.enqueue('photo-variants', { mediaId: 'm1' }, { jobId: 'm1' });

    test('one that is postponed runs again later, as often as it takes', async () => {
      const handle = vi.fn<PhotoHandler>().mockResolvedValue();
      for (let round = 0; round < ROUNDS; round += 1)
        handle.mockRejectedValueOnce(new PostponedJobError('the store is away'));
      const follow = vi.fn(() => Promise.resolve());
      system.work({ 'photo-variants': handle }, { 'photo-variants': follow });
      await enqueue();
      await eventually(() => expect(handle).toHaveBeenCalledTimes(ROUNDS + 1));
      expect(handle.mock.calls.map(([, { attempt }]) => attempt)).toEqual(Array.from({ length: ROUNDS + 1 }, () => 1));
      await eventually(async () =>
        expect(await system.queue.counts()).toMatchObject({
          'photo-variants': { waiting: 0, active: 0, delayed: 0, failed: 0 },
        }),
      );
      expect(follow).not.toHaveBeenCalled();
    });

    test('one that says when runs again then, not before', async () => {
      const times: number[] = [];
      const handle = vi.fn<PhotoHandler>(() => {
        times.push(Date.now());
        return times.length === 1
          ? Promise.reject(new PostponedJobError('come back later', { after_ms: 1_500 }))
          : Promise.resolve();
      });
      system.work({ 'photo-variants': handle });
      await enqueue();
      await eventually(() => expect(times).toHaveLength(2));
      expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_450);
    });

    test('one that says when in fractions of a millisecond runs again, too', async () => {
      const handle = vi
        .fn<PhotoHandler>()
        .mockResolvedValue()
        .mockRejectedValueOnce(new PostponedJobError('come back later', { after_ms: 20.125 }));
      system.work({ 'photo-variants': handle });
      await enqueue();
      await eventually(() => expect(handle).toHaveBeenCalledTimes(2));
      expect(handle.mock.calls[1]?.[1].attempt).toBe(1);
    });

    test('one whose worker is stopped waits for the next worker', async () => {
      const brokenOff = vi.fn<PhotoHandler>(
        (_payload, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('broken off')))),
      );
      const workers = system.work({ 'photo-variants': brokenOff });
      await enqueue();
      await eventually(() => expect(brokenOff).toHaveBeenCalledTimes(1));
      await workers.close();
      expect(await system.queue.counts()).toMatchObject({
        'photo-variants': { waiting: 1, active: 0, delayed: 0, failed: 0 },
      });
      const handle = vi.fn<PhotoHandler>().mockResolvedValue();
      system.work({ 'photo-variants': handle });
      await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
      expect(handle.mock.calls[0]?.[1].attempt).toBe(1);
    });

    test('one that could not be given up may be enqueued again', async () => {
      const handle = vi.fn<PhotoHandler>().mockRejectedValue(new Error('disk full'));
      const follow = vi.fn(() => Promise.reject(new Error('store away')));
      system.work({ 'photo-variants': handle }, { 'photo-variants': follow });
      await enqueue();
      await eventually(() => expect(follow).toHaveBeenCalledTimes(1));
      await eventually(async () =>
        expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { failed: 0 } }),
      );
      handle.mockResolvedValue();
      await enqueue();
      await eventually(() => expect(handle).toHaveBeenCalledTimes(6));
    });
  });
}
