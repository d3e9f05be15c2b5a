import { PostponedJobError, type JobHandler } from '@alpenglow/domain';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { JobSystem } from './job-queue.ts';

type PhotoHandler = JobHandler<'photo-variants'>;

/**
 * Number of postponements in a test. It exceeds the maximum number of attempts, because postponements do not count as
 * attempts.
 */
const POSTPONEMENTS = 7;

/**
 * Tests the guarantees of every job queue for jobs that are postponed or interrupted. A postponed or interrupted run
 * does not count as an attempt.
 */
export function describeJobPostponement(name: string, open: () => Promise<JobSystem>): void {
  describe(`${name} with postponed and interrupted jobs`, () => {
    let system: JobSystem;
    beforeEach(async () => {
      system = await open();
    });
    afterEach(() => system.close());
    const enqueue = () => system.queue.enqueue('photo-variants', { mediaId: 'm1' }, { jobId: 'm1' });

    test('runs a postponed job again without a limit', async () => {
      const handle = vi.fn<PhotoHandler>().mockResolvedValue();
      for (let round = 0; round < POSTPONEMENTS; round += 1)
        handle.mockRejectedValueOnce(new PostponedJobError('the store is unavailable'));
      const onFailed = vi.fn(() => Promise.resolve());
      system.startWorkers({ 'photo-variants': handle }, { 'photo-variants': onFailed });
      await enqueue();
      await eventually(() => expect(handle).toHaveBeenCalledTimes(POSTPONEMENTS + 1));
      expect(handle.mock.calls.map(([, { attempt }]) => attempt)).toEqual(
        Array.from({ length: POSTPONEMENTS + 1 }, () => 1),
      );
      await eventually(async () =>
        expect(await system.queue.counts()).toMatchObject({
          'photo-variants': { waiting: 0, active: 0, delayed: 0, failed: 0 },
        }),
      );
      expect(onFailed).not.toHaveBeenCalled();
    });

    test('waits for the requested delay of a postponed job', async () => {
      const times: number[] = [];
      const handle = vi.fn<PhotoHandler>(() => {
        times.push(Date.now());
        return times.length === 1
          ? Promise.reject(new PostponedJobError('retry later', { after_ms: 1_500 }))
          : Promise.resolve();
      });
      system.startWorkers({ 'photo-variants': handle });
      await enqueue();
      await eventually(() => expect(times).toHaveLength(2));
      expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_450);
    });

    test('accepts a postponement with a fraction of a millisecond', async () => {
      const handle = vi
        .fn<PhotoHandler>()
        .mockResolvedValue()
        .mockRejectedValueOnce(new PostponedJobError('retry later', { after_ms: 20.125 }));
      system.startWorkers({ 'photo-variants': handle });
      await enqueue();
      await eventually(() => expect(handle).toHaveBeenCalledTimes(2));
      expect(handle.mock.calls[1]?.[1].attempt).toBe(1);
    });

    test('leaves the job of a stopped worker to the next worker', async () => {
      const interrupted = vi.fn<PhotoHandler>(
        (_payload, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('interrupted')))),
      );
      const workers = system.startWorkers({ 'photo-variants': interrupted });
      await enqueue();
      await eventually(() => expect(interrupted).toHaveBeenCalledTimes(1));
      await workers.close();
      expect(await system.queue.counts()).toMatchObject({
        'photo-variants': { waiting: 1, active: 0, delayed: 0, failed: 0 },
      });
      const handle = vi.fn<PhotoHandler>().mockResolvedValue();
      system.startWorkers({ 'photo-variants': handle });
      await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
      expect(handle.mock.calls[0]?.[1].attempt).toBe(1);
    });

    test('accepts a job again when its failure handler failed', async () => {
      const handle = vi.fn<PhotoHandler>().mockRejectedValue(new Error('disk full'));
      const onFailed = vi.fn(() => Promise.reject(new Error('store unavailable')));
      system.startWorkers({ 'photo-variants': handle }, { 'photo-variants': onFailed });
      await enqueue();
      await eventually(() => expect(onFailed).toHaveBeenCalledTimes(1));
      await eventually(async () =>
        expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { failed: 0 } }),
      );
      handle.mockResolvedValue();
      await enqueue();
      await eventually(() => expect(handle).toHaveBeenCalledTimes(6));
    });
  });
}
