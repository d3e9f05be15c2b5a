import { setTimeout as pause } from 'node:timers/promises';
import {
  listing,
  START_POSITION,
  toStreamId,
  type DomainEvent,
  type EventStore,
  type Position,
  type StreamId,
} from '@alpenglow/domain';
import {
  createLogger,
  createPool,
  createPostgresEventStore,
  createReadModelProgress,
  readModelsWith,
  whileWaiting,
  type Pool,
} from '@alpenglow/infra';
import {
  PROJECTIONS,
  rebuildProjection,
  resolveProjection,
  runProjection,
  withShards,
  type Projection,
} from '@alpenglow/projectors';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { adPosted } from '../../domain/test/listing/posted-ad.ts';
import { lockCheckpoint, readCheckpoint } from '../../projectors/src/checkpoints/checkpoints.ts';
import { compareTables } from '../../projectors/src/replay/compare.ts';
import { catchUpTables } from '../../projectors/src/replay/catch-up.ts';
import { retryParkedEvents } from '../../projectors/src/replay/retry-parked-events.ts';
import { fillTables } from '../../projectors/src/rebuild/fill-tables.ts';
import { createRebuildTables } from '../../projectors/src/rebuild/rebuild.ts';
import { swapTables } from '../../projectors/src/rebuild/swap-tables.ts';
import { inReadModelTransaction } from '../../projectors/src/read-model-transaction.ts';
import { refoldRows, writeRefoldedRows } from '../../projectors/src/purge/refold.ts';
import { readShardMarks, shardOf } from '../../projectors/src/shards/shards.ts';
import { dropOtherVersions } from '../../projectors/src/versions/drop-unused-versions.ts';
import { bundleForNode } from '../support/bundle.mjs';
import { createMigratedDatabase, createTestPool, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import { runBundle, type TestProcess } from '../support/processes.ts';
import { randomNumbers } from '../support/random.ts';
import type { ShardPlan } from '../support/shard-runner.ts';

const SHARDS = 3;
const [plain] = PROJECTIONS as [Projection];
const [sharded] = withShards([plain], new Map([['ad_cards', SHARDS]])) as [Projection];
const log = createLogger('silent');

let database: TestDatabase;
let pool: Pool;
let store: EventStore;
let stops: (() => Promise<unknown>)[];

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool({ connectionString: database.connectionString, max: 12, applicationName: 'test' });
  store = createPostgresEventStore({ pool, connectionString: database.connectionString });
  stops = [];
});
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  await store.close();
  await pool.end();
  await database.drop();
});

let nextEvent = 0;
async function append(stream: StreamId, ...events: readonly DomainEvent[]): Promise<Position> {
  const stored = events.map(({ type, data }) => ({
    id: crypto.randomUUID(),
    type,
    version: 1,
    data,
    meta: {
      correlationId: 'c',
      causationId: null,
      actor: { kind: 'system', name: 'test' } as const,
      at: new Date(Date.UTC(2026, 0, 1) + (nextEvent += 1) * 1000).toISOString(),
    },
  }));
  return (await store.append(stream, stored, { expectedRevision: 'any' })).position;
}

const streamOf = (owner: string) => toStreamId(listing, owner);
const ad = (owner: string) => ({ accountId: owner, adId: `ad-${owner}` });
const posted = (owner: string, title: string, city = 'Reno') => adPosted({ ...ad(owner), title, city });
const bumped = (owner: string) => ({ type: 'AdBumped', data: ad(owner) }) as DomainEvent;
const deleted = (owner: string) => ({ type: 'AdDeleted', data: { ...ad(owner), reason: null } }) as DomainEvent;

/** Writes random changes of 20 ads in few places, so that all shards change the same counts. */
async function writeHistory(steps: number, seed: number): Promise<Position> {
  const random = randomNumbers(seed);
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  let position: Position = START_POSITION;
  for (let step = 0; step < steps; step += 1) {
    const owner = `o${Math.floor(random() * 20)}`;
    const event = pick([
      () => posted(owner, pick(['Quiet evenings', 'Calm company', 'Good evenings']), pick(['Reno', 'Elko'])),
      () => bumped(owner),
      () => deleted(owner),
    ])();
    position = await append(streamOf(owner), event);
  }
  return position;
}

/** Runs shards until the returned function is called. */
function run(projection: Projection, indexes: readonly number[], source: EventStore = store): () => Promise<void> {
  const stopping = new AbortController();
  const count = projection.shards ?? 1;
  const running = indexes.map((index) =>
    runProjection(projection, { store: source, pool, log }, stopping.signal, { index, count }),
  );
  const stop = async () => {
    stopping.abort();
    await Promise.all(running);
  };
  stops.push(stop);
  return stop;
}

const ALL = [0, 1, 2];

async function positionOf(name: string): Promise<Position | null> {
  const { rows } = await pool.query<{ position: Position }>('select position from rm.checkpoints where name = $1', [
    name,
  ]);
  return rows[0]?.position ?? null;
}
const untilAt = (name: string, position: Position) =>
  eventually(async () => expect(await positionOf(name)).toBe(position), { interval_ms: 20 });

async function rowsOf(table: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ row: string }>(`select t::text as row from rm."${table}" t order by 1`);
  return rows.map(({ row }) => row);
}
/** All rows of the read model, with the names of the tables without a version. */
async function readModel(projection: Projection) {
  const { name, tallies = [] } = await resolveProjection(pool, projection);
  const tables = [name, ...tallies.map((tally) => tally.name)];
  return Promise.all(tables.map(rowsOf));
}

/** The read model that a new projection without shards computes from the same events. */
async function expectedRows() {
  await rebuildProjection(await resolveProjection(pool, plain), { store, pool });
  return readModel(plain);
}

const ownersOf = (index: number) =>
  Array.from({ length: 20 }, (_, n) => `o${n}`).filter((owner) => shardOf(streamOf(owner), SHARDS) === index);

describe('a projection with shards', () => {
  test('has the same rows and counts as without shards, next to which it runs', async () => {
    run(plain, [0]);
    await untilAt('ad_cards', await writeHistory(60, 1));
    run(sharded, ALL);
    const position = await writeHistory(240, 2);
    await untilAt('ad_cards', position);
    await untilAt(`ad_cards__v${sharded.version}`, position);
    const rows = await readModel(sharded);
    expect(rows).toEqual(await readModel(plain));
    expect(rows[0]?.length).toBeGreaterThan(0);
    expect((await pool.query('select from rm.tally_changes')).rowCount).toBe(0);
  });

  test('has reached a position only when its slowest shard has', async () => {
    const stopAll = run(sharded, ALL);
    await append(streamOf('o1'), posted('o1', 'Calm company'));
    await untilAt('ad_cards', await store.readHead());
    await stopAll();
    const before = await store.readHead();
    const stopTwo = run(sharded, [0, 1]);
    const [slow = ''] = ownersOf(2);
    const [fast = ''] = ownersOf(0);
    await append(streamOf(fast), posted(fast, 'Calm company'));
    const position = await append(streamOf(slow), posted(slow, 'Quiet evenings'));
    await untilAt('ad_cards#0', position);
    await untilAt('ad_cards#1', position);
    expect(await positionOf('ad_cards')).toBe(before);
    const progress = createReadModelProgress({
      pool,
      connectionString: database.connectionString,
      readModels: readModelsWith(new Map([['ad_cards', SHARDS]])),
    });
    stops.push(() => progress.close());
    expect(await progress.waitFor('ad_cards', position, undefined, 0)).toBe(false);
    run(sharded, [2]);
    await eventually(async () => expect(await progress.waitFor('ad_cards', position)).toBe(true));
    expect(await readModel(sharded)).toEqual(await expectedRows());
    await stopTwo();
  });

  test('moves the checkpoint of a shard with what was read, not only with its own events', async () => {
    run(sharded, ALL);
    const position = await append(streamOf('o1'), posted('o1', 'Calm company'));
    for (const index of ALL) await untilAt(`ad_cards#${index}`, position);
    await untilAt('ad_cards', position);
  });

  test('parks the events of one stream only, and applies them when they are retried', async () => {
    let isBroken = true;
    const [owner = ''] = ownersOf(1);
    const fragile: Projection = {
      ...sharded,
      on: {
        ...sharded.on,
        AdBumped: (event, row) => {
          if (isBroken && event.data.accountId === owner) throw new Error('broken');
          return sharded.on.AdBumped?.(event, row) ?? null;
        },
      },
    };
    run(fragile, ALL);
    for (const one of [...ownersOf(0), ...ownersOf(1)]) await append(streamOf(one), posted(one, 'Calm company'));
    await append(streamOf(owner), bumped(owner), deleted(owner));
    const position = await append(streamOf('o9'), bumped('o9'));
    await untilAt('ad_cards', position);
    const { rows } = await pool.query('select distinct stream from rm.parked_events');
    expect(rows).toEqual([{ stream: streamOf(owner) }]);
    isBroken = false;
    const resolved = await resolveProjection(pool, fragile);
    await inReadModelTransaction(pool, (client) =>
      retryParkedEvents(client, store, resolved, 'live', streamOf(owner), new Set()),
    );
    expect((await pool.query('select from rm.parked_events')).rowCount).toBe(0);
    expect(await readModel(fragile)).toEqual(await expectedRows());
  });

  test('is rebuilt as a whole if the log has lost the last event of one shard', async () => {
    const stop = run(sharded, ALL);
    const position = await writeHistory(40, 3);
    await untilAt('ad_cards', position);
    await stop();
    // The rows contain an effect that no event of the log has.
    await pool.query(`update rm.ad_cards set title = 'lost'`);
    await pool.query(`update rm.checkpoints set event_id = $1 where name = 'ad_cards#1'`, [crypto.randomUUID()]);
    run(sharded, ALL);
    await eventually(async () => expect((await readModel(sharded))[0]?.join('')).not.toContain('lost'));
    const last = await append(streamOf('o1'), posted('o1', 'Quiet evenings'));
    await untilAt('ad_cards', last);
    expect(await readModel(sharded)).toEqual(await expectedRows());
    const { rows } = await pool.query('select from rm.checkpoints where lost_position is not null');
    expect(rows).toEqual([]);
  });

  test('is compared with rebuilt tables although its shards are at different positions', async () => {
    const stop = run(sharded, ALL);
    const first = await writeHistory(40, 4);
    await untilAt('ad_cards', first);
    await stop();
    const resolved = await resolveProjection(pool, sharded);
    await createRebuildTables(pool, resolved);
    const filled = await fillTables(resolved, { store, pool }, { position: START_POSITION, events: 0, parked: [] });
    const position = await writeHistory(40, 5);
    const stopTwo = run(sharded, [0, 2]);
    await untilAt('ad_cards#0', position);
    await untilAt('ad_cards#2', position);
    await stopTwo();
    const compare = async () => {
      const client = await pool.connect();
      const from = { position: filled.position, id: filled.eventId ?? null };
      // The rebuilt tables are for this comparison only, and the caller keeps no position.
      await pool.query(`delete from rm.rebuilds`);
      await pool.query(
        `insert into rm.rebuilds (projection, rebuild_id, version, state, requested_at, position)
         values ('ad_cards', $1, $2, 'checking', now(), $3)`,
        [crypto.randomUUID(), sharded.version, from.position],
      );
      const options = { signal: new AbortController().signal, isPausing: () => false };
      return compareTables(resolved, { store, pool }, client, from, options).finally(() => client.release());
    };
    expect(await compare()).toEqual({ differingRows: 0, differences: [] });
  });

  test('has each row up to the position of its shard after an erasure has computed it again', async () => {
    const stop = run(sharded, ALL);
    await untilAt('ad_cards', await writeHistory(40, 10));
    await stop();
    const position = await writeHistory(40, 11);
    const stopTwo = run(sharded, [1, 2]);
    await untilAt('ad_cards#1', position);
    await untilAt('ad_cards#2', position);
    await stopTwo();
    const resolved = await resolveProjection(pool, sharded);
    const before = (await readModel(sharded))[0];
    const keys = new Set(Array.from({ length: 20 }, (_, n) => `o${n}`));
    const shards = await readShardMarks(pool, resolved);
    const refold = (to: Position) =>
      inReadModelTransaction(pool, async (client) => {
        const options = {
          keys: new Map([[resolved, keys]]),
          streams: { own: [], others: [...keys].map(streamOf) },
          excluded: new Map(),
          from: null,
          to,
          shards,
        };
        const rows = await refoldRows(options, store, new AbortController().signal);
        await writeRefoldedRows({ client, projection: resolved, build: 'live' }, keys, rows);
      });
    await refold((await readCheckpoint(pool, 'ad_cards'))?.position ?? START_POSITION);
    expect((await readModel(sharded))[0]).toEqual(before);
    const stopAll = run(sharded, ALL);
    await untilAt('ad_cards', position);
    expect(await readModel(sharded)).toEqual(await expectedRows());
    await stopAll();
    // Replaced tables that have caught up contain all events up to their position, also those after the stored shards.
    await refold(position);
    expect((await readModel(sharded))[0]).toEqual((await expectedRows())[0]);
  });

  test('restores previous tables whose shards were at different positions', async () => {
    const stop = run(sharded, ALL);
    await untilAt('ad_cards', await writeHistory(40, 6));
    await stop();
    const position = await writeHistory(40, 7);
    const stopTwo = run(sharded, [0, 1]);
    await untilAt('ad_cards#0', position);
    await untilAt('ad_cards#1', position);
    await stopTwo();
    const resolved = await resolveProjection(pool, sharded);
    await createRebuildTables(pool, resolved);
    const filled = await fillTables(resolved, { store, pool }, { position: START_POSITION, events: 0, parked: [] });
    const through = { position: filled.position, id: filled.eventId ?? null };
    expect(await swapTables(pool, resolved, { from: 'rebuild', through, retainsPrevious: true })).toBe(true);
    for (const index of ALL) expect(await positionOf(`ad_cards#${index}`)).toBe(position);
    const { rows } = await pool.query('select position, event_id as id, shards as contained from rm.previous_versions');
    const [{ position: at, id, contained }] = rows;
    const signal = new AbortController().signal;
    const previous = await catchUpTables(
      resolved,
      'previous',
      { store, pool },
      { position: at, id },
      { signal, contained },
    );
    expect(await swapTables(pool, resolved, { from: 'previous', through: previous, retainsPrevious: true })).toBe(true);
    const last = await writeHistory(20, 8);
    run(sharded, ALL);
    await untilAt('ad_cards', last);
    expect(await readModel(sharded)).toEqual(await expectedRows());
  });

  test('has each event once although a process that has lost its duties applies events that it had read', async () => {
    const owners = ALL.flatMap(ownersOf);
    const stop = run(sharded, ALL);
    for (const owner of owners) await append(streamOf(owner), posted(owner, 'Calm company'));
    await untilAt('ad_cards', await store.readHead());
    await stop();
    // The first process reads the next events, and stalls before it applies them.
    const gate = createGate();
    let stalledCount = 0;
    const stalling: EventStore = {
      ...store,
      async *subscribeAll(options) {
        for await (const events of store.subscribeAll(options)) {
          stalledCount += 1;
          await gate.yieldToOtherWork();
          yield events;
        }
      },
    };
    run(sharded, ALL, stalling);
    // Each of these events counts one more bump of an ad.
    for (const owner of owners) await append(streamOf(owner), bumped(owner));
    const position = await store.readHead();
    await eventually(() => expect(stalledCount).toBe(ALL.length));
    // A second process has received the duties, and applies the same events.
    const stopSecond = run(sharded, ALL);
    await untilAt('ad_cards', position);
    await stopSecond();
    gate.open();
    // The first process fails to apply its events, and continues from the checkpoints of the second process.
    await untilAt('ad_cards', await append(streamOf('o1'), bumped('o1')));
    expect(await readModel(sharded)).toEqual(await expectedRows());
  });

  test('holds no connection of the pool while its tables are locked, so that an erasure can read', async () => {
    const [ten] = withShards([plain], new Map([['ad_cards', 10]])) as [Projection];
    const indexes = Array.from({ length: 10 }, (_, index) => index);
    const owners = indexes.map((index) => {
      for (let n = 0; ; n += 1) if (shardOf(streamOf(`o${n}`), 10) === index) return `o${n}`;
    });
    const small = createTestPool(database.connectionString, 10);
    const stopping = new AbortController();
    const running = indexes.map((index) =>
      runProjection(ten, { store, pool: small, log }, stopping.signal, { index, count: 10 }),
    );
    const read = vi.fn();
    stops.push(async () => {
      stopping.abort();
      await Promise.all(running);
      await small.end();
    });
    await untilAt('ad_cards', await append(streamOf('o1'), posted('o1', 'Quiet evenings')));
    let position: Position = START_POSITION;
    const appendAndRead = async () => {
      for (const owner of owners) position = await append(streamOf(owner), posted(owner, 'Calm company'));
      // Every shard has received its event.
      await pause(1_000);
      small.query('select').then(read, () => undefined);
      await eventually(() => expect(read).toHaveBeenCalled());
    };
    await inReadModelTransaction(small, async (client) => {
      await lockCheckpoint(client, ten);
      await whileWaiting(client, appendAndRead());
    });
    await untilAt('ad_cards', position);
    expect(await readModel(ten)).toEqual(await expectedRows());
  });

  test('leaves nothing behind when its version is dropped', async () => {
    const stop = run(sharded, ALL);
    await untilAt('ad_cards', await writeHistory(20, 9));
    await stop();
    run(plain, [0]);
    await eventually(async () => expect(await positionOf(`ad_cards__v${plain.version}`)).not.toBeNull());
    await pool.query(`update rm.checkpoints set updated_at = now() - interval '1 hour' where name = 'ad_cards'`);
    await pool.query('delete from ops.read_model_uses');
    expect(await dropOtherVersions(pool, [plain])).toBe(true);
    const { rows } = await pool.query(`select name from rm.checkpoints where name like 'ad_cards%'`);
    expect(rows).toEqual([{ name: `ad_cards__v${plain.version}` }]);
    expect(await rowsOf(`ad_cards__v${plain.version}`)).not.toEqual([]);
  });
});

describe('the shards of a projection in two processes', () => {
  let bundle: Awaited<ReturnType<typeof bundleForNode>>;
  beforeAll(async () => {
    bundle = await bundleForNode('./shard-runner.ts');
  });
  afterAll(() => bundle.remove());

  const start = (): TestProcess => {
    const child = runBundle(bundle.path, {
      connectionString: database.connectionString,
      projection: 'ad_cards',
      shards: 4,
    } satisfies ShardPlan);
    stops.push(async () => {
      child.kill();
      await child.exited();
    });
    return child;
  };

  test('apply each event once, although the processes are killed again and again', async () => {
    const [four] = withShards([plain], new Map([['ad_cards', 4]])) as [Projection];
    let [first, second] = [start(), start()];
    for (let round = 0; round < 4; round += 1) {
      await writeHistory(60, 20 + round);
      first.kill();
      await first.exited();
      [first, second] = [second, start()];
    }
    const position = await writeHistory(40, 30);
    await untilAt('ad_cards', position);
    expect(await readModel(four)).toEqual(await expectedRows());
  });

  test('continue in another process within seconds, although a process hangs before its commit', async () => {
    const first = start();
    await untilAt('ad_cards', await writeHistory(5, 60));
    const blocker = new Client(database.connectionString);
    // A transaction with the limit of other connections, which is longer.
    const other = new Client({
      connectionString: database.connectionString,
      idle_in_transaction_session_timeout: 60_000,
    });
    const ended = vi.fn();
    other.on('error', ended);
    for (const client of [blocker, other]) {
      await client.connect();
      stops.push(() => client.end());
    }
    await blocker.query('begin; lock table rm.ad_cards in exclusive mode');
    const position = await append(streamOf('o1'), posted('o1', 'Quiet evenings'));
    await eventually(async () => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity
          where datname = current_database() and application_name = 'shard-runner' and wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBe(1);
    });
    // The process has moved its checkpoint in a transaction, and cannot commit it.
    first.suspend();
    await other.query('begin');
    await blocker.query('rollback');
    start();
    await untilAt('ad_cards', position);
    expect(ended).not.toHaveBeenCalled();
    const resumed = await append(streamOf('o1'), bumped('o1'));
    first.resume();
    await untilAt('ad_cards', resumed);
    const [four] = withShards([plain], new Map([['ad_cards', 4]])) as [Projection];
    expect(await readModel(four)).toEqual(await expectedRows());
  });

  test('apply each event once, although a process stalls and loses its duties', async () => {
    const [four] = withShards([plain], new Map([['ad_cards', 4]])) as [Projection];
    const first = start();
    await untilAt('ad_cards', await writeHistory(20, 40));
    start();
    for (let round = 0; round < 3; round += 1) {
      const writing = writeHistory(60, 41 + round);
      first.suspend();
      // Postgres ends the sessions of a silent process only after seconds. The second process connects again at once.
      await pool.query(
        `select pg_terminate_backend(pid)
           from pg_stat_activity
          where datname = current_database() and application_name = 'alpenglow-leader'`,
      );
      await untilAt('ad_cards', await writing);
      const resumed = writeHistory(60, 51 + round);
      first.resume();
      await untilAt('ad_cards', await resumed);
    }
    expect(await readModel(four)).toEqual(await expectedRows());
  });
});
