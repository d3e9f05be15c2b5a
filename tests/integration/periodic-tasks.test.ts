import { createLogger } from '@alpenglow/infra';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Pool } from 'pg';
import { attemptParts } from '../../workers/src/attempt-each.ts';
import { runPeriodically } from '../../workers/src/run-periodically.ts';
import { createMigratedDatabase, createTestPool, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createTestPool(database.connectionString, 2);
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
  await runPeriodically({ pool, log }, { name: 'test', first_ms: 1, every_ms: 1, work }, stop.signal);
  return warn.mock.calls.map(([, message]) => message);
}

test('a read model that does not exist yet is no failure', async () => {
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
