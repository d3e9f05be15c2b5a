import { setTimeout as pause } from 'node:timers/promises';
import {
  findEventDefinition,
  replay,
  toStreamId,
  type DomainEvent,
  type EventStore,
  type Position,
  type RebuildState,
  type ReplayEvent,
  type StreamId,
  listing,
} from '@alpenglow/domain';
import { createLogger, createPool, createPostgresEventStore, createSlots, type Pool } from '@alpenglow/infra';
import {
  PROJECTIONS,
  rebuildProjection,
  REPLAY_DUTY,
  runProjection,
  runReplay,
  type Projection,
} from '@alpenglow/projectors';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SAMPLES } from '../../projectors/test/samples.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { assertProperty } from '../support/property.ts';

let database: TestDatabase;
let pool: Pool;
let store: EventStore;
/** The runners, which simulate processes and must be stopped after a test. */
const runs: Runner[] = [];
const log = createLogger(process.env['TEST_LOG_LEVEL'] ?? 'fatal');
const [cards] = PROJECTIONS as [Projection];
const POLLING = { interval_ms: 20 };
const READERS = 4;
const WAITING_SWAPS = `select from pg_locks
  where not granted and mode = 'AccessExclusiveLock' and relation = 'rm.ad_cards'::regclass`;
const REBUILD_LOCKS = `select from pg_locks
  where locktype = 'advisory' and classid::bigint = hashtext('alpenglow-rebuild')::bigint & 4294967295
    and database = (select oid from pg_database where datname = current_database())`;

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool({
    connectionString: database.connectionString,
    max: 2 * PROJECTIONS.length + 12,
    applicationName: 'test',
  });
  store = createPostgresEventStore({ pool, connectionString: database.connectionString });
});
afterEach(async () => {
  for (const one of runs.splice(0)) await one.stop();
  await store.close();
  await pool.end();
  await database.drop();
});

let written = 0;
async function append(stream: StreamId, ...events: readonly DomainEvent[]): Promise<Position> {
  const recorded = events.map(({ type, data }) => ({
    id: crypto.randomUUID(),
    type,
    version: findEventDefinition(type)?.version ?? 1,
    data,
    meta: {
      correlationId: 'c',
      causationId: null,
      actor: { kind: 'account', accountId: 'admin' },
      at: new Date(Date.UTC(2026, 0, 1) + (written += 1) * 1_000).toISOString(),
    } as const,
  }));
  return (await store.append(stream, recorded, { expectedRevision: 'any' })).position;
}

const idsOf = (owner: string) => ({ accountId: owner, adId: `ad-${owner}` });
const adPosted = (owner: string, title = 'Good company'): DomainEvent => ({
  type: 'AdPosted',
  data: { ...SAMPLES.AdPosted.data, ...idsOf(owner), title },
});
const adBumped = (owner: string): DomainEvent => ({ type: 'AdBumped', data: idsOf(owner) });

/** Appends the event that the command API stores when an admin requests an action. */
async function appendAdminEvent(type: ReplayEvent['type'], rebuildId = 'r1', projection = cards): Promise<Position> {
  return append(toStreamId(replay, projection.name), {
    type,
    data: type === 'RebuildReverted' ? { projection: projection.name } : { projection: projection.name, rebuildId },
  } as DomainEvent);
}

interface Runner {
  stop(): Promise<void>;
}

/** Updates read models and executes the actions that admins requested, like a process of `projectors`. */
function startRunner(projections: readonly Projection[] = [cards], from: EventStore = store): Runner {
  const stopped = new AbortController();
  const slots = createSlots({ max: 2, maxWaiting: 100, wait_ms: 60_000 });
  const repeat = async (duty: () => Promise<void>) => {
    while (!stopped.signal.aborted) {
      await duty().catch((err: unknown) => log.warn({ err }, 'duty failed'));
      await pause(20);
    }
  };
  const running = [
    ...projections.map((projection) => repeat(() => runProjection(projection, { store, pool, log }, stopped.signal))),
    repeat(() => runReplay({ store: from, pool, log, slots, projections }, stopped.signal)),
  ];
  const runner = {
    async stop() {
      stopped.abort();
      await Promise.all(running);
    },
  };
  runs.push(runner);
  return runner;
}

async function waitForPosition(projections: readonly Projection[], position: Position): Promise<void> {
  const names = [...projections.map(({ name }) => name)];
  await eventually(
    async () =>
      expect(
        (await pool.query('select from rm.checkpoints where name = any($1) and position >= $2', [names, position]))
          .rowCount,
      ).toBe(names.length),
    POLLING,
  );
}

const waitForReplay = () =>
  eventually(
    async () =>
      expect((await pool.query('select from rm.checkpoints where name = $1', [REPLAY_DUTY])).rowCount).toBe(1),
    POLLING,
  );

interface RebuildRow {
  readonly state: RebuildState;
  readonly events: number;
  readonly differing_rows: number | null;
  readonly differences: readonly unknown[];
  readonly error: string | null;
}
async function readRebuild(projection = cards): Promise<RebuildRow | undefined> {
  return (
    await pool.query<RebuildRow>(
      'select state, events::int, differing_rows, differences, error from rm.rebuilds where projection = $1',
      [projection.name],
    )
  ).rows[0];
}
/** Waits until a requested action is known to the worker. The worker may have carried it out already. */
const waitForRequestedAction = (requestedAction: 'pause' | 'cancel') =>
  eventually(
    async () =>
      expect(
        (
          await pool.query('select from rm.rebuilds where wish = $1 or state = $2', [
            requestedAction,
            requestedAction === 'pause' ? 'paused' : 'cancelled',
          ])
        ).rowCount,
      ).toBe(1),
    POLLING,
  );
/** Waits until no worker holds the rebuild lock. A worker releases the lock shortly after its changes are visible. */
const waitForFreeRebuildLock = () =>
  eventually(async () => expect((await pool.query(REBUILD_LOCKS)).rowCount).toBe(0), { interval_ms: 10 });
const waitForState = (state: RebuildState, projection = cards) =>
  eventually(async () => expect(await readRebuild(projection)).toMatchObject({ state }), POLLING);

async function readRows(table: string): Promise<readonly string[]> {
  return (await pool.query<{ row: string }>(`select t::text as row from rm.${table} t order by 1`)).rows.map(
    ({ row }) => row,
  );
}
const tablesOf = (projection: Projection) => [projection, ...(projection.tallies ?? [])].map(({ name }) => name);
const readAllRows = (projections: readonly Projection[]) =>
  Promise.all(projections.flatMap(tablesOf).map(async (table) => [table, await readRows(table)] as const));
const tableExists = async (table: string) =>
  (await pool.query<{ is: boolean }>(`select to_regclass($1) is not null as is`, [`rm.${table}`])).rows[0]?.is;

/**
 * Creates a store that returns the first pages of a rebuild and then blocks until `open` is called.
 * Afterwards the store is slow, so that a test can act during the rebuild.
 */
function createBlockingStore(first: { readonly pages: number; readonly page_events: number }): {
  readonly store: EventStore;
  open(): void;
} {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let reads = 0;
  const blocking: EventStore = {
    ...store,
    readStream: (...args) => store.readStream(...args),
    readHead: () => store.readHead(),
    subscribeAll: (options) => store.subscribeAll(options),
    async readAll(options) {
      reads += 1;
      if (reads > first.pages) await opened.then(() => pause(50));
      return store.readAll({ ...options, limit: Math.min(options.limit ?? Infinity, first.page_events) });
    },
  };
  return { store: blocking, open: () => open() };
}

const SAMPLE_EVENTS = Object.values(SAMPLES) as readonly DomainEvent[];
/** Generates a random history of any events in any order. */
const history = fc.array(
  fc.record({
    event: fc.constantFrom(...SAMPLE_EVENTS.filter(({ data }) => !('projection' in data))),
    stream: fc.constantFrom('a', 'b'),
  }),
  { minLength: 20, maxLength: 80 },
);

describe('a rebuild', () => {
  test('of every projection equals the live tables, byte by byte, before and after the swap', async () => {
    const running = startRunner(PROJECTIONS);
    await waitForReplay();
    let round = 0;
    await assertProperty(
      fc.asyncProperty(history, async (steps) => {
        let position = '' as Position;
        for (const { event, stream } of steps) position = await append(`samples-${stream}` as StreamId, event);
        await waitForPosition(PROJECTIONS, position);
        const before = await readAllRows(PROJECTIONS);
        round += 1;
        for (const projection of PROJECTIONS) await appendAdminEvent('RebuildRequested', `r${round}`, projection);
        for (const projection of PROJECTIONS) {
          await waitForState('ready', projection);
          expect(await readRebuild(projection), projection.name).toMatchObject({ differing_rows: 0, differences: [] });
        }
        for (const projection of PROJECTIONS) await appendAdminEvent('RebuildSwapRequested', `r${round}`, projection);
        for (const projection of PROJECTIONS) await waitForState('swapped', projection);
        expect(await readAllRows(PROJECTIONS)).toEqual(before);
      }),
      { name: 'histories of rebuilt read models', short: 1, minimum: 1, maximum: 2, time_s: 15 },
    );
    await running.stop();
  });

  test('shows and replaces each different row; a revert restores the old rows and applies later events', async () => {
    for (const owner of ['a', 'b', 'c', 'd']) await append(toStreamId(listing, owner), adPosted(owner));
    const running = startRunner();
    await waitForPosition([cards], await store.readHead());
    await waitForReplay();
    await pool.query(`update rm.ad_cards set title = 'Planted', bump_count = 7 where account_id = 'a'`);
    await pool.query(`delete from rm.ad_cards where account_id = 'b'`);
    await pool.query(
      `insert into rm.ad_cards
       select (json_populate_record(c, '{"account_id": "x", "ad_id": "ad-x"}')).* from rm.ad_cards c
        where account_id = 'c'`,
    );
    await pool.query(`update rm.ad_words set count = 99 where key = 'company'`);
    await appendAdminEvent('RebuildRequested');
    await waitForState('ready');
    const { differences = [], differing_rows } = (await readRebuild()) ?? {};
    expect(differing_rows).toBe(4);
    const filled = Object.keys(cards.columns).filter((column) => !['price', 'price_amount'].includes(column));
    expect(differences).toEqual([
      { table: 'ad_cards', keyColumn: 'account_id', key: 'a', kind: 'changed', columns: ['title', 'bump_count'] },
      { table: 'ad_cards', keyColumn: 'account_id', key: 'b', kind: 'added', columns: filled },
      { table: 'ad_cards', keyColumn: 'account_id', key: 'x', kind: 'missing', columns: filled },
      { table: 'ad_words', keyColumn: 'key', key: 'company', kind: 'changed', columns: ['count'] },
    ]);
    const planted = await readRows('ad_cards');

    await appendAdminEvent('RebuildSwapRequested');
    await waitForState('swapped');
    expect(
      (await pool.query(`select title, bump_count from rm.ad_cards where account_id in ('a', 'b', 'x')`)).rows,
    ).toEqual([
      { title: 'Good company', bump_count: 0 },
      { title: 'Good company', bump_count: 0 },
    ]);
    expect(await readRows('ad_cards__previous')).toEqual(planted);
    expect(await tableExists('ad_cards__rebuild')).toBe(false);

    await waitForPosition([cards], await append(toStreamId(listing, 'a'), adBumped('a')));
    const swappedIn = await readRows('ad_cards');
    await appendAdminEvent('RebuildReverted');
    await eventually(
      async () =>
        expect((await pool.query(`select title, bump_count from rm.ad_cards where account_id = 'a'`)).rows).toEqual([
          { title: 'Planted', bump_count: 8 },
        ]),
      POLLING,
    );
    // The rows from before the first revert are stored as well, so that a second revert can restore them.
    expect(await readRows('ad_cards__previous')).toEqual(swappedIn);
    await waitForPosition([cards], await append(toStreamId(listing, 'e'), adPosted('e')));
    await appendAdminEvent('RebuildReverted');
    await eventually(
      async () =>
        expect(
          (await pool.query(`select account_id, bump_count from rm.ad_cards where account_id in ('a', 'e') order by 1`))
            .rows,
        ).toEqual([
          { account_id: 'a', bump_count: 1 },
          { account_id: 'e', bump_count: 0 },
        ]),
      POLLING,
    );
    await running.stop();
  });

  test('can be paused without losing work, resumed, also in another process, and cancelled', async () => {
    for (let n = 0; n < 60; n += 1) await append(`listing-o${n}` as StreamId, adPosted(`o${n}`));
    let blocking = createBlockingStore({ pages: 2, page_events: 3 });
    let running = startRunner([cards], blocking.store);
    await waitForPosition([cards], await store.readHead());
    await waitForReplay();
    await appendAdminEvent('RebuildRequested');
    await eventually(async () => expect(await tableExists('ad_cards__rebuild')).toBe(true), POLLING);
    await appendAdminEvent('RebuildPaused');
    await waitForRequestedAction('pause');
    blocking.open();
    await waitForState('paused');
    const paused = (await readRebuild())?.events ?? 0;
    expect(paused).toBeLessThan(60);
    await pause(200);
    expect(await readRebuild()).toMatchObject({ state: 'paused', events: paused });
    expect(await readRows('ad_cards__rebuild')).toHaveLength(paused);

    await running.stop();
    blocking = createBlockingStore({ pages: 1, page_events: 3 });
    running = startRunner([cards], blocking.store);
    await appendAdminEvent('RebuildResumed');
    // The process stops during the rebuild, and the next process must continue the rebuild.
    await waitForState('running');
    const stopping = running.stop();
    blocking.open();
    await stopping;
    running = startRunner();
    await waitForState('ready');
    expect(await readRebuild()).toMatchObject({ events: 60, differing_rows: 0 });

    await appendAdminEvent('RebuildCancelled');
    await waitForState('cancelled');
    expect(await tableExists('ad_cards__rebuild')).toBe(false);
    await running.stop();

    blocking = createBlockingStore({ pages: 2, page_events: 1 });
    running = startRunner([cards], blocking.store);
    await appendAdminEvent('RebuildRequested', 'r2');
    await eventually(async () => expect(await tableExists('ad_cards__rebuild')).toBe(true), POLLING);
    await appendAdminEvent('RebuildCancelled', 'r2');
    await waitForRequestedAction('cancel');
    blocking.open();
    await waitForState('cancelled');
    expect(await tableExists('ad_cards__rebuild')).toBe(false);
    expect(await readRows('ad_cards')).toHaveLength(60);
    await running.stop();
  });

  test('is swapped in and out during reads and writes without an error or a mixed state', async () => {
    for (let n = 0; n < 50; n += 1) await append(`listing-o${n}` as StreamId, adPosted(`o${n}`));
    const running = startRunner();
    await waitForPosition([cards], await store.readHead());
    await waitForReplay();
    const reading = new AbortController();
    let reads = 0;
    const read = async (n: number) => {
      while (!reading.signal.aborted) {
        // Reads both tables of the projection in one prepared statement, as the query API does for lists of ads.
        const { rows } = await pool.query<{ cards: number; counted: number }>({
          name: `both-${n % 2}`,
          text: `select (select count(*)::int from rm.ad_cards) as cards,
                        (select sum(count)::int from rm.ad_tallies) as counted`,
        });
        expect(rows[0]?.cards).toBeGreaterThanOrEqual(50);
        expect(rows[0]?.counted).toBe(rows[0]?.cards);
        reads += 1;
      }
    };
    const readSlowly = async () => {
      while (!reading.signal.aborted) {
        await pool.query('select account_id, pg_sleep(0.15) from rm.ad_words, rm.ad_cards limit 1');
        await pause(100);
      }
    };
    let posts = 50;
    const write = async () => {
      for (; !reading.signal.aborted; posts += 1) {
        await append(`listing-o${posts}` as StreamId, adPosted(`o${posts}`));
        await pause(10);
      }
    };
    const clients = [...Array.from({ length: READERS }, (_, n) => read(n)), readSlowly(), write()];
    for (let n = 1; n <= 2; n += 1) {
      await appendAdminEvent('RebuildRequested', `r${n}`);
      await waitForState('ready');
      expect(await readRebuild()).toMatchObject({ differing_rows: 0 });
      // This transaction blocks the swap of the tables. While the swap waits for its lock, it blocks later reads. It
      // must therefore stop waiting before the transaction ends.
      const holder = await pool.connect();
      await holder.query('begin; select from rm.ad_cards limit 1');
      await appendAdminEvent('RebuildSwapRequested', `r${n}`);
      await eventually(async () => expect((await pool.query(WAITING_SWAPS)).rowCount).toBe(1), { interval_ms: 10 });
      // One read of each reader may have started before the swap waited, so these reads are not counted.
      const readsBefore = reads + READERS;
      await eventually(() => expect(reads).toBeGreaterThan(readsBefore), POLLING);
      await holder.query('commit');
      holder.release();
      await waitForState('swapped');
      const reverted = await appendAdminEvent('RebuildReverted');
      await waitForPosition([{ ...cards, name: REPLAY_DUTY }], reverted);
      await eventually(
        async () =>
          expect((await pool.query('select from rm.previous_versions where not is_reverting')).rowCount).toBe(1),
        POLLING,
      );
      await waitForFreeRebuildLock();
      await rebuildProjection(cards, { store, pool });
    }
    reading.abort();
    await Promise.all(clients);
    await waitForPosition([cards], await store.readHead());
    expect(await readRows('ad_cards')).toHaveLength(posts);
    expect(reads).toBeGreaterThan(100);
    await running.stop();
  });
});

describe('a parked event', () => {
  let isBroken = true;
  const failingCards = {
    ...cards,
    on: {
      ...cards.on,
      AdBumped: (event: never, row: never) => {
        if (isBroken) throw new Error('cannot bump');
        return cards.on.AdBumped?.(event, row) ?? null;
      },
    },
  } as Projection;
  const readParkedEvents = async () =>
    (
      await pool.query<{ position: Position; event_id: string; event_type: string; error: string | null }>(
        'select position, event_id, event_type, error from rm.parked_events order by projection, position',
      )
    ).rows;

  test('is retried with the later events of its stream, which all remain parked if it fails again', async () => {
    isBroken = true;
    await append(
      toStreamId(listing, 'a'),
      adPosted('a'),
      adBumped('a'),
      { type: 'AdUpdated', data: { ...idsOf('a'), title: 'Quiet evenings' } },
      adBumped('a'),
    );
    const running = startRunner([failingCards]);
    await waitForPosition([failingCards], await append(toStreamId(listing, 'b'), adPosted('b')));
    await waitForReplay();
    expect(await readParkedEvents()).toHaveLength(3);
    const [first] = await readParkedEvents();
    const retry = () =>
      append(toStreamId(replay, 'ad_cards'), {
        type: 'ParkedEventRetried',
        data: { projection: 'ad_cards', eventId: first?.event_id ?? '', position: first?.position ?? '' },
      });
    await waitForPosition([{ ...failingCards, name: REPLAY_DUTY }], await retry());
    expect(await readParkedEvents()).toMatchObject([
      { event_type: 'AdBumped', error: 'Error: cannot bump' },
      { event_type: 'AdUpdated', error: null },
      { event_type: 'AdBumped', error: null },
    ]);
    isBroken = false;
    await waitForPosition([{ ...failingCards, name: REPLAY_DUTY }], await retry());
    expect(await readParkedEvents()).toEqual([]);
    expect((await pool.query(`select title, bump_count from rm.ad_cards where account_id = 'a'`)).rows).toEqual([
      { title: 'Quiet evenings', bump_count: 2 },
    ]);
    await running.stop();
  });

  test('is skipped permanently, also by a running rebuild and by every later one', async () => {
    isBroken = true;
    await append(toStreamId(listing, 'a'), adPosted('a'), adBumped('a'), {
      type: 'AdUpdated',
      data: { ...idsOf('a'), title: 'Quiet evenings' },
    });
    const running = startRunner([failingCards]);
    await waitForPosition([failingCards], await append(toStreamId(listing, 'b'), adPosted('b')));
    await waitForReplay();
    await appendAdminEvent('RebuildRequested');
    await waitForState('ready');
    const [first] = (await readParkedEvents()).filter(({ error }) => error !== null);
    const skipped = await append(toStreamId(replay, 'ad_cards'), {
      type: 'ParkedEventSkipped',
      data: {
        projection: 'ad_cards',
        eventId: first?.event_id ?? '',
        position: first?.position ?? '',
        subjectId: 'a',
        reason: 'By mistake.',
      },
    });
    await waitForPosition([{ ...failingCards, name: REPLAY_DUTY }], skipped);
    const title = async () =>
      (await pool.query<{ title: string }>(`select title from rm.ad_cards where account_id = 'a'`)).rows[0]?.title;
    expect(await title()).toBe('Quiet evenings');
    await appendAdminEvent('RebuildSwapRequested');
    await waitForState('swapped');
    expect(await title()).toBe('Quiet evenings');
    expect((await readParkedEvents()).filter((one) => one.error === null)).toEqual([]);
    await waitForFreeRebuildLock();
    await rebuildProjection(failingCards, { store, pool });
    expect(await title()).toBe('Quiet evenings');
    expect(await readParkedEvents()).toEqual([]);
    await running.stop();
  });
});
