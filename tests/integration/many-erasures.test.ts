import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { person, toStreamId } from '@alpenglow/domain';
import { requestErasure } from '@alpenglow/domain/deciders';
import {
  continueErasures,
  createCommandHandler,
  createLogger,
  createPostgresEventStore,
  type CommandHandler,
  type Pool,
} from '@alpenglow/infra';
import { PROJECTIONS, runProjection } from '@alpenglow/projectors';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMigratedDatabase, createTestPool, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { runWithRetries } from '../support/run-with-retries.ts';

/** Many erasures that are in progress at the same time (decision 0044). */

const log = createLogger('silent');
const { signal } = new AbortController();

let database: TestDatabase;
let pool: Pool;
let store: ReturnType<typeof createPostgresEventStore>;
let commands: CommandHandler;
let projecting: ReturnType<typeof runWithRetries>;

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createTestPool(database.connectionString, 8);
  store = createPostgresEventStore({ pool, connectionString: database.connectionString });
  commands = createCommandHandler(store);
  projecting = runWithRetries(async (stopped) => {
    const projection = PROJECTIONS.find(({ name }) => name === 'erasures');
    if (projection) await runProjection(projection, { store, pool, log }, stopped);
  });
});
afterEach(async () => {
  await projecting.stop();
  await store.close();
  await pool.end();
  await database.drop();
});

/** Requests the erasure of an account. All requests have the same time. */
async function request(accountId: string): Promise<void> {
  const command = { accountId, receiptId: randomUUID(), by: 'self', reason: null } as const;
  await commands.execute(person, accountId, requestErasure, command, TEST_ORIGIN, { now: '2026-03-01T12:00:00.000Z' });
}

test('every erasure continues although many older ones fail', async () => {
  const stuck = Array.from({ length: 45 }, (_, index) => `a-${String(index).padStart(2, '0')}`);
  const [later, parked] = ['b-later', 'b-parked'];
  for (const accountId of [...stuck, later]) await request(accountId);
  await eventually(async () => expect((await pool.query('select from rm.erasures')).rowCount).toBe(stuck.length + 1));
  await projecting.stop();
  // The read model has parked this request, and one of the requests that it also contains.
  await request(parked);
  await pool.query(
    `insert into rm.parked_events (projection, position, stream, event_type)
     select 'erasures', position, stream, type from es.events where stream = any($1)`,
    [[parked, stuck[0] ?? ''].map((accountId) => toStreamId(person, accountId))],
  );
  const attempt = vi.fn(async (accountId: string) => {
    if (stuck.includes(accountId)) throw new Error('stuck');
    return 'done' as const;
  });
  await continueErasures({ pool, commands, log }, { keys_retired: ({ accountId }) => attempt(accountId) }, signal);
  expect(new Set(attempt.mock.calls.map(([accountId]) => accountId))).toEqual(new Set([...stuck, later, parked]));
  for (const accountId of [later, parked])
    expect((await store.readStream(toStreamId(person, accountId))).map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ step: 'keys_retired' }),
    );
});

test('an erasure with a slow step does not delay the other ones, also those that were requested later', async () => {
  await request('a-slow');
  await eventually(async () => expect((await pool.query('select from rm.erasures')).rowCount).toBe(1));
  const finishSlow = new AbortController();
  const attempted: string[] = [];
  const continuing = continueErasures(
    { pool, commands, log },
    {
      async keys_retired({ accountId }) {
        attempted.push(accountId);
        if (accountId === 'a-slow' && !finishSlow.signal.aborted) await once(finishSlow.signal, 'abort');
        return 'done';
      },
    },
    signal,
  );
  await eventually(() => expect(attempted).toEqual(['a-slow']));
  for (let index = 0; index < 5; index += 1) await request(`b-${index}`);
  await eventually(() => expect(attempted).toHaveLength(6));
  finishSlow.abort();
  await continuing;
  expect([...attempted].sort()).toEqual(['a-slow', 'b-0', 'b-1', 'b-2', 'b-3', 'b-4']);
});
