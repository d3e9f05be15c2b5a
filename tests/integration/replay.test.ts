import { setTimeout as pause } from 'node:timers/promises';
import {
  definitionOf,
  replay,
  streamOf,
  type DomainEvent,
  type EventStore,
  type Position,
  type RebuildState,
  type ReplayEvent,
} from '@alpenglow/domain';
import { createLogger, createPool, createPostgresEventStore, createSlots, type Pool } from '@alpenglow/infra';
import {
  PROJECTIONS,
  rebuildProjection,
  REPLAY,
  runProjection,
  runReplay,
  type Projection,
} from '@alpenglow/projectors';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SAMPLES } from '../../projectors/test/samples.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { isFullRun } from '../support/sample.ts';

let database: TestDatabase;
let pool: Pool;
let store: EventStore;
/** Whatever still runs when a test ends. */
const runs: Running[] = [];
const log = createLogger(process.env['TEST_LOG_LEVEL'] ?? 'fatal');
const [cards] = PROJECTIONS as [Projection];
const PATIENT = { interval_ms: 20 };
const READERS = 4;
const SWAP_WAITS = `select from pg_locks where not granted and mode = 'AccessExclusiveLock' and relation = 'rm.ad_cards'::regclass`;

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
async function append(stream: string, ...events: readonly DomainEvent[]): Promise<Position> {
  const recorded = events.map(({ type, data }) => ({
    id: crypto.randomUUID(),
    type,
    version: definitionOf(type)?.version ?? 1,
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

const ofOwner = (owner: string) => ({ accountId: owner, adId: `ad-${owner}` });
const posted = (owner: string, title = 'Good company'): DomainEvent => ({
  type: 'AdPosted',
  data: { ...SAMPLES.AdPosted.data, ...ofOwner(owner), title },
});
const bumped = (owner: string): DomainEvent => ({ type: 'AdBumped', data: ofOwner(owner) });

/** Asks as an admin does, once the command side has let it. */
async function ask(type: ReplayEvent['type'], rebuildId = 'r1', projection = cards): Promise<void> {
  await append(streamOf(replay, projection.name), {
    type,
    data: type === 'RebuildReverted' ? { projection: projection.name } : { projection: projection.name, rebuildId },
  } as DomainEvent);
}

interface Running {
  stop(): Promise<void>;
}

/** Keeps read models up to date, and does what admins ask, as a process of projectors would. */
function run(projections: readonly Projection[] = [cards], from: EventStore = store): Running {
  const stopped = new AbortController();
  const slots = createSlots({ max: 2, maxWaiting: 100, wait_ms: 60_000 });
  const again = async (duty: () => Promise<void>) => {
    while (!stopped.signal.aborted) {
      await duty().catch((err: unknown) => log.warn({ err }, 'duty failed'));
      await pause(20);
    }
  };
  const running = [
    ...projections.map((projection) =>
      again(() => runProjection(projection, { store, pool, log, rebuilds: slots }, stopped.signal)),
    ),
    again(() => runReplay({ store: from, pool, log, slots, projections }, stopped.signal)),
  ];
  const own = {
    async stop() {
      stopped.abort();
      await Promise.all(running);
    },
  };
  runs.push(own);
  return own;
}

async function untilReached(projections: readonly Projection[], position: Position): Promise<void> {
  const names = [...projections.map(({ name }) => name)];
  await eventually(
    async () =>
      expect(
        (await pool.query('select from rm.checkpoints where name = any($1) and position >= $2', [names, position]))
          .rowCount,
      ).toBe(names.length),
    PATIENT,
  );
}

const readyToAsk = () =>
  eventually(
    async () => expect((await pool.query('select from rm.checkpoints where name = $1', [REPLAY])).rowCount).toBe(1),
    PATIENT,
  );

interface RebuildRow {
  readonly state: RebuildState;
  readonly events: number;
  readonly differing_rows: number | null;
  readonly differences: readonly unknown[];
  readonly error: string | null;
}
async function rebuildOf(projection = cards): Promise<RebuildRow | undefined> {
  return (
    await pool.query<RebuildRow>(
      'select state, events::int, differing_rows, differences, error from rm.rebuilds where projection = $1',
      [projection.name],
    )
  ).rows[0];
}
const untilWished = (wish: 'pause' | 'cancel') =>
  eventually(
    async () => expect((await pool.query('select from rm.rebuilds where wish = $1', [wish])).rowCount).toBe(1),
    PATIENT,
  );
const until = (state: RebuildState, projection = cards) =>
  eventually(async () => expect(await rebuildOf(projection)).toMatchObject({ state }), PATIENT);

async function dump(table: string): Promise<readonly string[]> {
  return (await pool.query<{ row: string }>(`select t::text as row from rm.${table} t order by 1`)).rows.map(
    ({ row }) => row,
  );
}
const tablesOf = (projection: Projection) => [projection, ...(projection.tallies ?? [])].map(({ name }) => name);
const dumpAll = (projections: readonly Projection[]) =>
  Promise.all(projections.flatMap(tablesOf).map(async (table) => [table, await dump(table)] as const));
const exists = async (table: string) =>
  (await pool.query<{ is: boolean }>(`select to_regclass($1) is not null as is`, [`rm.${table}`])).rows[0]?.is;

/** A store that holds a rebuild after its first pages until it is opened, and takes its time from then on, so that something can happen in between. */
function holding(first: { readonly pages: number; readonly page_events: number }): {
  readonly store: EventStore;
  open(): void;
} {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let asked = 0;
  const held: EventStore = {
    ...store,
    readStream: (...args) => store.readStream(...args),
    head: () => store.head(),
    subscribeAll: (options) => store.subscribeAll(options),
    async readAll(options) {
      asked += 1;
      if (asked > first.pages) await opened.then(() => pause(50));
      return store.readAll({ ...options, limit: Math.min(options.limit ?? Infinity, first.page_events) });
    },
  };
  return { store: held, open: () => open() };
}

const SAMPLE_EVENTS = Object.values(SAMPLES) as readonly DomainEvent[];
/** A random life of everything there is: any events, in any order, of which projections make what they make. */
const history = fc.array(
  fc.record({
    event: fc.constantFrom(...SAMPLE_EVENTS.filter(({ data }) => !('projection' in data))),
    stream: fc.constantFrom('a', 'b'),
  }),
  { minLength: 20, maxLength: 80 },
);

describe('a rebuild', () => {
  test('of every projection, after whatever happened, is the same as what is read, byte by byte, before and after it is swapped in', async () => {
    const running = run(PROJECTIONS);
    await readyToAsk();
    let round = 0;
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        let position = '' as Position;
        for (const { event, stream } of steps) position = await append(`samples-${stream}`, event);
        await untilReached(PROJECTIONS, position);
        const before = await dumpAll(PROJECTIONS);
        round += 1;
        for (const projection of PROJECTIONS) await ask('RebuildRequested', `r${round}`, projection);
        for (const projection of PROJECTIONS) {
          await until('ready', projection);
          expect(await rebuildOf(projection), projection.name).toMatchObject({ differing_rows: 0, differences: [] });
        }
        for (const projection of PROJECTIONS) await ask('RebuildSwapRequested', `r${round}`, projection);
        for (const projection of PROJECTIONS) await until('swapped', projection);
        expect(await dumpAll(PROJECTIONS)).toEqual(before);
      }),
      { numRuns: isFullRun ? 2 : 1 },
    );
    await running.stop();
  });

  test('shows each row that is not the same, and swaps it away; the way back brings it again, with what has happened since', async () => {
    for (const owner of ['a', 'b', 'c', 'd']) await append(`listing-${owner}`, posted(owner));
    const running = run();
    await untilReached([cards], await store.head());
    await readyToAsk();
    await pool.query(`update rm.ad_cards set title = 'Planted', bump_count = 7 where account_id = 'a'`);
    await pool.query(`delete from rm.ad_cards where account_id = 'b'`);
    await pool.query(
      `insert into rm.ad_cards select (json_populate_record(c, '{"account_id": "x", "ad_id": "ad-x"}')).* from rm.ad_cards c where account_id = 'c'`,
    );
    await pool.query(`update rm.ad_words set count = 99 where key = 'company'`);
    await ask('RebuildRequested');
    await until('ready');
    const { differences = [], differing_rows } = (await rebuildOf()) ?? {};
    expect(differing_rows).toBe(4);
    const filled = Object.keys(cards.columns).filter((column) => !['price', 'price_amount'].includes(column));
    expect(differences).toEqual([
      { table: 'ad_cards', keyColumn: 'account_id', key: 'a', kind: 'changed', columns: ['title', 'bump_count'] },
      { table: 'ad_cards', keyColumn: 'account_id', key: 'b', kind: 'added', columns: filled },
      { table: 'ad_cards', keyColumn: 'account_id', key: 'x', kind: 'missing', columns: filled },
      { table: 'ad_words', keyColumn: 'key', key: 'company', kind: 'changed', columns: ['count'] },
    ]);
    const planted = await dump('ad_cards');

    await ask('RebuildSwapRequested');
    await until('swapped');
    expect(
      (await pool.query(`select title, bump_count from rm.ad_cards where account_id in ('a', 'b', 'x')`)).rows,
    ).toEqual([
      { title: 'Good company', bump_count: 0 },
      { title: 'Good company', bump_count: 0 },
    ]);
    expect(await dump('ad_cards__previous')).toEqual(planted);
    expect(await exists('ad_cards__rebuild')).toBe(false);

    await untilReached([cards], await append('listing-a', bumped('a')));
    const swappedIn = await dump('ad_cards');
    await ask('RebuildReverted');
    await eventually(
      async () =>
        expect((await pool.query(`select title, bump_count from rm.ad_cards where account_id = 'a'`)).rows).toEqual([
          { title: 'Planted', bump_count: 8 },
        ]),
      PATIENT,
    );
    // And back again: what was read before is kept in its turn.
    expect(await dump('ad_cards__previous')).toEqual(swappedIn);
    await untilReached([cards], await append('listing-e', posted('e')));
    await ask('RebuildReverted');
    await eventually(
      async () =>
        expect(
          (await pool.query(`select account_id, bump_count from rm.ad_cards where account_id in ('a', 'e') order by 1`))
            .rows,
        ).toEqual([
          { account_id: 'a', bump_count: 1 },
          { account_id: 'e', bump_count: 0 },
        ]),
      PATIENT,
    );
    await running.stop();
  });

  test('pauses with its work kept, goes on from there, in another process as well, and can be cancelled', async () => {
    for (let n = 0; n < 60; n += 1) await append(`listing-o${n}`, posted(`o${n}`));
    let held = holding({ pages: 2, page_events: 3 });
    let running = run([cards], held.store);
    await untilReached([cards], await store.head());
    await readyToAsk();
    await ask('RebuildRequested');
    await eventually(async () => expect(await exists('ad_cards__rebuild')).toBe(true), PATIENT);
    await ask('RebuildPaused');
    await untilWished('pause');
    held.open();
    await until('paused');
    const paused = (await rebuildOf())?.events ?? 0;
    expect(paused).toBeLessThan(60);
    await pause(200);
    expect(await rebuildOf()).toMatchObject({ state: 'paused', events: paused });
    expect(await dump('ad_cards__rebuild')).toHaveLength(paused);

    await running.stop();
    held = holding({ pages: 1, page_events: 3 });
    running = run([cards], held.store);
    await ask('RebuildResumed');
    // The process stops in the middle: the next one goes on.
    await until('running');
    const stopping = running.stop();
    held.open();
    await stopping;
    running = run();
    await until('ready');
    expect(await rebuildOf()).toMatchObject({ events: 60, differing_rows: 0 });

    await ask('RebuildCancelled');
    await until('cancelled');
    expect(await exists('ad_cards__rebuild')).toBe(false);
    await running.stop();

    held = holding({ pages: 2, page_events: 1 });
    running = run([cards], held.store);
    await ask('RebuildRequested', 'r2');
    await eventually(async () => expect(await exists('ad_cards__rebuild')).toBe(true), PATIENT);
    await ask('RebuildCancelled', 'r2');
    await untilWished('cancel');
    held.open();
    await until('cancelled');
    expect(await exists('ad_cards__rebuild')).toBe(false);
    expect(await dump('ad_cards')).toHaveLength(60);
    await running.stop();
  });

  test('is swapped in, and out again, while everybody reads and writes: nobody sees an error, or half of it', async () => {
    for (let n = 0; n < 50; n += 1) await append(`listing-o${n}`, posted(`o${n}`));
    const running = run();
    await untilReached([cards], await store.head());
    await readyToAsk();
    const reading = new AbortController();
    let reads = 0;
    const read = async (n: number) => {
      while (!reading.signal.aborted) {
        // Both tables of the projection in one statement, prepared, as lists are read.
        const { rows } = await pool.query<{ cards: number; counted: number }>({
          name: `both-${n % 2}`,
          text: `select (select count(*)::int from rm.ad_cards) as cards, (select sum(count)::int from rm.ad_tallies) as counted`,
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
        await append(`listing-o${posts}`, posted(`o${posts}`));
        await pause(10);
      }
    };
    const everybody = [...Array.from({ length: READERS }, (_, n) => read(n)), readSlowly(), write()];
    for (let n = 1; n <= 2; n += 1) {
      await ask('RebuildRequested', `r${n}`);
      await until('ready');
      expect(await rebuildOf()).toMatchObject({ differing_rows: 0 });
      // Whoever comes after a swap that waits for the table waits for the swap: it must not wait for as long as this one reads.
      const holder = await pool.connect();
      await holder.query('begin; select from rm.ad_cards limit 1');
      await ask('RebuildSwapRequested', `r${n}`);
      await eventually(async () => expect((await pool.query(SWAP_WAITS)).rowCount).toBe(1), { interval_ms: 10 });
      // Those that were under way before are done with.
      const seen = reads + READERS;
      await eventually(() => expect(reads).toBeGreaterThan(seen), PATIENT);
      await holder.query('commit');
      holder.release();
      await until('swapped');
      await ask('RebuildReverted');
      await eventually(
        async () =>
          expect((await pool.query('select from rm.previous_versions where not is_reverting')).rowCount).toBe(1),
        PATIENT,
      );
      await rebuildProjection(cards, { store, pool });
    }
    reading.abort();
    await Promise.all(everybody);
    await untilReached([cards], await store.head());
    expect(await dump('ad_cards')).toHaveLength(posts);
    expect(reads).toBeGreaterThan(100);
    await running.stop();
  });
});

describe('an event that was set aside', () => {
  let isBroken = true;
  const fragile = {
    ...cards,
    on: {
      ...cards.on,
      AdBumped: (event: never, row: never) => {
        if (isBroken) throw new Error('cannot bump');
        return cards.on.AdBumped?.(event, row) ?? null;
      },
    },
  } as Projection;
  const parked = async () =>
    (
      await pool.query<{ position: Position; event_id: string; event_type: string; error: string | null }>(
        'select position, event_id, event_type, error from rm.parked_events order by projection, position',
      )
    ).rows;

  test('is tried again with those behind it, in order; one that still fails stays, and so do they', async () => {
    isBroken = true;
    await append(
      'listing-a',
      posted('a'),
      bumped('a'),
      { type: 'AdUpdated', data: { ...ofOwner('a'), title: 'Quiet evenings' } },
      bumped('a'),
    );
    const running = run([fragile]);
    await untilReached([fragile], await append('listing-b', posted('b')));
    await readyToAsk();
    expect(await parked()).toHaveLength(3);
    const [first] = await parked();
    const retry = () =>
      append(streamOf(replay, 'ad_cards'), {
        type: 'ParkedEventRetried',
        data: { projection: 'ad_cards', eventId: first?.event_id ?? '', position: first?.position ?? '' },
      });
    await untilReached([{ ...fragile, name: REPLAY }], await retry());
    expect(await parked()).toMatchObject([
      { event_type: 'AdBumped', error: 'Error: cannot bump' },
      { event_type: 'AdUpdated', error: null },
      { event_type: 'AdBumped', error: null },
    ]);
    isBroken = false;
    await untilReached([{ ...fragile, name: REPLAY }], await retry());
    expect(await parked()).toEqual([]);
    expect((await pool.query(`select title, bump_count from rm.ad_cards where account_id = 'a'`)).rows).toEqual([
      { title: 'Quiet evenings', bump_count: 2 },
    ]);
    await running.stop();
  });

  test('is left out for good, also of a rebuild that has come past it, and of every one after', async () => {
    isBroken = true;
    await append('listing-a', posted('a'), bumped('a'), {
      type: 'AdUpdated',
      data: { ...ofOwner('a'), title: 'Quiet evenings' },
    });
    const running = run([fragile]);
    await untilReached([fragile], await append('listing-b', posted('b')));
    await readyToAsk();
    await ask('RebuildRequested');
    await until('ready');
    const [first] = (await parked()).filter(({ error }) => error !== null);
    const skipped = await append(streamOf(replay, 'ad_cards'), {
      type: 'ParkedEventSkipped',
      data: {
        projection: 'ad_cards',
        eventId: first?.event_id ?? '',
        position: first?.position ?? '',
        subjectId: 'a',
        reason: 'By mistake.',
      },
    });
    await untilReached([{ ...fragile, name: REPLAY }], skipped);
    const title = async () =>
      (await pool.query<{ title: string }>(`select title from rm.ad_cards where account_id = 'a'`)).rows[0]?.title;
    expect(await title()).toBe('Quiet evenings');
    await ask('RebuildSwapRequested');
    await until('swapped');
    expect(await title()).toBe('Quiet evenings');
    expect((await parked()).filter((one) => one.error === null)).toEqual([]);
    await rebuildProjection(fragile, { store, pool });
    expect(await title()).toBe('Quiet evenings');
    expect(await parked()).toEqual([]);
    await running.stop();
  });
});
