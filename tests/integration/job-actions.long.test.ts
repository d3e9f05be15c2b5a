import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  jobControl,
  JobQueueUnavailable,
  toStreamId,
  type EventStore,
  type JobControlEvent,
  type JobInspector,
  type JobActionResult,
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
import { runJobControl } from '@alpenglow/projectors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jobRoutes } from '../../command-api/src/routes/jobs.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { DEAD_JOB } from '../support/dead-job.ts';
import { endWaitingStatement } from '../support/end-waiting-statement.ts';
import { eventually } from '../support/eventually.ts';
import { serveRoutes, type ServedRoutes } from '../support/served-routes.ts';

// Tests retries and removals of jobs that an admin requests. The queue or the process fails at different times.

const log = createLogger('silent');
const ADMIN = { account: { accountId: 'admin' } };
let database: TestDatabase;
let pool: Pool;
let store: EventStore;
let commands: CommandHandler;
let progress: ReadModelProgress;
let api: ServedRoutes;
/** All actions that the queue executed, in order. */
let actions: string[];
/**
 * Flags that determine whether reads and writes of the queue succeed. Tests set the flags to false to simulate an
 * outage.
 */
let isReadable: boolean;
let isWritable: boolean;
let isScriptMissing: boolean;
/** The results of the next removals, in order. When the list is empty, every removal returns `done`. */
let removalResults: JobActionResult[];
const stops: (() => Promise<unknown>)[] = [];

const NONE = { waiting: 0, active: 0, delayed: 0, failed: 0, dead: 2 };

async function callQueue<T>(isAvailable: boolean, getResult: () => T): Promise<T> {
  await pause(1);
  if (!isAvailable) throw new JobQueueUnavailable('unavailable');
  return getResult();
}
const act = <T>(action: string, result: T) =>
  callQueue(isWritable, () => {
    actions.push(action);
    return result;
  });
const inspector: JobInspector = {
  countJobs: () =>
    callQueue(isReadable, () => ({
      'photo-variants': NONE,
      'video-probe': NONE,
      'account-mail': NONE,
      'take-report-in': NONE,
      'settle-case': NONE,
      removal: NONE,
      'thread-replies': NONE,
      'reply-mail': NONE,
      'reply-mails': NONE,
      'digest-mail': NONE,
    })),
  list: () => callQueue(isReadable, () => ({ jobs: [], next: null })),
  find: (_kind, id) => callQueue(isReadable, () => (id === DEAD_JOB.id ? DEAD_JOB : null)),
  retry: (kind, id) =>
    id === 'broken' && isScriptMissing
      ? Promise.reject(new Error('no such script'))
      : act(`retry ${kind} ${id}`, 'done'),
  retryDead: (kind) => act(`retry dead ${kind}`, 2),
  remove: (kind, id) => act(`remove ${kind} ${id}`, removalResults.shift() ?? 'done'),
  close: () => Promise.resolve(),
};

beforeEach(async () => {
  [actions, removalResults, isReadable, isWritable, isScriptMissing] = [[], [], true, true, true];
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

/**
 * Runs the duty, a background task that executes the actions on jobs. Restarts the duty after each failure, as the
 * product does.
 */
function runDuty(releaseWait_ms = 60_000): () => Promise<void> {
  const stopped = new AbortController();
  const runUntilStopped = async () => {
    while (!stopped.signal.aborted)
      await runJobControl({ store, pool, inspector, log, removalTimeout_ms: releaseWait_ms }, stopped.signal).catch(
        () => pause(20),
      );
  };
  const running = runUntilStopped();
  const stop = async () => {
    stopped.abort();
    await running;
  };
  stops.push(stop);
  return stop;
}
const request = (method: string, target: string) => fetch(`${api.url}/api/admin/jobs${target}`, { method });
const readEvents = async () =>
  (await store.readStream(toStreamId(jobControl, 'video-probe'))).map(({ type, version }) => `${type} ${version}`);
const readParkedErrors = async () =>
  (
    await pool.query<{ error: string }>('select error from rm.parked_events where projection = $1', [JOB_MOVES])
  ).rows.map(({ error }) => error);
const write = (event: JobControlEvent) =>
  commands.handle(jobControl, event.data.kind, () => [event], {
    actor: { kind: 'account', accountId: 'admin' },
    correlationId: 'test',
  });

describe.each([
  ['a retry of all dead jobs', 'POST', '/video-probe/retry', 'DeadJobsRetried 3', 'retry dead video-probe'],
  ['a retry of one job', 'POST', '/video-probe/job-1/retry', 'JobRetried 3', 'retry video-probe job-1'],
  ['a removal of one job', 'DELETE', '/video-probe/job-1', 'JobRemoved 3', 'remove video-probe job-1'],
])('%s', (_what, method, target, event, action) => {
  test('is executed and recorded once', async () => {
    runDuty();
    const response = await request(method, target);
    expect(response.status).toBe(202);
    expect(response.headers.get('X-Position')).not.toBeNull();
    await eventually(() => expect(actions).toEqual([action]));
    expect(await readEvents()).toEqual([event]);
  });

  test('is rejected without an event while the queue is unreachable', async () => {
    runDuty();
    isReadable = false;
    const response = await request(method, target);
    expect(response.status).toBe(503);
    expect([response.headers.get('Retry-After'), response.headers.get('X-Position')]).toEqual(['1', null]);
    expect([await readEvents(), actions]).toEqual([[], []]);
  });

  test('is accepted during a write outage of the queue and executed after the outage', async () => {
    runDuty();
    isWritable = false;
    expect((await request(method, target)).status).toBe(202);
    expect([await readEvents(), actions]).toEqual([[event], []]);
    isWritable = true;
    await eventually(() => expect(actions).toEqual([action]));
    expect(await readParkedErrors()).toEqual([]);
  });

  test('is executed once by another process after a crash', async () => {
    expect((await request(method, target)).status).toBe(202);
    expect(actions).toEqual([]);
    await runDutyUntilDone(action);
    // A restarted process must not repeat the action on the job.
    runDuty();
    await write({ type: 'JobRetried', data: { kind: 'video-probe', jobId: 'marker' } });
    await eventually(() => expect(actions).toEqual([action, 'retry video-probe marker']));
  });
});

async function runDutyUntilDone(action: string): Promise<void> {
  const stop = runDuty();
  await eventually(() => expect(actions).toEqual([action]));
  await eventually(async () =>
    expect(
      (
        await pool.query('select from rm.checkpoints where name = $1 and position = $2', [
          JOB_MOVES,
          await store.readHead(),
        ])
      ).rowCount,
    ).toBe(1),
  );
  await stop();
}

test('does not execute actions in events of older versions, which recorded actions after their execution', async () => {
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
  await store.append(toStreamId(jobControl, 'video-probe'), older, { expectedRevision: 'no-stream' });
  runDuty();
  expect((await request('DELETE', '/video-probe/job-1')).status).toBe(202);
  await eventually(() => expect(actions).toEqual(['remove video-probe job-1']));
});

test('repeats the removal of an active job until the worker releases the job', async () => {
  removalResults = ['under-way', 'done'];
  runDuty();
  expect((await request('DELETE', '/video-probe/job-1')).status).toBe(202);
  await eventually(() => expect(actions).toEqual(['remove video-probe job-1', 'remove video-probe job-1']));
});

test('continues with other jobs after a time limit when a worker does not release a job', async () => {
  removalResults = Array.from({ length: 100 }, () => 'under-way' as const);
  runDuty(0);
  await write({ type: 'JobRemoved', data: { kind: 'video-probe', jobId: 'job-1' } });
  await write({ type: 'DeadJobsRetried', data: { kind: 'video-probe' } });
  await eventually(() => expect(actions.at(-1)).toBe('retry dead video-probe'));
});

test('parks an action that fails permanently and continues with other jobs', async () => {
  runDuty();
  await write({ type: 'JobRetried', data: { kind: 'video-probe', jobId: 'broken' } });
  await write({ type: 'DeadJobsRetried', data: { kind: 'video-probe' } });
  await eventually(() => expect(actions).toEqual(['retry dead video-probe']));
  expect(await readParkedErrors()).toEqual(['Error: no such script']);
});

test('carries out a parked action later, when it is possible', async () => {
  runDuty();
  await write({ type: 'JobRetried', data: { kind: 'video-probe', jobId: 'broken' } });
  await eventually(async () => expect(await readParkedErrors()).toEqual(['Error: no such script']));
  isScriptMissing = false;
  await pool.query('update rm.parked_events set retry_at = null');
  await eventually(() => expect(actions).toEqual(['retry video-probe broken']));
  await eventually(async () => expect(await readParkedErrors()).toEqual([]));
});

test('removes a job although the connection to Postgres breaks meanwhile', async () => {
  const blocker = await pool.connect();
  await blocker.query('begin; lock table jobs.unfinished in access exclusive mode');
  runDuty();
  await write({ type: 'JobRemoved', data: { kind: 'video-probe', jobId: 'job-1' } });
  await endWaitingStatement(pool, 'jobs.unfinished');
  await blocker.query('rollback');
  blocker.release();
  await eventually(() => expect(actions).toEqual(['remove video-probe job-1']));
  expect(await readParkedErrors()).toEqual([]);
});
