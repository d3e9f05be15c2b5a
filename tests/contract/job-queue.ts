import { UnrecoverableJobError, type JobQueue, type Jobs } from '@alpenglow/domain';
import type { JobHandlers, JobWorkerOptions } from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';

const MAIL: Jobs['account-mail'] = {
  about: 'verification',
  accountId: 'a',
  issuanceId: 'i',
  expiresAt: '2026-01-01T00:15:00.000Z',
};

export interface JobSystem {
  readonly queue: JobQueue & {
    counts(): Promise<Readonly<Record<string, { waiting: number; active: number; delayed: number; failed: number }>>>;
  };
  /** Starts workers; calling it again starts more of them. Retries come within milliseconds here. */
  work(
    handlers: Partial<JobHandlers>,
    onFailedForGood?: JobWorkerOptions['onFailedForGood'],
  ): { close(): Promise<void> };
  close(): Promise<void>;
}

/**
 * What every job queue promises. Not promised: the order of jobs, and that a job runs only once (a worker that loses its
 * lock may still be at it while another starts).
 */
export function jobQueueContract(name: string, open: () => Promise<JobSystem>): void {
  describe(`${name} as a job queue`, () => {
    let system: JobSystem;
    beforeEach(async () => {
      system = await open();
    });
    afterEach(() => system.close());

    const photo = (mediaId: string, jobId = mediaId) => system.queue.enqueue('photo-variants', { mediaId }, { jobId });
    const idle = async () => {
      const { 'photo-variants': photos } = await system.queue.counts();
      expect(photos).toMatchObject({ waiting: 0, active: 0, delayed: 0 });
    };

    test('hands a job to a worker that waits for one', async () => {
      const handle = vi.fn<JobHandlers['photo-variants']>().mockResolvedValue();
      system.work({ 'photo-variants': handle });
      await photo('m1');
      await eventually(() =>
        expect(handle).toHaveBeenCalledWith({ mediaId: 'm1' }, { attempt: 1, signal: expect.any(AbortSignal) }),
      );
    });

    test('keeps a job until there is a worker', async () => {
      await photo('m1');
      const handle = vi.fn<JobHandlers['photo-variants']>().mockResolvedValue();
      system.work({ 'photo-variants': handle });
      await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
    });

    test('takes an id once: while the job waits, and after it is done', async () => {
      await photo('m1', 'the-event');
      await photo('m1', 'the-event');
      const handle = vi.fn<JobHandlers['photo-variants']>().mockResolvedValue();
      system.work({ 'photo-variants': handle });
      await eventually(idle);
      await photo('m1', 'the-event');
      await photo('m2', 'another-event');
      await eventually(() => expect(handle).toHaveBeenCalledWith({ mediaId: 'm2' }, expect.anything()));
      expect(handle).toHaveBeenCalledTimes(2);
    });

    test('leaves a job with a delay until then, and takes its id once meanwhile', async () => {
      const handle = vi.fn<JobHandlers['photo-variants']>().mockResolvedValue();
      system.work({ 'photo-variants': handle });
      await system.queue.enqueue('photo-variants', { mediaId: 'later' }, { jobId: 'later', delay_ms: 60_000 });
      await system.queue.enqueue('photo-variants', { mediaId: 'soon' }, { jobId: 'soon', delay_ms: 20.125 });
      await photo('later');
      await photo('m1');
      await eventually(() =>
        expect(handle.mock.calls.map(([{ mediaId }]) => mediaId).toSorted()).toEqual(['m1', 'soon']),
      );
      await eventually(async () =>
        expect((await system.queue.counts())['photo-variants']).toMatchObject({ waiting: 0, active: 0, delayed: 1 }),
      );
      expect(handle).toHaveBeenCalledTimes(2);
    });

    test.each(['42', 'a:b', '0190c2c2-8f3a-7c1e-9d2b-3a4b5c6d7e8f', 'ä/ß?'])('takes %j as an id', async (jobId) => {
      const handle = vi.fn<JobHandlers['photo-variants']>().mockResolvedValue();
      system.work({ 'photo-variants': handle });
      await photo('m1', jobId);
      await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
    });

    test('tries again after a failure, counting the attempts', async () => {
      const handle = vi.fn<JobHandlers['photo-variants']>().mockResolvedValue();
      handle.mockRejectedValueOnce(new Error('disk full')).mockRejectedValueOnce(new Error('disk full'));
      system.work({ 'photo-variants': handle });
      await photo('m1');
      await eventually(() => expect(handle).toHaveBeenCalledTimes(3));
      expect(handle.mock.calls.map(([, { attempt }]) => attempt)).toEqual([1, 2, 3]);
      await eventually(idle);
      expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { failed: 0 } });
    });

    test('gives up after five attempts, and keeps the job as failed', async () => {
      const handle = vi.fn<JobHandlers['photo-variants']>().mockRejectedValue(new Error('disk full'));
      system.work({ 'photo-variants': handle });
      await photo('m1');
      await eventually(async () =>
        expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { failed: 1, delayed: 0 } }),
      );
      expect(handle).toHaveBeenCalledTimes(5);
    });

    test('does not try again what can never succeed', async () => {
      const handle = vi
        .fn<JobHandlers['photo-variants']>()
        .mockRejectedValue(new UnrecoverableJobError('no such photo'));
      system.work({ 'photo-variants': handle });
      await photo('m1');
      await eventually(async () =>
        expect(await system.queue.counts()).toMatchObject({ 'photo-variants': { failed: 1 } }),
      );
      expect(handle).toHaveBeenCalledTimes(1);
    });

    test('what follows a job that failed for good happens once, after its last attempt', async () => {
      const handle = vi.fn<JobHandlers['photo-variants']>(({ mediaId }, { attempt }) =>
        mediaId === 'lucky' && attempt === 3 ? Promise.resolve() : Promise.reject(new Error('disk full')),
      );
      const follow = vi.fn(() => Promise.reject(new Error('store away')));
      system.work({ 'photo-variants': handle }, { 'photo-variants': follow });
      await photo('lucky');
      await photo('unlucky');
      await eventually(() => expect(follow).toHaveBeenCalled());
      expect(handle.mock.calls.filter(([{ mediaId }]) => mediaId === 'unlucky')).toHaveLength(5);
      await eventually(idle);
      expect(follow.mock.calls).toEqual([[{ mediaId: 'unlucky' }]]);
    });

    test('slow jobs of one kind do not hold up another kind', async () => {
      const mail = vi.fn<JobHandlers['account-mail']>().mockResolvedValue();
      let finish: () => void = () => undefined;
      const slow = vi.fn<JobHandlers['photo-variants']>(() => new Promise((resolve) => (finish = resolve)));
      system.work({ 'photo-variants': slow, 'account-mail': mail });
      await photo('m1');
      await eventually(() => expect(slow).toHaveBeenCalled());
      await system.queue.enqueue('account-mail', MAIL, { jobId: 'i' });
      await eventually(() => expect(mail).toHaveBeenCalledWith(MAIL, expect.anything()));
      finish();
    });

    test('several workers share the jobs, each job done once', async () => {
      const done: string[] = [];
      const handle: JobHandlers['photo-variants'] = ({ mediaId }) => {
        done.push(mediaId);
        return Promise.resolve();
      };
      system.work({ 'photo-variants': handle });
      system.work({ 'photo-variants': handle });
      const ids = Array.from({ length: 40 }, (_, index) => `m${index}`);
      await Promise.all(ids.map((id) => photo(id)));
      await eventually(idle);
      expect(done.toSorted()).toEqual(ids.toSorted());
    });

    test('closing waits for the job under way, and takes no further one', async () => {
      let finish: () => void = () => undefined;
      const handle = vi.fn<JobHandlers['photo-variants']>(() => new Promise((resolve) => (finish = resolve)));
      const workers = system.work({ 'photo-variants': handle });
      await photo('m1');
      await photo('m2');
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
