import { DomainError, type Position } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, createTestPool, type TestDatabase } from '../../tests/support/database.ts';
import { findAfterCatchUp } from '../src/adapters/postgres/find-after-catch-up.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createTestPool(database.connectionString);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const store = { readHead: () => Promise.resolve('1' as Position) };
const findAd = async () => (await pool.query<{ id: string }>('select id from ads')).rows[0]?.id ?? null;

test('waits for a read model whose table does not exist yet', async () => {
  const waitFor = async () => {
    await pool.query(`create table ads (id text); insert into ads values ('ad-1')`);
    return true;
  };
  expect(await findAfterCatchUp({ pool, store, progress: { waitFor } }, 'ads', findAd)).toBe('ad-1');
});

test('throws UNAVAILABLE if the table is still missing after the wait', async () => {
  const find = async () => (await pool.query<{ id: string }>('select id from missing')).rows[0]?.id ?? null;
  const progress = { waitFor: () => Promise.resolve(false) };
  const error = await findAfterCatchUp({ pool, store, progress }, 'missing', find).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DomainError);
  expect(error).toMatchObject({ code: 'UNAVAILABLE' });
});

test('other errors of the query are thrown', async () => {
  const progress = { waitFor: () => Promise.resolve(true) };
  await expect(
    findAfterCatchUp({ pool, store, progress }, 'ads', () => pool.query('selct').then(() => 'x')),
  ).rejects.toThrow('syntax error');
});
