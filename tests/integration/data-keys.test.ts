import { randomBytes, randomUUID } from 'node:crypto';
import { createDataKeys, createKeyWrapping, type Pool } from '@alpenglow/infra';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMigratedDatabase, createTestPool, type TestDatabase } from '../support/database.ts';

/** The keys of accounts in a database that a failover may replace by an older replica (decision 0073). */

const SECRET = 'ab'.repeat(32);
let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createTestPool(database.connectionString);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Opens the keys as a separate process, which has its own cache. */
const openProcess = () => createDataKeys(pool, SECRET);
/** Removes everything that is stored about the keys of an account, as a failover to an older replica does. */
async function loseKeys(accountId: string): Promise<void> {
  await pool.query(`delete from auth.data_keys where split_part(account_id, '~', 1) = $1`, [accountId]);
  await pool.query('delete from auth.key_generations where account_id = $1', [accountId]);
}

test('an account whose key was lost gets a key with another id', async () => {
  const accountId = randomUUID();
  const lost = await openProcess().obtain(accountId);
  await loseKeys(accountId);
  const next = openProcess();
  const created = await next.obtain(accountId);
  expect(created.id).not.toBe(lost.id);
  expect(await next.find([lost.id, created.id])).toEqual(new Map([[created.id, created.key]]));

  await pool.query('delete from auth.data_keys where account_id = $1', [created.id]);
  expect((await openProcess().obtain(accountId)).id, 'only the row of the key was lost').not.toBe(created.id);
});

test('a process stores a lost key again with which it has encrypted data', async () => {
  const accountId = randomUUID();
  const survivor = openProcess();
  const lost = await survivor.obtain(accountId);
  await loseKeys(accountId);
  expect(await survivor.restoreLost()).toBe(1);
  expect(await survivor.restoreLost()).toBe(0);
  expect(await openProcess().obtain(accountId)).toEqual(lost);
  expect(await openProcess().find([lost.id])).toEqual(new Map([[lost.id, lost.key]]));
});

test('a lost key that is stored again after another process has created a key is destroyed by an erasure', async () => {
  const accountId = randomUUID();
  const survivor = openProcess();
  const lost = await survivor.obtain(accountId);
  await loseKeys(accountId);
  const created = await openProcess().obtain(accountId);
  await survivor.restoreLost();
  const eraser = openProcess();
  await eraser.retire(accountId);
  const later = await eraser.obtain(accountId);
  await eraser.destroyRetired(accountId);
  expect(await openProcess().find([lost.id, created.id, later.id])).toEqual(
    new Map([
      [lost.id, null],
      [created.id, null],
      [later.id, later.key],
    ]),
  );
});

test('a destroyed key is not stored again', async () => {
  const accountId = randomUUID();
  const process = openProcess();
  const { id } = await process.obtain(accountId);
  const eraser = openProcess();
  await eraser.retire(accountId);
  await eraser.destroyRetired(accountId);
  expect(await process.restoreLost()).toBe(0);
  expect(await openProcess().find([id])).toEqual(new Map([[id, null]]));
  process.forgetAccount(accountId);
  await loseKeys(accountId);
  expect(await process.restoreLost()).toBe(0);
});

test('processes that create the key of an account at the same time get the same key', async () => {
  const accountIds = Array.from({ length: 20 }, () => randomUUID());
  const found = await Promise.all(
    Array.from({ length: 6 }, openProcess).map((process) => Promise.all(accountIds.map((id) => process.obtain(id)))),
  );
  for (const keys of found) expect(keys).toEqual(found[0]);
  expect(new Set(found[0]?.map(({ id }) => id)).size).toBe(accountIds.length);
});

test('the key that an earlier release has created remains the current key', async () => {
  const accountId = randomUUID();
  const key = randomBytes(32);
  await pool.query('insert into auth.data_keys (account_id, wrapped_key, secret_id) values ($1, $2, null)', [
    accountId,
    createKeyWrapping(SECRET).wrap(accountId, key),
  ]);
  expect(await openProcess().obtain(accountId)).toEqual({ id: accountId, key });
});

test('a key whose row is damaged is reported as missing, and the account gets another key', async () => {
  const accountId = randomUUID();
  const { id } = await openProcess().obtain(accountId);
  await pool.query('update auth.data_keys set wrapped_key = $2 where account_id = $1', [id, Buffer.alloc(60)]);
  const next = openProcess();
  expect(await next.find([id])).toEqual(new Map());
  expect((await next.obtain(accountId)).id).not.toBe(id);
});
