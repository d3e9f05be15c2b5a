import { randomBytes, randomUUID } from 'node:crypto';
import {
  JobRejected,
  replay,
  toStreamId,
  type EventStore,
  type JobKind,
  type JobPayloads,
  type JobQueue,
  type StreamId,
} from '@alpenglow/domain';
import {
  createCommandHandler,
  createDataKeys,
  createJobQueue,
  createKeyWrapping,
  createLogger,
  createPostgresEventStore,
  createRecordedJobQueue,
  createUnfinishedJobs,
  openJobBackend,
  withPersonalData,
  type BullJobQueue,
  type JobBackend,
  type Pool,
} from '@alpenglow/infra';
import { PROJECTIONS, runReactor, type Reactor } from '@alpenglow/projectors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { endParkedEvents } from '../../projectors/src/purge/end-parked-events.ts';
import { toReaction } from '../../projectors/src/reactors/run-reactor.ts';
import { readSkippedEventIds } from '../../projectors/src/skipped-events.ts';
import { resumeJobs } from '../../workers/src/resume-jobs.ts';
import { createTestPool, createWorkDatabase, type TestDatabase } from '../support/database.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { runWithRetries } from '../support/run-with-retries.ts';

/** Reactions to events whose personal data cannot be decrypted, and jobs that the queue rejects (decision 0073). */

const SECRET = '0d'.repeat(32);
const log = createLogger('silent');

let database: TestDatabase;
let pool: Pool;
let backend: JobBackend;
let queue: BullJobQueue;
let jobs: JobQueue;
let sealedStore: EventStore;
let store: EventStore;
let running: ReturnType<typeof runWithRetries> | null;
/** The media ids of the jobs in the order in which they were enqueued. */
let enqueued: string[];

beforeEach(async () => {
  database = await createWorkDatabase();
  pool = createTestPool(database.connectionString, 8);
  backend = await openJobBackend({ connectionString: database.connectionString });
  queue = createJobQueue(backend);
  sealedStore = createPostgresEventStore({ pool, connectionString: database.connectionString });
  store = withPersonalData(sealedStore, createDataKeys(pool, SECRET));
  running = null;
  enqueued = [];
  const recorded = createRecordedJobQueue(queue, createUnfinishedJobs(pool));
  jobs = {
    ...recorded,
    async enqueue(kind, payload, options) {
      await recorded.enqueue(kind, payload, options);
      enqueued.push((payload as JobPayloads['video-probe']).mediaId);
    },
  };
});
afterEach(async () => {
  await running?.stop();
  await store.close();
  await queue.close();
  await backend.close();
  await pool.end();
  await database.drop();
});

const start = (reactor: Reactor) => {
  running = runWithRetries((signal) => runReactor(reactor, { store, pool, jobs, log }, signal));
};
/** Enqueues a job with the display name of the account, which is personal data, or with the id of the event. */
const withName: Reactor = {
  name: 'reactor-test',
  on: {
    ProfileUpdated: ({ data }) => ({ kind: 'video-probe', payload: { mediaId: String(data.displayName) } }),
    AdDeleted: ({ data }) => ({ kind: 'video-probe', payload: { mediaId: data.adId } }),
  },
};
const profile = (accountId: string, displayName: string) =>
  anEvent({ type: 'ProfileUpdated', data: { accountId, displayName, age: 30 } });
const deletion = (accountId: string, adId: string) => anEvent({ type: 'AdDeleted', data: { accountId, adId } });
const streamOf = (name: string): StreamId => toStreamId({ name: 'samples' }, name);
const findParked = async () =>
  (
    await pool.query<{ stream: string; error: string | null }>(
      'select stream, error from rm.parked_events where projection = $1 order by position',
      [withName.name],
    )
  ).rows;

/** Appends an event that is encrypted with a key that is not stored. Returns a function that stores the key. */
async function appendWithLostKey(stream: StreamId, event: ReturnType<typeof anEvent>, accountId: string) {
  const key = { id: `${accountId}~777`, key: randomBytes(32) };
  const sealing = withPersonalData(sealedStore, { obtain: async () => key, find: async () => new Map() });
  await sealing.append(stream, [event], { expectedRevision: 'any' });
  const wrapping = createKeyWrapping(SECRET);
  return () =>
    pool.query('insert into auth.data_keys (account_id, wrapped_key, secret_id) values ($1, $2, $3)', [
      key.id,
      wrapping.wrap(key.id, key.key),
      wrapping.currentId,
    ]);
}

describe('the reactions to a stream with an event that cannot be decrypted', () => {
  test('run in order when the key is available again, and other streams do not wait', async () => {
    const [anna, ben] = [randomUUID(), randomUUID()];
    const restoreKey = await appendWithLostKey(streamOf('anna'), profile(anna, 'first'), anna);
    await store.append(streamOf('anna'), [deletion(anna, 'second'), profile(anna, 'third')], {
      expectedRevision: 'any',
    });
    await store.append(streamOf('ben'), [profile(ben, 'other')], { expectedRevision: 'any' });
    start(withName);
    await eventually(() => expect(enqueued).toEqual(['other']));
    await eventually(async () => expect(await findParked()).toHaveLength(3));
    expect((await findParked()).map(({ error }) => error?.includes('is missing or damaged') ?? null)).toEqual([
      true,
      null,
      null,
    ]);
    await restoreKey();
    // The next retry is due at a time that the wait since the first one determines.
    await pool.query('update rm.parked_events set retry_at = null');
    await eventually(() => expect(enqueued).toEqual(['other', 'first', 'second', 'third']));
    await eventually(async () => expect(await findParked()).toEqual([]));
  });

  test('run at once if they need no personal data', async () => {
    const anna = randomUUID();
    await appendWithLostKey(streamOf('anna'), profile(anna, 'hidden'), anna);
    start({
      name: withName.name,
      on: { ProfileUpdated: ({ data }) => ({ kind: 'video-probe', payload: { mediaId: data.accountId } }) },
    });
    await eventually(() => expect(enqueued).toEqual([anna]));
    expect(await findParked()).toEqual([]);
  });

  test('wait although the event itself needs no personal data, if the job does', async () => {
    const anna = randomUUID();
    await appendWithLostKey(streamOf('anna'), profile(anna, 'hidden'), anna);
    start({
      name: withName.name,
      needsPersonalData: true,
      on: { ProfileUpdated: ({ data }) => ({ kind: 'video-probe', payload: { mediaId: data.accountId } }) },
    });
    await eventually(async () => expect(await findParked()).toHaveLength(1));
    expect(enqueued).toEqual([]);
  });
});

describe('the parked reactions of an erased account', () => {
  const idJob: Reactor = {
    name: withName.name,
    needsPersonalData: true,
    on: { ProfileUpdated: ({ data }) => ({ kind: 'video-probe', payload: { mediaId: data.accountId } }) },
  };

  /** Parks a reaction to an event whose key is lost. Then records the key as destroyed, as an erasure does. */
  async function parkAndErase(): Promise<string> {
    const anna = randomUUID();
    await appendWithLostKey(streamOf('anna'), profile(anna, 'hidden'), anna);
    start(idJob);
    await eventually(async () => expect(await findParked()).toHaveLength(1));
    await running?.stop();
    await pool.query('insert into auth.data_keys (account_id, wrapped_key) values ($1, null)', [`${anna}~777`]);
    return anna;
  }
  const end = (accountId: string, reactor: Reactor, queueOfJobs: JobQueue) =>
    endParkedEvents(
      accountId,
      [],
      [toReaction(reactor, { jobs: queueOfJobs })],
      { pool, sealedStore, dataKeys: createDataKeys(pool, SECRET), log },
      new AbortController().signal,
    );

  test('wait while a backing service is unavailable, and then run', async () => {
    const anna = await parkAndErase();
    const unreachable = createTestPool(database.connectionString, 1);
    await unreachable.end();
    const unavailable = createRecordedJobQueue(queue, createUnfinishedJobs(unreachable));
    expect(await end(anna, idJob, unavailable)).toBe('later');
    expect(await findParked()).toHaveLength(1);
    expect(await end(anna, idJob, jobs)).toBe('done');
    expect(enqueued).toEqual([anna]);
    expect(await findParked()).toEqual([]);
  });

  test('are dropped if they are still not possible', async () => {
    const anna = await parkAndErase();
    const tooLarge: Reactor = {
      ...idJob,
      on: { ProfileUpdated: () => ({ kind: 'video-probe', payload: { mediaId: 'x'.repeat(65 * 1_024) } }) },
    };
    expect(await end(anna, tooLarge, jobs)).toBe('done');
    expect(await findParked()).toEqual([]);
    expect(enqueued).toEqual([]);
  });
});

test('a projection omits a skipped event although the reason of the admin cannot be decrypted', async () => {
  const [anna, eventId] = [randomUUID(), randomUUID()];
  const data = { projection: 'accounts', eventId, position: '7', subjectId: anna, reason: 'Written by mistake.' };
  const skip = anEvent({ type: 'ParkedEventSkipped', data });
  await appendWithLostKey(toStreamId(replay, 'accounts'), skip, anna);
  const [projection] = PROJECTIONS.filter(({ name }) => name === 'accounts');
  expect(projection && (await readSkippedEventIds(store, projection))).toEqual(new Set([eventId]));
  expect((await createCommandHandler(store).load(replay, 'accounts')).state.skippedEventIds).toEqual([eventId]);
});

describe('a job that the queue rejects', () => {
  test.each([
    ['is too large', 'x'.repeat(65 * 1_024)],
    ['cannot be stored', 'zero \u0000 byte'],
  ])('because it %s is parked with the later jobs of its stream, and stops no other job', async (_reason, name) => {
    const [anna, ben] = [randomUUID(), randomUUID()];
    start(withName);
    await store.append(streamOf('anna'), [profile(anna, name), deletion(anna, 'waits')], { expectedRevision: 'any' });
    await store.append(streamOf('ben'), [profile(ben, 'other')], { expectedRevision: 'any' });
    await eventually(() => expect(enqueued).toEqual(['other']));
    await eventually(async () =>
      expect(await findParked()).toEqual([
        { stream: streamOf('anna'), error: expect.stringContaining('JobRejected') },
        { stream: streamOf('anna'), error: null },
      ]),
    );
    expect((await pool.query('select from jobs.unfinished')).rowCount).toBe(1);
  });

  test('because of a conflict with another job is enqueued when that job has finished', async () => {
    await pool.query(`create unique index on jobs.unfinished ((payload ->> 'mediaId'))`);
    const unfinished = createUnfinishedJobs(pool);
    await unfinished.add('video-probe', { mediaId: 'taken' }, { jobId: 'earlier' });
    start(withName);
    await store.append(streamOf('anna'), [profile(randomUUID(), 'taken')], { expectedRevision: 'any' });
    await store.append(streamOf('ben'), [profile(randomUUID(), 'other')], { expectedRevision: 'any' });
    await eventually(() => expect(enqueued).toEqual(['other']));
    await eventually(async () =>
      expect(await findParked()).toMatchObject([{ error: expect.stringContaining('JobRejected') }]),
    );
    await unfinished.remove('video-probe', 'earlier');
    await pool.query('update rm.parked_events set retry_at = null');
    await eventually(() => expect(enqueued).toEqual(['other', 'taken']));
  });

  test.each<[string, JobKind, string]>([
    ['an unknown kind', 'paint' as JobKind, 'a'],
    ['no id', 'video-probe', ''],
    ['a long id', 'video-probe', 'x'.repeat(501)],
  ])('is not stored with %s', async (_reason, kind, jobId) => {
    await expect(jobs.enqueue(kind, { mediaId: 'm' }, { jobId })).rejects.toThrow(JobRejected);
    expect((await pool.query('select from jobs.unfinished')).rowCount).toBe(0);
  });

  test('does not stop the search for lost jobs', async () => {
    const unfinishedJobs = createUnfinishedJobs(pool);
    for (const mediaId of ['x'.repeat(65 * 1_024), 'fine'])
      await unfinishedJobs.add('video-probe', { mediaId }, { jobId: `job-${mediaId.length}` });
    await pool.query(`update jobs.unfinished set check_at = now() - length(job_id) * interval '1 s'`);
    expect(await resumeJobs({ unfinishedJobs, queue, log }, new AbortController().signal)).toBe(2);
    expect((await queue.counts())['video-probe']).toMatchObject({ waiting: 1 });
    expect(await resumeJobs({ unfinishedJobs, queue, log }, new AbortController().signal)).toBe(0);
  });
});
