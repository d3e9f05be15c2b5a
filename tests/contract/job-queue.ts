import {
  JobEnqueuedItself,
  JobRejected,
  UnrecoverableJobError,
  type BulkJobQueue,
  type JobPayloads,
} from '@alpenglow/domain';
import type { JobHandlers, JobWorkerOptions } from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';

const MAIL: JobPayloads['account-mail'] = {
  about: 'verification',
  accountId: 'a',
  issuanceId: 'i',
  expiresAt: '2026-01-01T00:15:00.000Z',
};

export interface JobSystem {
  readonly queue: BulkJobQueue & {
    counts(): Promise<Readonly<Record<string, { waiting: number; active: number; delayed: number; failed: number }>>>;
  };
  /** Starts additional workers. They retry a failed job within milliseconds. */
  startWorkers(
    handlers: Partial<JobHandlers>,
    onFailedForGood?: JobWorkerOptions['onPermanentFailure'],
  ): { close(): Promise<void> };
  close(): Promise<void>;
}

/**
 * Tests what every job queue guarantees. Jobs may run in any order. A job may run twice at the same time: a
 * worker that lost its lock continues the job while another worker starts it.
 */
export function describeJobQueue(name: string, open: () => Promise<JobSystem>): void {
  describe(`${name} as a job queue`, () => {
    let system: JobSystem;
    beforeEach(async () => {
      system = await open();
    });
    afterEach(() => system.close());

    const enqueuePhoto = (mediaId: string, jobId = mediaId) =>
      system.queue.enqueue('photo-variants', { mediaId }, { jobId });
    const expectIdle = async () => {
      const { 'photo-variants': photos } = await system.queue.counts();
      expect(photos).toMatchObject({ waiting: 0, active: 0, delayed: 0 });
    };

    test('passes a job to a waiting worker', async () => {
      const handle = vi.fn<JobHandlers['photo-variants']>().mockResolvedValue();
      system.startWorkers({ 'photo-variants': handle });
      await enqueuePhoto('m1');
      await eventually(() =>
        expect(handle).toHaveBeenCalledWith(
          { mediaId: 'm1' },
          expect.objectContaining({ jobId: 'm1', attempt: 1, signal: expect.any(AbortSignal) }),
        ),
      );
    });

    test('stores a job until a worker starts', async () => {
      await enqueuePhoto('m1');
      const handle = vi.fn<JobHandlers['photo-variants']>().mockResolvedValue();
      system.startWorkers({ 'photo-variants': handle });
      await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
    });

    test('accepts an id only once, while the job waits and after it is done', async () => {
      await enqueuePhoto('m1', 'the-event');
      await enqueuePhoto('m1', 'the-event');
      const handle = vi.fn<JobHandlers['photo-variants']>().mockResolvedValue();
      system.startWorkers({ 'photo-variants': handle });
      await eventually(expectIdle);
      await enqueuePhoto('m1', 'the-event');
      await enqueuePhoto('m2', 'another-event');
      await eventually(() => expect(handle).toHaveBeenCalledWith({ mediaId: 'm2' }, expect.anything()));
      expect(handle).toHaveBeenCalledTimes(2);
    });

    test('enqueues many jobs at once, and accepts each id only once', async () => {
      const many = Array.from({ length: 1_100 }, (_, n) => ({
        payload: { mediaId: `m${n % 1_050}` },
        jobId: `m${n % 1_050}`,
      }));
      await enqueuePhoto('m7');
      expect(await system.queue.enqueueAll('photo-variants', many)).toEqual([]);
      expect(await system.queue.enqueueAll('photo-variants', many.slice(0, 3))).toEqual([]);
      expect(await system.queue.enqueueAll('photo-variants', [])).toEqual([]);
      expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { waiting: 1_050, delayed: 0 } });
    });

    test('runs the jobs of a batch, except the rejected ones, and no delayed one early', async () => {
      const rejections = await system.queue.enqueueAll('photo-variants', [
        { payload: { mediaId: 'm1' }, jobId: 'm1' },
        { payload: { mediaId: 'x'.repeat(70_000) }, jobId: 'large' },
        { payload: { mediaId: 'm2' }, jobId: '\uD800' },
        { payload: { mediaId: 'later' }, jobId: 'later', delay_ms: 60_000 },
        { payload: { mediaId: 'm3' }, jobId: 'm3' },
      ]);
      expect(rejections.map(({ jobId }) => jobId)).toEqual(['large', '\uD800']);
      expect(rejections.every(({ error }) => error instanceof JobRejected)).toBe(true);
      const handle = vi.fn<JobHandlers['photo-variants']>().mockResolvedValue();
      system.startWorkers({ 'photo-variants': handle });
      await eventually(() =>
        expect(handle.mock.calls.map(([{ mediaId }]) => mediaId).toSorted()).toEqual(['m1', 'm3']),
      );
      expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { delayed: 1, failed: 0 } });
    });

    test('does not run a delayed job early and accepts its id only once', async () => {
      const handle = vi.fn<JobHandlers['photo-variants']>().mockResolvedValue();
      system.startWorkers({ 'photo-variants': handle });
      await system.queue.enqueue('photo-variants', { mediaId: 'later' }, { jobId: 'later', delay_ms: 60_000 });
      await system.queue.enqueue('photo-variants', { mediaId: 'soon' }, { jobId: 'soon', delay_ms: 20.125 });
      await enqueuePhoto('later');
      await enqueuePhoto('m1');
      await eventually(() =>
        expect(handle.mock.calls.map(([{ mediaId }]) => mediaId).toSorted()).toEqual(['m1', 'soon']),
      );
      await eventually(async () =>
        expect((await system.queue.counts())['photo-variants']).toMatchObject({ waiting: 0, active: 0, delayed: 1 }),
      );
      expect(handle).toHaveBeenCalledTimes(2);
    });

    test.each(['42', 'a:b', '0190c2c2-8f3a-7c1e-9d2b-3a4b5c6d7e8f', 'ä/ß?'])('accepts %j as an id', async (jobId) => {
      const handle = vi.fn<JobHandlers['photo-variants']>().mockResolvedValue();
      system.startWorkers({ 'photo-variants': handle });
      await enqueuePhoto('m1', jobId);
      await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
    });

    test('retries after a failure and counts the attempts', async () => {
      const handle = vi.fn<JobHandlers['photo-variants']>().mockResolvedValue();
      handle.mockRejectedValueOnce(new Error('disk full')).mockRejectedValueOnce(new Error('disk full'));
      system.startWorkers({ 'photo-variants': handle });
      await enqueuePhoto('m1');
      await eventually(() => expect(handle).toHaveBeenCalledTimes(3));
      expect(handle.mock.calls.map(([, { attempt }]) => attempt)).toEqual([1, 2, 3]);
      await eventually(expectIdle);
      expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { failed: 0 } });
    });

    test('stops after five attempts and stores the job as failed', async () => {
      const handle = vi.fn<JobHandlers['photo-variants']>().mockRejectedValue(new Error('disk full'));
      system.startWorkers({ 'photo-variants': handle });
      await enqueuePhoto('m1');
      await eventually(async () =>
        expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { failed: 1, delayed: 0 } }),
      );
      expect(handle).toHaveBeenCalledTimes(5);
    });

    test('does not retry a job that can never succeed', async () => {
      const handle = vi
        .fn<JobHandlers['photo-variants']>()
        .mockRejectedValue(new UnrecoverableJobError('no such photo'));
      system.startWorkers({ 'photo-variants': handle });
      await enqueuePhoto('m1');
      await eventually(async () =>
        expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { failed: 1 } }),
      );
      expect(handle).toHaveBeenCalledTimes(1);
    });

    test('calls the failure handler once, after the last attempt of a job', async () => {
      const handle = vi.fn<JobHandlers['photo-variants']>(({ mediaId }, { attempt }) =>
        mediaId === 'lucky' && attempt === 3 ? Promise.resolve() : Promise.reject(new Error('disk full')),
      );
      const onFailed = vi.fn(() => Promise.reject(new Error('store unavailable')));
      system.startWorkers({ 'photo-variants': handle }, { 'photo-variants': onFailed });
      await enqueuePhoto('lucky');
      await enqueuePhoto('unlucky');
      await eventually(() => expect(onFailed).toHaveBeenCalled());
      expect(handle.mock.calls.filter(([{ mediaId }]) => mediaId === 'unlucky')).toHaveLength(5);
      await eventually(expectIdle);
      expect(onFailed.mock.calls).toEqual([[{ mediaId: 'unlucky' }]]);
    });

    test('rejects a job that enqueues itself, also in a batch, but not a job with the id of another kind', async () => {
      const errors: unknown[] = [];
      const handle = vi.fn<JobHandlers['photo-variants']>(async ({ mediaId }, { jobId }) => {
        const again = { payload: { mediaId }, jobId };
        const other = { payload: { mediaId: 'm2' }, jobId: 'm2' };
        await system.queue
          .enqueue('photo-variants', again.payload, { jobId })
          .catch((error: unknown) => errors.push(error));
        await system.queue.enqueueAll('photo-variants', [other, again]).catch((error: unknown) => errors.push(error));
        await system.queue.enqueue('video-probe', again.payload, { jobId });
      });
      system.startWorkers({ 'photo-variants': handle });
      await enqueuePhoto('m1');
      await eventually(expectIdle);
      expect(handle).toHaveBeenCalledTimes(1);
      expect(errors).toEqual([expect.any(JobEnqueuedItself), expect.any(JobEnqueuedItself)]);
      // The id of a finished job is only ignored.
      await enqueuePhoto('m1');
    });

    test('does not delay jobs of one kind behind slow jobs of another kind', async () => {
      const mail = vi.fn<JobHandlers['account-mail']>().mockResolvedValue();
      let finish: () => void = () => undefined;
      const slow = vi.fn<JobHandlers['photo-variants']>(() => new Promise((resolve) => (finish = resolve)));
      system.startWorkers({ 'photo-variants': slow, 'account-mail': mail });
      await enqueuePhoto('m1');
      await eventually(() => expect(slow).toHaveBeenCalled());
      await system.queue.enqueue('account-mail', MAIL, { jobId: 'i' });
      await eventually(() => expect(mail).toHaveBeenCalledWith(MAIL, expect.anything()));
      finish();
    });

    test('runs each job once when several workers share the queue', async () => {
      const done: string[] = [];
      const handle: JobHandlers['photo-variants'] = ({ mediaId }) => {
        done.push(mediaId);
        return Promise.resolve();
      };
      system.startWorkers({ 'photo-variants': handle });
      system.startWorkers({ 'photo-variants': handle });
      const ids = Array.from({ length: 40 }, (_, index) => `m${index}`);
      await Promise.all(ids.map((id) => enqueuePhoto(id)));
      await eventually(expectIdle);
      expect(done.toSorted()).toEqual(ids.toSorted());
    });

    test('waits for the active job on close and starts no further job', async () => {
      let finish: () => void = () => undefined;
      const handle = vi.fn<JobHandlers['photo-variants']>(() => new Promise((resolve) => (finish = resolve)));
      const workers = system.startWorkers({ 'photo-variants': handle });
      await enqueuePhoto('m1');
      await enqueuePhoto('m2');
      await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
      const closed = vi.fn();
      const closing = workers.close().then(closed);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(closed).not.toHaveBeenCalled();
      finish();
      await closing;
      expect(handle).toHaveBeenCalledTimes(1);
      expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { waiting: 1, active: 0 } });
    });
  });
}
