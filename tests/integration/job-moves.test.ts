import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  jobControl,
  JobQueueUnavailable,
  streamOf,
  type EventStore,
  type InspectedJob,
  type JobControlEvent,
  type JobInspector,
  type JobWish,
} from '@alpenglow/domain';
import {
  createCommandHandler,
  createLogger,
  createPool,
  createPostgresEventStore,
  createReadModelProgress,
  JOB_MOVES,
  migrate,
  type Authentication,
  type CommandHandler,
  type Pool,
  type ReadModelProgress,
} from '@alpenglow/infra';
import { runJobMoves } from '@alpenglow/projectors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jobRoutes } from '../../command-api/src/routes/jobs.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { serveRoutes, type ServedRoutes } from '../support/served-routes.ts';

/** Retrying and removing jobs by hand, where the queue, or whoever does it, goes away at the worst moment. */

const log = createLogger('silent');
const ADMIN = { account: { accountId: 'admin' } };
let database: TestDatabase;
let pool: Pool;
let store: EventStore;
let commands: CommandHandler;
let progress: ReadModelProgress;
let api: ServedRoutes;
/** What has been done to jobs, in order. */
let done: string[];
/** Whether the queue can be asked, and whether it can be changed. */
let isReadable: boolean;
let isWritable: boolean;
/** What removing answers in turn; `done` after that. */
let removing: JobWish[];
const stops: (() => Promise<unknown>)[] = [];

const JOB: InspectedJob = {
  id: 'job-1',
  kind: 'video-probe',
  state: 'dead',
  attempts: 5,
  maxAttempts: 5,
  enqueuedAt: '',
  nextAt: null,
  startedAt: null,
  endedAt: null,
  error: null,
  payload: [],
  stack: [],
};
const NONE = { waiting: 0, active: 0, delayed: 0, failed: 0, dead: 2 };

async function unlessAway<T>(isThere: boolean, answer: () => T): Promise<T> {
  await pause(1);
  if (!isThere) throw new JobQueueUnavailable('away');
  return answer();
}
const change = <T>(what: string, answer: T) =>
  unlessAway(isWritable, () => {
    done.push(what);
    return answer;
  });
const inspector: JobInspector = {
  counts: () =>
    unlessAway(isReadable, () => ({
      'photo-variants': NONE,
      'video-probe': NONE,
      'account-mail': NONE,
      'take-report-in': NONE,
      'settle-case': NONE,
      'thread-replies': NONE,
      'reply-mail': NONE,
      'digest-mail': NONE,
    })),
  list: () => unlessAway(isReadable, () => ({ jobs: [], next: null })),
  find: (_kind, id) => unlessAway(isReadable, () => (id === JOB.id ? JOB : null)),
  retry: (kind, id) =>
    id === 'broken' ? Promise.reject(new Error('no such script')) : change(`retry ${kind} ${id}`, 'done'),
  retryDead: (kind) => change(`retry dead ${kind}`, 2),
  remove: (kind, id) => change(`remove ${kind} ${id}`, removing.shift() ?? 'done'),
  close: () => Promise.resolve(),
};

beforeEach(async () => {
  [done, removing, isReadable, isWritable] = [[], [], true, true];
  database = await createTestDatabase();
  await migrate(database.connectionString, {
    migrationsDir: path.resolve(import.meta.dirname, '../../infra/migrations'),
  });
  pool = createPool({ connectionString: database.connectionString, max: 6, applicationName: 'test' });
  store = createPostgresEventStore({ pool, connectionString: database.connectionString });
  commands = createCommandHandler(store);
  progress = createReadModelProgress({ pool, connectionString: database.connectionString });
  const authentication = { requireAdmin: () => Promise.resolve(ADMIN) } as unknown as Authentication;
  api = await serveRoutes('/api/admin/jobs', jobRoutes({ commands, authentication, inspector, progress }));
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await api.stop();
  await progress.close();
  await store.close();
  await pool.end();
  await database.drop();
});

/** Runs the duty as its leader does: again after each failure. */
function runDuty(letGoWait_ms = 60_000): () => Promise<void> {
  const stopped = new AbortController();
  const again = async () => {
    while (!stopped.signal.aborted)
      await runJobMoves({ store, pool, inspector, log, letGoWait_ms }, stopped.signal).catch(() => pause(20));
  };
  const running = again();
  const stop = async () => {
    stopped.abort();
    await running;
  };
  stops.push(stop);
  return stop;
}
const call = (method: string, target: string) => fetch(`${api.url}/api/admin/jobs${target}`, { method });
const written = async () =>
  (await store.readStream(streamOf(jobControl, 'video-probe'))).map(({ type, version }) => `${type} ${version}`);
const parked = async () =>
  (
    await pool.query<{ error: string }>('select error from rm.parked_events where projection = $1', [JOB_MOVES])
  ).rows.map(({ error }) => error);
const write = (event: JobControlEvent) =>
  commands.handle(jobControl, event.data.kind, () => [event], {
    actor: { kind: 'account', accountId: 'admin' },
    correlationId: 'test',
  });

describe.each([
  ['all dead jobs retried', 'POST', '/video-probe/retry', 'DeadJobsRetried 3', 'retry dead video-probe'],
  ['one retried', 'POST', '/video-probe/job-1/retry', 'JobRetried 3', 'retry video-probe job-1'],
  ['one removed', 'DELETE', '/video-probe/job-1', 'JobRemoved 3', 'remove video-probe job-1'],
])('%s', (_what, method, target, event, deed) => {
  test('is done by the time the answer has come, and logged once', async () => {
    runDuty();
    const answer = await call(method, target);
    expect(answer.status).toBe(202);
    expect(answer.headers.get('X-Position')).not.toBeNull();
    await eventually(() => expect(done).toEqual([deed]));
    expect(await written()).toEqual([event]);
  });

  test('is refused while the queue cannot be reached, and then nothing was written', async () => {
    runDuty();
    isReadable = false;
    const answer = await call(method, target);
    expect(answer.status).toBe(503);
    expect([answer.headers.get('Retry-After'), answer.headers.get('X-Position')]).toEqual(['1', null]);
    expect([await written(), done]).toEqual([[], []]);
  });

  test('that the queue does not take is not refused once it is written, and done when the queue is back', async () => {
    runDuty();
    isWritable = false;
    expect((await call(method, target)).status).toBe(202);
    expect([await written(), done]).toEqual([[event], []]);
    isWritable = true;
    await eventually(() => expect(done).toEqual([deed]));
    expect(await parked()).toEqual([]);
  });

  test('is done by the next process where the one that was to do it is gone', async () => {
    expect((await call(method, target)).status).toBe(202);
    expect(done).toEqual([]);
    await runDutyUntilDone(deed);
    // And not again by the one after that.
    runDuty();
    await write({ type: 'JobRetried', data: { kind: 'video-probe', jobId: 'marker' } });
    await eventually(() => expect(done).toEqual([deed, 'retry video-probe marker']));
  });
});

async function runDutyUntilDone(deed: string): Promise<void> {
  const stop = runDuty();
  await eventually(() => expect(done).toEqual([deed]));
  await eventually(async () =>
    expect(
      (
        await pool.query('select from rm.checkpoints where name = $1 and position = $2', [
          JOB_MOVES,
          await store.head(),
        ])
      ).rowCount,
    ).toBe(1),
  );
  await stop();
}

test('what older versions of the product have written was done by them', async () => {
  const meta = {
    correlationId: 'c',
    causationId: null,
    actor: { kind: 'account', accountId: 'admin' },
    at: '2026-01-01T00:00:00.000Z',
  } as const;
  const older = [1, 2].map((version) => ({
    id: crypto.randomUUID(),
    type: 'JobRemoved',
    version,
    data: { kind: 'video-probe', jobId: `old-${version}` },
    meta,
  }));
  await store.append(streamOf(jobControl, 'video-probe'), older, { expectedRevision: 'no-stream' });
  runDuty();
  expect((await call('DELETE', '/video-probe/job-1')).status).toBe(202);
  await eventually(() => expect(done).toEqual(['remove video-probe job-1']));
});

test('a job that a worker has taken meanwhile is removed when it lets go, and not waited for without end', async () => {
  removing = ['under-way', 'done'];
  runDuty();
  expect((await call('DELETE', '/video-probe/job-1')).status).toBe(202);
  await eventually(() => expect(done).toEqual(['remove video-probe job-1', 'remove video-probe job-1']));
});

test('one that a worker does not let go of holds up nobody for longer than it may', async () => {
  removing = Array.from({ length: 100 }, () => 'under-way' as const);
  runDuty(0);
  await write({ type: 'JobRemoved', data: { kind: 'video-probe', jobId: 'job-1' } });
  await write({ type: 'DeadJobsRetried', data: { kind: 'video-probe' } });
  await eventually(() => expect(done.at(-1)).toBe('retry dead video-probe'));
});

test('what cannot be done at all is set aside where admins see it, and holds up no other', async () => {
  runDuty();
  await write({ type: 'JobRetried', data: { kind: 'video-probe', jobId: 'broken' } });
  await write({ type: 'DeadJobsRetried', data: { kind: 'video-probe' } });
  await eventually(() => expect(done).toEqual(['retry dead video-probe']));
  expect(await parked()).toEqual(['Error: no such script']);
});
