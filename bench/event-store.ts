import { randomUUID } from 'node:crypto';
import { START_POSITION, type EventStore, type EventToAppend, type StreamId } from '@alpenglow/domain';
import { createPool, createPostgresEventStore } from '@alpenglow/infra';
import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { runClosedLoop } from './closed-loop.ts';
import { median } from './statistics.ts';

const WRITERS = 64;
const ROUNDS = 5;
/**
 * Number of database connections that the plain writers leave free. The event store, the reads and the connection pools
 * of the product need them.
 */
const SPARE_CONNECTIONS = 8;
const WARM_UP_ms = 1_000;
const ROUND_ms = 3_000;
const REPLAY_EVENTS = 100_000;
const REPLAYS = 5;

export interface EventStoreFigures {
  /** Durable appends of one event per second by 64 writers. Each writer waits for the result before its next append. */
  readonly appendsPerSecond: number;
  readonly appendP99_ms: number;
  /**
   * Appended events per second divided by the rows per second that 64 writers insert into a plain table. The table has
   * the same columns and indexes as the table of events, and each row has its own transaction. Median of all rounds, in
   * which both are measured one after the other.
   */
  readonly appendRatio: number;
  /** Events per second that `readAll` returns when it reads the log page by page from the start. */
  readonly replayedPerSecond: number;
}

/**
 * Compares the event store with plain inserts into the same Postgres server. The database must be migrated.
 */
export async function benchEventStore({
  connectionString,
}: {
  readonly connectionString: string;
}): Promise<EventStoreFigures> {
  const reads = createPool({ connectionString, max: 2, applicationName: 'bench-reads' });
  const plain = createPool({
    connectionString,
    // More than 20 connections change the measured rate by only a few percent.
    max: Math.min(WRITERS, await freeConnections(reads)),
    applicationName: 'bench-plain',
    idleTimeout_ms: 0,
  });
  const store = createPostgresEventStore({ pool: reads, connectionString });
  try {
    await createPlainTable(plain);
    const append = () =>
      store.append(`bench-${randomUUID()}` as StreamId, [createSampleEvent()], { expectedRevision: 'no-stream' });
    const insert = () => insertPlain(plain, `bench-${randomUUID()}`, createSampleEvent());
    const measure = (write: () => Promise<unknown>, duration_ms = ROUND_ms) =>
      runClosedLoop(write, { workers: WRITERS, duration_ms });
    await measure(append, WARM_UP_ms);
    await measure(insert, WARM_UP_ms);

    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // A measurement leaves unwritten pages in Postgres, which slow down the next measurement. The order of appends
      // and inserts therefore alternates.
      const insertsFirst = round % 2 === 0 ? await measure(insert) : null;
      const appends = await measure(append);
      const inserts = insertsFirst ?? (await measure(insert));
      rounds.push({ appends, ratio: appends.perSecond / inserts.perSecond });
    }

    await fillTo(store, REPLAY_EVENTS);
    const replays: number[] = [];
    for (let replay = 0; replay < REPLAYS; replay += 1) replays.push(await measureReplay(store));

    return {
      appendsPerSecond: median(rounds.map(({ appends }) => appends.perSecond)),
      appendP99_ms: median(rounds.map(({ appends }) => appends.p99_ms)),
      appendRatio: median(rounds.map(({ ratio }) => ratio)),
      replayedPerSecond: median(replays),
    };
  } finally {
    await store.close();
    await plain.query('drop table if exists bench_plain_events').catch(() => undefined);
    await Promise.all([plain.end(), reads.end()]);
  }
}

/** Returns an event with about the size of an edited ad. */
export function createSampleEvent(): EventToAppend {
  return {
    id: uuidv7(),
    type: 'AdUpdated',
    version: 1,
    data: {
      accountId: randomUUID(),
      adId: randomUUID(),
      title: 'Evening walk along the lake',
      description:
        'A calm evening with good talk. Booking a day ahead is kind, longer notice for weekends, please write first.',
      category: 'companion',
      state: 'NV',
      city: 'Las Vegas',
      photos: [`/uploads/photos/${randomUUID()}/640.webp`],
    },
    meta: {
      correlationId: randomUUID(),
      causationId: null,
      actor: { kind: 'account', accountId: randomUUID() },
      at: '2026-11-21T12:00:00.000Z',
    },
  };
}

/** Returns the number of free database connections of the server, minus `SPARE_CONNECTIONS`. */
async function freeConnections(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ free: number }>(
    `select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
      - (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as free`,
  );
  return Math.max(1, (rows[0]?.free ?? 0) - SPARE_CONNECTIONS);
}

async function createPlainTable(pool: Pool): Promise<void> {
  await pool.query('drop table if exists bench_plain_events');
  await pool.query(`create table bench_plain_events (
    position bigserial primary key, id uuid not null unique, revision integer not null, version smallint not null,
    stream text collate "C" not null, type text collate "C" not null, data json not null, meta json not null,
    unique (stream, revision))`);
}

async function insertPlain(pool: Pool, stream: string, event: EventToAppend): Promise<void> {
  await pool.query({
    name: 'bench-plain-insert',
    text: `insert into bench_plain_events (stream, revision, id, type, version, data, meta)
           values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [stream, 0, event.id, event.type, event.version, JSON.stringify(event.data), JSON.stringify(event.meta)],
  });
}

async function fillTo(store: EventStore, events: number): Promise<void> {
  for (let stored = Number(await store.readHead()); stored < events; stored += 500) {
    await store.append('bench-fill' as StreamId, Array.from({ length: 500 }, createSampleEvent), {
      expectedRevision: 'any',
    });
  }
}

async function measureReplay(store: EventStore): Promise<number> {
  const start = performance.now();
  let count = 0;
  for (
    let after = START_POSITION, page = await store.readAll({ after });
    page.length > 0;
    page = await store.readAll({ after })
  ) {
    count += page.length;
    after = page.at(-1)?.position ?? after;
  }
  return count / ((performance.now() - start) / 1_000);
}
