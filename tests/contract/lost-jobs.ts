import { toCaseId, type JobContext, type JobHandler, type JobKind, type JobPayloads } from '@alpenglow/domain';
import {
  createJobQueue,
  createJobWorkers,
  createLogger,
  createPool,
  createRecordedJobQueue,
  createUnfinishedJobs,
  removeMatchingJobs,
  type BullJobQueue,
  type JobBackend,
  type JobHandlers,
  type JobWorkers,
  type Pool,
  type UnfinishedJobs,
} from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { resumeJobs, withRecordedEnd } from '../../workers/src/resume-jobs.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { IDLE_HANDLERS } from '../support/job-system.ts';

const log = createLogger('silent');

/** The kinds of jobs that are enqueued again after the queue has lost them. */
const JOBS: readonly { readonly [K in JobKind]: readonly [K, JobPayloads[K]] }[Exclude<JobKind, 'digest-mail'>][] = [
  ['photo-variants', { mediaId: 'm1' }],
  ['video-probe', { mediaId: 'm1' }],
  ['account-mail', { about: 'verification', accountId: 'a', issuanceId: 'i', expiresAt: '2026-01-01T00:15:00.000Z' }],
  ['take-report-in', { reportId: 'r1', subject: { kind: 'account', id: 'a' }, reason: 'known_image' }],
  [
    'settle-case',
    {
      caseId: toCaseId({ kind: 'ad', id: 'a1' }),
      decisionId: 'd1',
      about: 'decision',
      decidedAt: '2026-01-01T00:00:00.000Z',
    },
  ],
  ['removal', { requestId: 'q1', about: 'requested', at: '2026-01-01T00:00:00.000Z' }],
  ['thread-replies', { threadId: 't1', number: 1 }],
  ['reply-mail', { accountId: 'a', threadId: 't1', number: 1 }],
  ['reply-mails', { threadId: 't1', number: 1, round: '1', from: '', until: null }],
];

/** Tests that a job is carried out even if the queue loses it. */
export function describeLostJobs(
  name: string,
  open: () => Promise<{ readonly backend: JobBackend; close(): Promise<void> }>,
): void {
  describe(`a job that ${name} has lost`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    let database: TestDatabase;
    let pool: Pool;
    let unfinishedJobs: UnfinishedJobs;
    let queue: BullJobQueue;
    let workers: JobWorkers | null;
    beforeEach(async () => {
      database = await createMigratedDatabase();
      pool = createPool({ connectionString: database.connectionString, max: 4, applicationName: 'test' });
      opened = await open();
      unfinishedJobs = createUnfinishedJobs(pool);
      queue = createJobQueue(opened.backend, { firstRetry_ms: 1 });
      workers = null;
    });
    afterEach(async () => {
      await workers?.close();
      await queue.close();
      await opened.close();
      await pool.end();
      await database.drop();
    });

    const enqueue = async (
      [kind, payload]: readonly [JobKind, JobPayloads[JobKind]],
      options: { readonly jobId: string; readonly delay_ms?: number } = { jobId: 'event:1' },
    ) => createRecordedJobQueue(queue, unfinishedJobs).enqueue(kind, payload, options);
    /** Removes all jobs from the queue, like a Redis that starts without its last data. */
    const loseJobs = () => removeMatchingJobs(opened.backend, () => true);
    const resume = () => resumeJobs({ unfinishedJobs, queue, log }, new AbortController().signal);
    /** Moves the records of all jobs into the past. */
    const age = (minutes: number) =>
      pool.query(
        `update jobs.unfinished set enqueued_at = enqueued_at - $1 * interval '1 minute',
                                    check_at = check_at - $1 * interval '1 minute'`,
        [minutes],
      );
    const records = async () => (await pool.query('select from jobs.unfinished')).rowCount;
    const countsOf = async (kind: JobKind) => (await queue.counts())[kind];
    /** Starts workers whose jobs of one kind are handled by `handle`. */
    function startWorkers(kind: JobKind, handle: JobHandler<JobKind>): void {
      const handlers: JobHandlers = { ...IDLE_HANDLERS, [kind]: withRecordedEnd(kind, handle, unfinishedJobs) };
      workers = createJobWorkers(opened.backend, { handlers, log: createLogger('silent') });
    }

    test.each(JOBS)('is enqueued again after two minutes and runs once: %s', async (kind, payload) => {
      await enqueue([kind, payload]);
      await loseJobs();
      expect(await resume()).toBe(0);
      expect(await countsOf(kind)).toMatchObject({ waiting: 0 });

      await age(3);
      expect(await resume()).toBe(1);
      expect(await countsOf(kind)).toMatchObject({ waiting: 1 });
      const handle = vi.fn<JobHandler<JobKind>>().mockResolvedValue();
      startWorkers(kind, handle);
      await eventually(async () => expect(await records()).toBe(0));
      const context: JobContext = {
        jobId: 'event:1',
        attempt: 1,
        enqueuedAt_ms: expect.closeTo(Date.now() - 3 * 60_000, -5) as number,
        signal: expect.any(AbortSignal) as AbortSignal,
      };
      expect(handle.mock.calls).toEqual([[payload, context]]);

      await age(60);
      expect(await resume()).toBe(0);
    });

    const photo = ['photo-variants', { mediaId: 'm1' }] as const;

    test('keeps its turn: the first jobs of all accounts start before the second jobs', async () => {
      const recorded = createRecordedJobQueue(queue, unfinishedJobs);
      const add = (mediaId: string, accountId: string) =>
        recorded.enqueue('photo-variants', { mediaId }, { jobId: mediaId, accountId });
      for (let n = 0; n < 4; n += 1) await add(`first-${n}`, 'first');
      const ofSecond = [0, 1].map((n) => ({ payload: { mediaId: `second-${n}` }, jobId: `second-${n}` }));
      await recorded.enqueueAll(
        'photo-variants',
        ofSecond.map((job) => ({ ...job, accountId: 'second' })),
      );
      await add('third-0', 'third');
      expect(await countsOf('photo-variants')).toMatchObject({ waiting: 7 });
      await loseJobs();
      await age(3);
      expect(await resume()).toBe(7);
      const handle = vi.fn<(payload: JobPayloads[JobKind]) => Promise<void>>().mockResolvedValue();
      startWorkers('photo-variants', handle);
      await eventually(async () => expect(await records()).toBe(0));
      const turns = handle.mock.calls.map(([payload]) => ('mediaId' in payload ? payload.mediaId.split('-')[1] : null));
      expect(turns).toEqual(['0', '0', '0', '1', '1', '2', '3']);
    });

    test('is enqueued once, independent of the number of processes and runs', async () => {
      for (let n = 0; n < 120; n += 1) await enqueue(photo, { jobId: `event-${n}` });
      await loseJobs();
      await age(3);
      const found = await Promise.all([resume(), resume(), resume()]);
      expect(found.reduce((sum, one) => sum + one)).toBe(120);
      expect(await resume()).toBe(0);
      expect(await countsOf('photo-variants')).toMatchObject({ waiting: 120 });
    });

    test('is enqueued again although it was enqueued together with others and a rejected one', async () => {
      const many = Array.from({ length: 120 }, (_, n) => ({ payload: { mediaId: 'm1' }, jobId: `event-${n}` }));
      const recorded = createRecordedJobQueue(queue, unfinishedJobs);
      const rejected = { payload: { mediaId: 'x'.repeat(70_000) }, jobId: 'large' };
      const rejections = await recorded.enqueueAll('photo-variants', [...many, rejected]);
      expect(rejections.map(({ jobId }) => jobId)).toEqual(['large']);
      expect(await recorded.enqueueAll('photo-variants', many)).toEqual([]);
      expect(await records()).toBe(120);
      expect(await countsOf('photo-variants')).toMatchObject({ waiting: 120 });
      await loseJobs();
      await age(3);
      expect(await resume()).toBe(120);
      expect(await countsOf('photo-variants')).toMatchObject({ waiting: 120 });
    });

    test('is enqueued again each time that it is lost', async () => {
      await enqueue(photo);
      for (const minutes of [3, 6, 12, 24]) {
        await loseJobs();
        await age(minutes);
        expect(await resume()).toBe(1);
        expect(await countsOf('photo-variants')).toMatchObject({ waiting: 1 });
      }
    });

    test('is enqueued again while the event of the job is handled again', async () => {
      await enqueue(photo);
      await loseJobs();
      await enqueue(photo);
      await age(3);
      expect(await resume()).toBe(1);
      expect(await countsOf('photo-variants')).toMatchObject({ waiting: 1 });
      expect(await records()).toBe(1);
    });

    test('is not enqueued again before its delay is over', async () => {
      await enqueue(['reply-mail', { accountId: 'a', threadId: 't1', number: 1 }], { jobId: 'r', delay_ms: 600_000 });
      await age(9);
      expect(await resume()).toBe(0);
      await age(4);
      expect(await resume()).toBe(1);
    });

    test('runs again if its end was not stored', async () => {
      await enqueue(photo);
      const handle = vi.fn<JobHandler<JobKind>>().mockResolvedValue();
      startWorkers('photo-variants', handle);
      await eventually(async () => expect(await records()).toBe(0));
      await eventually(async () => expect(await countsOf('photo-variants')).toMatchObject({ active: 0 }));
      // The event is handled again after the job has ended. The queue ignores the job, because it stores the completed
      // one.
      await enqueue(photo);
      await age(3);
      expect(await resume()).toBe(1);
      await eventually(async () => expect(await records()).toBe(0));
      expect(handle).toHaveBeenCalledTimes(2);
    });

    // A repeated job of another kind has no further effect. A repeated mail job would send a second mail.
    test.each(JOBS.filter(([kind]) => kind.endsWith('-mail') || kind === 'reply-mails'))(
      'does not send its mail again if a failover of Postgres lost the record of the mail: %s',
      async (kind, payload) => {
        await enqueue([kind, payload]);
        const handle = vi.fn<JobHandler<JobKind>>().mockResolvedValue();
        startWorkers(kind, handle);
        await eventually(async () => expect(await records()).toBe(0));
        await eventually(async () => expect(await countsOf(kind)).toMatchObject({ active: 0 }));
        // The promoted replica still has the row of the job.
        await unfinishedJobs.add(kind, payload, { jobId: 'event:1' });
        await age(3);
        expect(await resume()).toBe(1);
        expect(await records()).toBe(0);
        expect(await countsOf(kind)).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
        expect(handle).toHaveBeenCalledTimes(1);
      },
    );

    test('stays failed if it has failed permanently', async () => {
      await enqueue(photo);
      const handle = vi.fn<JobHandler<JobKind>>().mockRejectedValue(new Error('not readable'));
      startWorkers('photo-variants', handle);
      await eventually(async () => expect(await countsOf('photo-variants')).toMatchObject({ failed: 1 }));
      const { length } = handle.mock.calls;
      await age(3);
      expect(await resume()).toBe(1);
      expect(await countsOf('photo-variants')).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 1 });
      expect(handle).toHaveBeenCalledTimes(length);
    });

    test('is found by the next run if the queue was not available', async () => {
      await enqueue(photo);
      await loseJobs();
      await age(3);
      const broken = { ...queue, enqueueAgain: () => Promise.reject(new Error('Redis is away')) };
      await expect(resumeJobs({ unfinishedJobs, queue: broken, log }, new AbortController().signal)).rejects.toThrow(
        'Redis is away',
      );
      expect(await resume()).toBe(1);
    });

    test('is not stored if a periodic task repeats it anyway', async () => {
      await enqueue(['digest-mail', { accountId: 'a', day: '2026-03-02' }]);
      expect(await records()).toBe(0);
      expect(await countsOf('digest-mail')).toMatchObject({ waiting: 1 });
    });
  });
}
