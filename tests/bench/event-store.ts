import { randomUUID } from 'node:crypto';
import { START, type EventStore, type EventToAppend } from '@alpenglow/domain';
import { createPool, createPostgresEventStore } from '@alpenglow/infra';
import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { keepBusy } from './closed-loop.ts';
import { median } from './statistics.ts';

const WRITERS = 64;
const ROUNDS = 5;
/** Two the store opens, one more read, and room for the product's pools to grow. */
const SPARE_CONNECTIONS = 8;
const WARM_UP_ms = 1_000;
const ROUND_ms = 3_000;
const REPLAY_EVENTS = 100_000;
const REPLAYS = 5;

export interface EventStoreFigures {
  /** Durable one-event appends a second, 64 writers that each wait for their answer. */
  readonly appendsPerSecond: number;
  readonly appendP50_ms: number;
  readonly appendP99_ms: number;
  /** One-row transactions a second into a plain table with the same columns and indexes, 64 writers. */
  readonly plainInsertsPerSecond: number;
  /** Connections the plain writers shared: one each, or as many as the server still gives. More than 20 change their figure by a few percent. */
  readonly plainConnections: number;
  /** Median of the rounds' own ratios; a round runs both, one after the other. */
  readonly appendRatio: number;
  /** Events a second through `readAll`, page after page from the start. */
  readonly replayedPerSecond: number;
}

/** What the event store does on this Postgres, beside what the same Postgres does without it. The database must be migrated. */
export async function benchEventStore({
  connectionString,
}: {
  readonly connectionString: string;
}): Promise<EventStoreFigures> {
  const reads = createPool({ connectionString, max: 2, applicationName: 'bench-reads' });
  const plainConnections = Math.min(WRITERS, await freeConnections(reads));
  const plain = createPool({
    connectionString,
    max: plainConnections,
    applicationName: 'bench-plain',
    idleTimeout_ms: 0,
  });
  const store = createPostgresEventStore({ pool: reads, connectionString });
  try {
    await createPlainTable(plain);
    const append = () => store.append(`bench-${randomUUID()}`, [sampleEvent()], { expectedRevision: 'no-stream' });
    const insert = () => insertPlainly(plain, `bench-${randomUUID()}`, sampleEvent());
    const measure = (write: () => Promise<unknown>, duration_ms = ROUND_ms) =>
      keepBusy(write, { workers: WRITERS, duration_ms });
    await measure(append, WARM_UP_ms);
    await measure(insert, WARM_UP_ms);

    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Who goes first changes, so that neither always meets the other's dirty pages.
      const insertsFirst = round % 2 === 0 ? await measure(insert) : null;
      const appends = await measure(append);
      const inserts = insertsFirst ?? (await measure(insert));
      rounds.push({ appends, inserts, ratio: appends.perSecond / inserts.perSecond });
    }

    await fillTo(store, REPLAY_EVENTS);
    const replays: number[] = [];
    for (let replay = 0; replay < REPLAYS; replay += 1) replays.push(await measureReplay(store));

    return {
      appendsPerSecond: median(rounds.map(({ appends }) => appends.perSecond)),
      appendP50_ms: median(rounds.map(({ appends }) => appends.p50_ms)),
      appendP99_ms: median(rounds.map(({ appends }) => appends.p99_ms)),
      plainInsertsPerSecond: median(rounds.map(({ inserts }) => inserts.perSecond)),
      plainConnections,
      appendRatio: median(rounds.map(({ ratio }) => ratio)),
      replayedPerSecond: median(replays),
    };
  } finally {
    await store.close();
    await plain.query('drop table if exists bench_plain_events').catch(() => undefined);
    await Promise.all([plain.end(), reads.end()]);
  }
}

/** About what a bump or an edited ad weighs. */
export function sampleEvent(): EventToAppend {
  return {
    id: uuidv7(),
    type: 'AdUpdated',
    version: 1,
    data: {
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

/** How many more connections the server takes, less the few the benchmark and the product need themselves. */
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

async function insertPlainly(pool: Pool, stream: string, event: EventToAppend): Promise<void> {
  await pool.query({
    name: 'bench-plain-insert',
    text: 'insert into bench_plain_events (stream, revision, id, type, version, data, meta) values ($1, $2, $3, $4, $5, $6, $7)',
    values: [stream, 0, event.id, event.type, event.version, JSON.stringify(event.data), JSON.stringify(event.meta)],
  });
}

async function fillTo(store: EventStore, events: number): Promise<void> {
  for (let held = Number(await store.head()); held < events; held += 500) {
    await store.append('bench-fill', Array.from({ length: 500 }, sampleEvent), { expectedRevision: 'any' });
  }
}

async function measureReplay(store: EventStore): Promise<number> {
  const start = performance.now();
  let count = 0;
  for (
    let after = START, page = await store.readAll({ after });
    page.length > 0;
    page = await store.readAll({ after })
  ) {
    count += page.length;
    after = page.at(-1)?.position ?? after;
  }
  return count / ((performance.now() - start) / 1_000);
}
