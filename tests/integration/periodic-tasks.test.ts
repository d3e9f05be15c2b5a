import {
  createAdDirectory,
  createCommandHandler,
  createEvidenceDirectory,
  createFollowDirectory,
  createJobQueue,
  createLogger,
  createMediaDirectory,
  createPictureChecks,
  createPictureCopies,
  createPostgresEventStore,
  createReadModelProgress,
  createRecordedJobQueue,
  createUnfinishedJobs,
  findMissingReadModels,
  isMissingTable,
  noImageHashList,
  openJobBackend,
} from '@alpenglow/infra';
import { PROJECTIONS, runProjection } from '@alpenglow/projectors';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Pool } from 'pg';
import { attemptParts } from '../../workers/src/attempt-each.ts';
import type { WorkerDependencies } from '../../workers/src/dependencies.ts';
import { runPeriodically, type PeriodicTask } from '../../workers/src/run-periodically.ts';
import { createPeriodicTasks } from '../../workers/src/start-workers.ts';
import { sweepIdentityChecks } from '../../workers/src/sweep-identity-checks.ts';
import { createTestPool, createWorkDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createWorkDatabase();
  pool = createTestPool(database.connectionString, 8);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

/** Runs a task until its second run, and returns the messages that it has logged as warnings. */
async function warningsOf(firstRun: () => Promise<unknown>): Promise<readonly unknown[]> {
  const log = createLogger('silent');
  const warn = vi.spyOn(log, 'warn');
  const stop = new AbortController();
  const work = vi.fn(() => Promise.resolve<unknown>(stop.abort())).mockImplementationOnce(firstRun);
  await runPeriodically({ pool, log }, [{ name: 'test', readModels: [], first_ms: 1, every_ms: 1, work }], stop.signal);
  return warn.mock.calls.map(([, message]) => message);
}

test('a read model that was dropped is no failure', async () => {
  expect(await warningsOf(() => pool.query('select from rm.articles'))).toEqual([]);
});

test('a part of a task whose read model does not exist yet is no failure', async () => {
  const log = createLogger('silent');
  const runs = vi.fn(async () => undefined);
  const parts = { first: () => pool.query('select from rm.articles'), second: runs };
  expect(await warningsOf(() => attemptParts(parts, { task: 'test', log }))).toEqual([]);
  expect(runs).toHaveBeenCalledOnce();
});

test('another failure is logged, and the task runs again', async () => {
  expect(await warningsOf(() => pool.query('select nothing'))).toEqual(['periodic task failed, it will be repeated']);
});

test('a waiting task ends when the process stops', async () => {
  const stop = new AbortController();
  const work = vi.fn(() => Promise.resolve());
  const task = { name: 'test', readModels: ['articles'], first_ms: 1, every_ms: 1, work };
  const log = createLogger('silent');
  const info = vi.spyOn(log, 'info');
  const running = runPeriodically({ pool, log }, [task], stop.signal);
  await eventually(() => expect(info).toHaveBeenCalled());
  stop.abort();
  await running;
  expect(work).not.toHaveBeenCalled();
});

test('all tasks of the workers wait for their tables, with one line in the log and no failing statement', async () => {
  const { connectionString } = database;
  const log = createLogger('silent');
  const lines = (['info', 'warn', 'error'] as const).map((level) => vi.spyOn(log, level));
  const logged = () => lines.flatMap(({ mock }) => mock.calls.map(([, message]) => message));
  const missingTables: string[] = [];
  const watched = new Proxy(pool, {
    get: (target, key) =>
      key === 'query'
        ? (...args: unknown[]) =>
            (target.query as unknown as (...values: unknown[]) => Promise<unknown>)(...args).catch((error: unknown) => {
              if (isMissingTable(error)) missingTables.push(String(error));
              throw error;
            })
        : (Reflect.get(target, key, target) as unknown),
  });
  const store = createPostgresEventStore({ pool, connectionString });
  const commands = createCommandHandler(store);
  const progress = createReadModelProgress({ pool, connectionString });
  const backend = await openJobBackend({ connectionString });
  const queue = createJobQueue(backend);
  const unfinishedJobs = createUnfinishedJobs(pool);
  const stop = new AbortController();
  const running: Promise<unknown>[] = [];
  onTestFinished(async () => {
    stop.abort();
    await Promise.allSettled(running);
    await queue.close();
    await backend.close();
    await progress.close();
    await store.close();
  });
  const blobs = { list: async function* () {}, remove: async () => undefined };
  const deps = {
    pool: watched,
    commands,
    blobs,
    log,
    store,
    progress,
    mediaDirectory: createMediaDirectory(watched),
    evidence: createEvidenceDirectory(watched),
    ads: createAdDirectory({ pool: watched, store, progress }),
    follows: createFollowDirectory(watched),
    hashList: noImageHashList,
    copies: createPictureCopies(watched),
    pictureChecks: createPictureChecks(watched),
    haveOtherReaders: () => Promise.resolve(false),
    sweepExpired: (signal: AbortSignal): Promise<unknown> => sweepIdentityChecks(deps, signal),
  } as unknown as WorkerDependencies;
  const jobs = createRecordedJobQueue(queue, unfinishedJobs);
  /** The number of completed runs of each task. */
  const runs = new Map<string, number>();
  const tasks = createPeriodicTasks(deps, { queue, unfinishedJobs, jobs }, stop.signal).map(
    (task): PeriodicTask => ({
      ...task,
      first_ms: 1,
      every_ms: 50,
      async work() {
        await task.work();
        runs.set(task.name, (runs.get(task.name) ?? 0) + 1);
      },
    }),
  );
  expect(tasks.length).toBeGreaterThan(5);
  running.push(runPeriodically(deps, tasks, stop.signal));
  const isFree = ({ readModels }: PeriodicTask) => readModels.length === 0;
  await eventually(() => {
    for (const { name } of tasks.filter(isFree)) expect(runs.get(name)).toBeGreaterThan(3);
    expect(logged()).toEqual(['periodic tasks wait until their read models exist']);
  });
  // The first runs of the tasks end in any order.
  expect([...runs.keys()].toSorted()).toEqual(
    tasks
      .filter(isFree)
      .map(({ name }) => name)
      .toSorted(),
  );

  for (const projection of PROJECTIONS) {
    const created = new AbortController();
    const building = runProjection(projection, { store, pool, log: createLogger('silent') }, created.signal);
    await eventually(async () => expect(await findMissingReadModels(pool, [projection.name])).toEqual([]));
    created.abort();
    await Promise.allSettled([building]);
  }
  expect(await findMissingReadModels(pool)).toEqual([]);
  await eventually(() => {
    for (const { name } of tasks) expect(runs.get(name)).toBeGreaterThan(1);
  });
  expect(missingTables).toEqual([]);
  expect(logged()).toEqual(['periodic tasks wait until their read models exist']);
});
