import type { JobHandler, JobInspector, JobState } from '@alpenglow/domain';
import {
  createJobInspector,
  createJobQueue,
  createJobWorkers,
  createLogger,
  type JobBackend,
  type JobWorkers,
} from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { IDLE_HANDLERS } from '../support/job-system.ts';

export interface JobBackendFixture {
  readonly backend: JobBackend;
  close(): Promise<void>;
}

const HOUR_ms = 3_600_000;
const KIND = 'photo-variants';

/** Tests the job inspector, which lists, retries and removes jobs, on a queue backend. */
export function describeJobInspector(name: string, open: () => Promise<JobBackendFixture>): void {
  describe(`${name} as a job inspector`, () => {
    let opened: JobBackendFixture;
    let inspector: JobInspector;
    let workers: JobWorkers | null = null;
    beforeEach(async () => {
      opened = await open();
      inspector = createJobInspector(opened.backend);
    });
    afterEach(async () => {
      await workers?.close();
      workers = null;
      await inspector.close();
      await opened.close();
    });

    async function enqueue(mediaId: string, { firstRetry_ms = 1, delay_ms = 0 } = {}): Promise<void> {
      const queue = createJobQueue(opened.backend, { firstRetry_ms });
      await queue.enqueue(KIND, { mediaId }, { jobId: mediaId, delay_ms });
      await queue.close();
    }
    function work(handle: JobHandler<typeof KIND>): void {
      workers = createJobWorkers(opened.backend, {
        handlers: { ...IDLE_HANDLERS, [KIND]: handle },
        log: createLogger('silent'),
      });
    }
    const idsIn = async (state: JobState) =>
      (await inspector.list(KIND, state, { offset: 0, limit: 10 })).jobs.map(({ id }) => id);
    const waitForJobIn = (state: JobState) => eventually(async () => expect(await idsIn(state)).toHaveLength(1));
    const createFailingHandler = () =>
      vi.fn<JobHandler<typeof KIND>>(() => Promise.reject(new Error('no room for ann@example.com')));

    test('lists waiting jobs with turn 0 before jobs with a higher turn, page by page', async () => {
      const queue = createJobQueue(opened.backend);
      for (const [mediaId, turn] of [
        ['m1', 2],
        ['m2', 0],
        ['m3', 1],
        ['m4', 0],
        ['m5', 1],
      ] as const)
        await queue.enqueue(KIND, { mediaId }, { jobId: mediaId, turn });
      await queue.close();
      expect((await inspector.countJobs())[KIND]).toMatchObject({ waiting: 5 });
      const pages: string[][] = [];
      for (let next: number | null = 0; next !== null; ) {
        const page = await inspector.list(KIND, 'waiting', { offset: next, limit: 2 });
        pages.push(page.jobs.map(({ id }) => id.slice('job-'.length)));
        ({ next } = page);
      }
      expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
      expect(pages.flat().toSorted()).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
      expect(pages[0]?.toSorted()).toEqual(['m2', 'm4']);
    });

    test('shows a waiting job with its payload and removes it', async () => {
      await enqueue('m1');
      expect((await inspector.countJobs())[KIND]).toEqual({ waiting: 1, active: 0, delayed: 0, failed: 0, dead: 0 });
      expect(await inspector.find(KIND, 'job-m1')).toMatchObject({
        state: 'waiting',
        attempts: 0,
        maxAttempts: 5,
        payload: [{ name: 'mediaId', value: 'm1' }],
        error: null,
        nextAt: null,
      });
      expect(await inspector.remove(KIND, 'job-m1')).toBe('done');
      expect(await inspector.find(KIND, 'job-m1')).toBeNull();
      expect(await inspector.remove(KIND, 'job-m1')).toBe('unknown');
      expect(await inspector.retry(KIND, 'job-m1')).toBe('unknown');
    });

    test('lists a job with a delay as delayed and starts it immediately on retry', async () => {
      await enqueue('m1', { delay_ms: HOUR_ms });
      expect(await idsIn('delayed')).toEqual(['job-m1']);
      expect(Date.parse((await inspector.find(KIND, 'job-m1'))?.nextAt ?? '')).toBeGreaterThan(
        Date.now() + HOUR_ms / 2,
      );
      const handle = vi.fn<JobHandler<typeof KIND>>().mockResolvedValue();
      work(handle);
      expect(await inspector.retry(KIND, 'job-m1')).toBe('done');
      await eventually(() => expect(handle).toHaveBeenCalledTimes(1));
    });

    test('lists a job that waits for its next attempt as failed and removes addresses from its error', async () => {
      await enqueue('m1', { firstRetry_ms: HOUR_ms });
      work(createFailingHandler());
      await waitForJobIn('failed');
      expect(await idsIn('delayed')).toEqual([]);
      expect((await inspector.countJobs())[KIND]).toMatchObject({ delayed: 0, failed: 1, dead: 0 });
      const job = await inspector.find(KIND, 'job-m1');
      expect(job).toMatchObject({ state: 'failed', attempts: 1, error: 'no room for •••' });
      expect(job?.stack.join('\n')).toContain('no room for •••');
    });

    test('lists a job without attempts left as dead and restores all attempts on retry', async () => {
      await enqueue('m1');
      const handle = createFailingHandler();
      work(handle);
      await waitForJobIn('dead');
      expect(await inspector.find(KIND, 'job-m1')).toMatchObject({ state: 'dead', attempts: 5 });
      expect((await inspector.find(KIND, 'job-m1'))?.endedAt).not.toBeNull();
      expect(await inspector.retryDead(KIND)).toBe(1);
      await eventually(() => expect(handle).toHaveBeenCalledTimes(10));
      expect(handle.mock.calls.at(-1)?.[1].attempt).toBe(5);
    });

    test('neither retries nor removes an active job', async () => {
      let finish: () => void = () => undefined;
      // The job becomes active before its handler is called, so the promise must exist before.
      const finished = new Promise<void>((resolve) => (finish = resolve));
      await enqueue('m1');
      work(() => finished);
      await waitForJobIn('active');
      expect(await inspector.retry(KIND, 'job-m1')).toBe('under-way');
      expect(await inspector.remove(KIND, 'job-m1')).toBe('under-way');
      finish();
      await eventually(async () => expect(await inspector.find(KIND, 'job-m1')).toBeNull());
    });

    test('lists the jobs of each state page by page', async () => {
      for (const mediaId of ['m1', 'm2', 'm3']) await enqueue(mediaId, { delay_ms: HOUR_ms });
      for (const mediaId of ['n1', 'n2', 'n3']) await enqueue(mediaId);
      for (const [state, prefix] of [
        ['delayed', 'job-m'],
        ['waiting', 'job-n'],
      ] as const) {
        const first = await inspector.list(KIND, state, { offset: 0, limit: 2 });
        const second = await inspector.list(KIND, state, { offset: first.next ?? -1, limit: 2 });
        expect([...first.jobs, ...second.jobs].map(({ id }) => id).sort()).toEqual(
          [1, 2, 3].map((n) => `${prefix}${n}`),
        );
        expect(second.next).toBeNull();
      }
    });
  });
}
