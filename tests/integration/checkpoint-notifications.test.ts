import { once } from 'node:events';
import { START_POSITION, type LogMark, type Position } from '@alpenglow/domain';
import { CHECKPOINT_CHANNEL, createPool, createReadModelProgress, type Pool } from '@alpenglow/infra';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  CheckpointMoved,
  lockCheckpoint,
  moveCheckpoint,
  moveCheckpointInOwnTransaction,
  readCheckpoint,
} from '../../projectors/src/checkpoints/checkpoints.ts';
import type { Projection } from '../../projectors/src/projection.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { endWaitingStatement } from '../support/end-waiting-statement.ts';
import { eventually } from '../support/eventually.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';

const NAME = 'ad_cards';
/** The time limit of waits that are expected to time out. */
const EXPECTED_TIMEOUT_ms = 500;
const event = (n: number): LogMark => ({
  position: String(n).padStart(19, '0') as Position,
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
});

let database: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool({ connectionString: database.connectionString, max: 4, applicationName: 'test' });
  await pool.query('insert into rm.checkpoints (name, version, position) values ($1, 1, $2)', [NAME, START_POSITION]);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

test('processes of earlier builds receive the position of a checkpoint and nothing else', async () => {
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  try {
    await client.query(`listen ${CHECKPOINT_CHANNEL}`);
    const notified = once(client, 'notification');
    await moveCheckpoint(pool, NAME, START_POSITION, event(1));
    expect(await notified).toMatchObject([{ payload: `${NAME}:${event(1).position}` }]);
  } finally {
    await client.end();
  }
});

test('readers know the event of a checkpoint as soon as they know its position', async () => {
  const progress = createReadModelProgress({
    pool,
    connectionString: database.connectionString,
    limit_ms: MAX_WAIT_ms,
  });
  try {
    for (let n = 1; n <= 50; n += 1) {
      const { position: from } = progress.getMark(NAME);
      await moveCheckpoint(pool, NAME, from, event(n));
      expect(await progress.waitFor(NAME, event(n).position)).toBe(true);
      expect(progress.getMark(NAME)).toEqual(event(n));
    }
    // The poll supplies the id of an event that a process of an earlier build has not announced.
    const { position, id } = event(51);
    await pool.query('update rm.checkpoints set position = $2, event_position = $2, event_id = $3 where name = $1', [
      NAME,
      position,
      id,
    ]);
    await pool.query('select pg_notify($1, $2)', [CHECKPOINT_CHANNEL, `${NAME}:${position}`]);
    await eventually(() => expect(progress.getMark(NAME)).toEqual(event(51)));
  } finally {
    await progress.close();
  }
});

test('a checkpoint of lost events does not end the wait for an event that was written in their place', async () => {
  const progress = createReadModelProgress({ pool, connectionString: database.connectionString });
  const waitFor = (n: number, limit_ms: number) => progress.waitFor(NAME, event(n).position, undefined, limit_ms);
  try {
    await moveCheckpoint(pool, NAME, START_POSITION, event(100));
    expect(await waitFor(100, MAX_WAIT_ms)).toBe(true);
    // Another database takes the place of this one. The process still knows the checkpoint of the lost events.
    const { position, id } = event(90);
    await pool.query('update rm.checkpoints set position = $2, event_position = $2, event_id = $3 where name = $1', [
      NAME,
      position,
      id,
    ]);
    expect(await waitFor(95, EXPECTED_TIMEOUT_ms)).toBe(false);
    const waiting = waitFor(95, EXPECTED_TIMEOUT_ms);
    // A notification of the lost log that arrives late
    await pool.query('select pg_notify($1, $2)', [CHECKPOINT_CHANNEL, `${NAME}:${event(100).position}`]);
    expect(await waiting).toBe(false);
    await moveCheckpoint(pool, NAME, position, event(95));
    expect(await waitFor(95, MAX_WAIT_ms)).toBe(true);
  } finally {
    await progress.close();
  }
});

test('a position that is reached is found without waiting, and another one is not', async () => {
  const progress = createReadModelProgress({ pool, connectionString: database.connectionString, limit_ms: 0 });
  try {
    await moveCheckpoint(pool, NAME, START_POSITION, event(1));
    await eventually(() => expect(progress.getMark(NAME)).toEqual(event(1)));
    expect(await progress.waitFor(NAME, event(1).position)).toBe(true);
    expect(await progress.waitFor(NAME, event(2).position)).toBe(false);
  } finally {
    await progress.close();
  }
});

test('a locked checkpoint does not delay the checkpoints that move at the same time', async () => {
  const OTHER = 'ad_owners';
  await pool.query('insert into rm.checkpoints (name, version, position) values ($1, 1, $2)', [OTHER, START_POSITION]);
  const progress = createReadModelProgress({
    pool,
    connectionString: database.connectionString,
    limit_ms: MAX_WAIT_ms,
  });
  const client = await pool.connect();
  try {
    await client.query('begin');
    await lockCheckpoint(client, { name: NAME } as Projection);
    const moves = [NAME, OTHER].map((name) => moveCheckpointInOwnTransaction(pool, name, START_POSITION, event(1)));
    await moves[1];
    expect(await progress.waitFor(OTHER, event(1).position)).toBe(true);
    expect(progress.getMark(OTHER)).toEqual(event(1));
    expect(await readCheckpoint(pool, NAME)).toMatchObject({ position: START_POSITION });
    await client.query('commit');
    await moves[0];
    expect(await progress.waitFor(NAME, event(1).position)).toBe(true);
    expect(progress.getMark(NAME)).toEqual(event(1));
  } finally {
    client.release();
    await progress.close();
  }
});

test('a checkpoint at another position is not moved, and the others move nevertheless', async () => {
  await pool.query('insert into rm.checkpoints (name, version, position) values ($1, 1, $2)', [
    'ad_owners',
    event(2).position,
  ]);
  const moves = [NAME, 'ad_owners'].map((name) => moveCheckpointInOwnTransaction(pool, name, START_POSITION, event(1)));
  const [first, second] = await Promise.allSettled(moves);
  expect(first).toMatchObject({ status: 'fulfilled' });
  expect(second).toMatchObject({ status: 'rejected', reason: expect.any(CheckpointMoved) as unknown });
  expect(await readCheckpoint(pool, NAME)).toMatchObject({ position: event(1).position, eventId: event(1).id });
  expect(await readCheckpoint(pool, 'ad_owners')).toMatchObject({ position: event(2).position });
});

test('of two moves of the same checkpoint at the same time, the second follows the first or is rejected', async () => {
  const move = (from: Position, n: number) => moveCheckpointInOwnTransaction(pool, NAME, from, event(n));
  await Promise.all([move(START_POSITION, 1), move(event(1).position, 2)]);
  expect(await readCheckpoint(pool, NAME)).toMatchObject({ position: event(2).position, eventId: event(2).id });
  const conflicting = await Promise.allSettled([3, 4].map((n) => move(event(2).position, n)));
  expect(conflicting.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const { position = START_POSITION } = (await readCheckpoint(pool, NAME)) ?? {};
  const equal = await Promise.allSettled([5, 5].map((n) => move(position, n)));
  expect(equal.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

test('a broken connection does not reject the moves of several consumers', async () => {
  const names = [NAME, 'ad_owners'];
  await pool.query('insert into rm.checkpoints (name, version, position) values ($1, 1, $2)', [
    'ad_owners',
    START_POSITION,
  ]);
  const client = await pool.connect();
  try {
    // The lock lets the shared statement wait until its connection is ended.
    await client.query('begin');
    await client.query('lock table rm.checkpoints in share mode');
    const moves = names.map((name) => moveCheckpointInOwnTransaction(pool, name, START_POSITION, event(1)));
    await endWaitingStatement(pool, 'unnest');
    await client.query('commit');
    await Promise.all(moves);
  } finally {
    client.release(true);
  }
  for (const name of names)
    expect(await readCheckpoint(pool, name)).toMatchObject({ position: event(1).position, eventId: event(1).id });
});
