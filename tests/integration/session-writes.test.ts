import { createSessions, type Pool } from '@alpenglow/infra';
import type { Position } from '@alpenglow/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMigratedDatabase, createTestPool, type TestDatabase } from '../support/database.ts';

/** The last writes of sessions, which requests at the same time record together. */

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createTestPool(database.connectionString);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const positionOf = (number: number) => String(number).padStart(20, '0') as Position;

/** Opens sessions of different accounts. Returns their tokens and ids. */
async function openSessions(count: number) {
  const sessions = createSessions(pool);
  const tokens = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      sessions.open({ accountId: `account-${index}`, passwordVersion: 0, twoStepVersion: 0 }),
    ),
  );
  const found = await Promise.all(tokens.map((token) => sessions.find(token)));
  return found.map((session, index) => ({ token: tokens[index] ?? '', id: session?.sessionId ?? '' }));
}

/** Returns a pool that counts the statements that it executes. */
function countStatements() {
  const counted = Object.create(pool) as Pool & { statements: number };
  counted.statements = 0;
  counted.query = ((...args: Parameters<Pool['query']>) => {
    counted.statements += 1;
    return pool.query(...args);
  }) as Pool['query'];
  return counted;
}

const lastWriteOf = async (token: string) => (await createSessions(pool).find(token))?.lastWrite?.position ?? null;

test('writes of sessions at the same time share one statement, and each session has its own last write', async () => {
  const opened = await openSessions(20);
  const counting = countStatements();
  const { recordWrite } = createSessions(counting);
  await Promise.all(opened.map(({ id }, index) => recordWrite(id, positionOf(100 + index))));
  expect(counting.statements).toBe(1);
  const written = await Promise.all(opened.map(({ token }) => lastWriteOf(token)));
  expect(written).toEqual(opened.map((_, index) => positionOf(100 + index)));
});

test('of several writes of a session, the latest position is recorded, in one statement and in several', async () => {
  const [{ token, id } = { token: '', id: '' }] = await openSessions(1);
  const { recordWrite } = createSessions(pool);
  await Promise.all([7, 9, 8].map((number) => recordWrite(id, positionOf(number))));
  expect(await lastWriteOf(token)).toBe(positionOf(9));
  await recordWrite(id, positionOf(3));
  expect(await lastWriteOf(token)).toBe(positionOf(9));
  await recordWrite(id, positionOf(10));
  expect(await lastWriteOf(token)).toBe(positionOf(10));
});

test('a session that another transaction has locked delays no other one, and its write is recorded', async () => {
  const [locked, free] = (await openSessions(2)) as [Opened, Opened];
  const { recordWrite } = createSessions(pool);
  const holder = await pool.connect();
  let isRecorded = false;
  try {
    await holder.query('begin');
    await holder.query('select from auth.sessions where session_id = $1 for update', [locked.id]);
    const late = recordWrite(locked.id, positionOf(5)).then(() => (isRecorded = true));
    await recordWrite(free.id, positionOf(6));
    expect(isRecorded).toBe(false);
    expect(await lastWriteOf(free.token)).toBe(positionOf(6));
    await holder.query('commit');
    await late;
  } finally {
    holder.release(true);
  }
  expect(await lastWriteOf(locked.token)).toBe(positionOf(5));
});

test('the write of an ended session is ignored', async () => {
  const [ended, valid] = (await openSessions(2)) as [Opened, Opened];
  const { recordWrite, revoke } = createSessions(pool);
  await revoke(ended.token);
  await Promise.all([recordWrite(ended.id, positionOf(5)), recordWrite(valid.id, positionOf(6))]);
  expect(await lastWriteOf(ended.token)).toBeNull();
  expect(await lastWriteOf(valid.token)).toBe(positionOf(6));
});

type Opened = Awaited<ReturnType<typeof openSessions>>[number];
