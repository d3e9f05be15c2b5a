import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import fc from 'fast-check';
import {
  createCommandHandler,
  createLogger,
  createPool,
  createPostgresEventStore,
  defineReadModel,
} from '@alpenglow/infra';
import {
  account,
  listing,
  START_POSITION,
  type DomainEvent,
  type EventStore,
  type Position,
  type RecordedEvent,
  type StreamId,
  toStreamId,
} from '@alpenglow/domain';
import { postAd, registerAccount } from '@alpenglow/domain/deciders';
import {
  defineProjection,
  PROJECTIONS,
  rebuildProjection,
  runProjection,
  type Projection,
} from '@alpenglow/projectors';
import { adPosted } from '../../domain/test/listing/posted-ad.ts';
import { fillTables } from '../../projectors/src/rebuild/fill-tables.ts';
import { createTables, dropTables } from '../../projectors/src/tables.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { assertProperty } from '../support/property.ts';

let database: TestDatabase;
let pool: Pool;
let store: EventStore;
const log = createLogger('silent');

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool({
    connectionString: database.connectionString,
    max: 2 * PROJECTIONS.length + 4,
    applicationName: 'test',
  });
  store = createPostgresEventStore({ pool, connectionString: database.connectionString });
});
afterEach(async () => {
  await store.close();
  await pool.end();
  await database.drop();
});

let nextEvent = 0;
async function append(stream: StreamId, ...events: readonly DomainEvent[]): Promise<Position> {
  const { position } = await store.append(
    stream,
    events.map(({ type, data }) => ({
      id: crypto.randomUUID(),
      type,
      version: 1,
      data,
      meta: {
        correlationId: 'c',
        causationId: null,
        actor: { kind: 'system', name: 'test' },
        at: new Date(Date.UTC(2026, 0, 1) + (nextEvent += 1) * 1000).toISOString(),
      },
    })),
    { expectedRevision: 'any' },
  );
  return position;
}

async function hashRows(table: string): Promise<string> {
  const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${table} t order by 1`);
  return (
    createHash('sha256')
      .update(rows.map(({ row }) => row).join('\n'))
      .digest('hex') + `:${rows.length}`
  );
}

/** Runs projections until they have processed the event log up to a position. */
async function runUntil(
  projections: readonly Projection[],
  position: Position,
  from: EventStore = store,
): Promise<void> {
  const stop = new AbortController();
  const running = projections.map((projection) => runProjection(projection, { store: from, pool, log }, stop.signal));
  await eventually(
    async () => {
      const { rows } = await pool.query<{ name: string }>('select name from rm.checkpoints where position >= $1', [
        position,
      ]);
      expect(rows.length).toBeGreaterThanOrEqual(projections.length);
    },
    { interval_ms: 20 },
  );
  stop.abort();
  await Promise.all(running);
}

const postedBy = (owner: string, title = 'Good company'): DomainEvent =>
  adPosted({ accountId: owner, adId: `ad-${owner}`, title });
const eventOf = (type: 'AdBumped' | 'AdDeleted', owner: string): DomainEvent =>
  ({
    type,
    data: { accountId: owner, adId: `ad-${owner}`, ...(type === 'AdDeleted' && { reason: null }) },
  }) as DomainEvent;
const adReviewed = (owner: string, rating: number): DomainEvent => ({
  type: 'AdReviewed',
  data: {
    accountId: owner,
    adId: `ad-${owner}`,
    reviewerId: null,
    reviewId: 'r',
    name: 'Ben',
    comment: 'Kind.',
    rating,
  },
});

/** Generates a random history of a few ads. */
const history = fc.array(
  fc.record({
    owner: fc.constantFrom('a', 'b', 'c', 'd'),
    action: fc.constantFrom('post', 'bump', 'delete', 'review'),
  }),
  { minLength: 1, maxLength: 60 },
);

async function write(steps: readonly { readonly owner: string; readonly action: string }[]): Promise<Position> {
  let position: Position = START_POSITION;
  for (const { owner, action } of steps) {
    const event =
      action === 'post'
        ? postedBy(owner)
        : action === 'bump'
          ? eventOf('AdBumped', owner)
          : action === 'delete'
            ? eventOf('AdDeleted', owner)
            : adReviewed(owner, 4);
    position = await append(toStreamId(listing, owner), event);
  }
  return position;
}

const ADVISORY_LOCKS = `select from pg_locks where locktype = 'advisory'
   and database = (select oid from pg_database where datname = current_database())`;

describe('a projection', () => {
  test('has the same rows after a rebuild as before, for any history', async () => {
    const cards = PROJECTIONS.filter(({ name }) => name.startsWith('ad_'));
    await assertProperty(
      fc.asyncProperty(history, async (steps) => {
        const position = await write(steps);
        await runUntil(cards, position);
        for (const projection of cards) {
          const tables = [projection, ...(projection.tallies ?? [])].map(({ name }) => `rm.${name}`);
          const live = await Promise.all(tables.map(hashRows));
          await rebuildProjection(projection, { store, pool });
          expect(await Promise.all(tables.map(hashRows))).toEqual(live);
        }
      }),
      { name: 'histories of rebuilt ads', short: 2, minimum: 3, maximum: 15, time_s: 15 },
    );
  });

  test('has the same rows if it is filled with little memory for cached rows', async () => {
    const [cards] = PROJECTIONS as [Projection];
    const owners = Array.from({ length: 30 }, (_, n) => `k${n}`);
    for (const owner of owners)
      await append(toStreamId(listing, owner), postedBy(owner), eventOf('AdBumped', owner), adReviewed(owner, 5));
    for (const owner of owners)
      await append(
        toStreamId(listing, owner),
        eventOf('AdBumped', owner),
        { type: 'AdUpdated', data: { accountId: owner, adId: `ad-${owner}`, title: `Anew ${owner}` } },
        eventOf('AdBumped', owner),
      );
    for (const owner of owners.slice(0, 10))
      await append(toStreamId(listing, owner), eventOf('AdDeleted', owner), postedBy(owner, 'Back'));
    await runUntil([cards], await store.readHead());
    const tables = ['rm.ad_cards', 'rm.ad_words', 'rm.ad_tallies'];
    const live = await Promise.all(tables.map(hashRows));
    for (const cacheLimit_bytes of [1, 20_000]) {
      const client = await pool.connect();
      await dropTables(client, cards, 'rebuild');
      await createTables(client, cards, 'rebuild');
      client.release();
      const { isAtHead, events } = await fillTables(
        cards,
        { store, pool },
        { position: START_POSITION, events: 0, parked: [] },
        { cacheLimit_bytes },
      );
      expect([isAtHead, events]).toEqual([true, 200]);
      expect(await Promise.all(tables.map((table) => hashRows(`${table}__rebuild`)))).toEqual(live);
    }
  });

  test('has the same rows after a second run, because the checkpoint prevents repetition', async () => {
    const position = await write([
      { owner: 'a', action: 'post' },
      { owner: 'a', action: 'bump' },
      { owner: 'a', action: 'review' },
    ]);
    await runUntil(PROJECTIONS, position);
    const first = await hashRows('rm.ad_cards');
    await runUntil(PROJECTIONS, position);
    expect(await hashRows('rm.ad_cards')).toBe(first);
  });

  test('writes the changed columns of an ad, also in a batch with different changes to several ads', async () => {
    const [cards] = PROJECTIONS as [Projection];
    const owners = ['a', 'b', 'c', 'd'];
    for (const owner of owners) await append(toStreamId(listing, owner), postedBy(owner));
    await runUntil([cards], await store.readHead());
    await append(toStreamId(listing, 'a'), eventOf('AdBumped', 'a'), eventOf('AdBumped', 'a'));
    await append(
      toStreamId(listing, 'b'),
      { type: 'AdUpdated', data: { accountId: 'b', adId: 'ad-b', title: 'Quiet evenings' } },
      eventOf('AdBumped', 'b'),
    );
    await append(toStreamId(listing, 'c'), eventOf('AdDeleted', 'c'), postedBy('c', 'Anew'));
    await append(toStreamId(listing, 'd'), adReviewed('d', 4));
    await runUntil([cards], await append(toStreamId(listing, 'e'), postedBy('e')));
    const { rows } = await pool.query(
      `select account_id as owner, title, bump_count as bumps, review_count as reviews, words @@ 'quiet' as quiet,
              words @@ 'calm' as calm
         from rm.ad_cards
        order by 1`,
    );
    const untouched = { title: 'Good company', bumps: 0, reviews: 0, quiet: false, calm: true };
    expect(rows).toEqual([
      { ...untouched, owner: 'a', bumps: 2 },
      { ...untouched, owner: 'b', title: 'Quiet evenings', bumps: 1, quiet: true },
      { ...untouched, owner: 'c', title: 'Anew' },
      { ...untouched, owner: 'd', reviews: 1 },
      { ...untouched, owner: 'e' },
    ]);
    const live = await Promise.all(['rm.ad_cards', 'rm.ad_words', 'rm.ad_tallies'].map(hashRows));
    await rebuildProjection(cards, { store, pool });
    expect(await Promise.all(['rm.ad_cards', 'rm.ad_words', 'rm.ad_tallies'].map(hashRows))).toEqual(live);
  });

  test('has one runner at a time: with two runners, each event counts once', async () => {
    const owners = Array.from({ length: 40 }, (_, n) => `o${n}`);
    const stop = new AbortController();
    const [cards] = PROJECTIONS as [Projection];
    const running = Array.from({ length: 2 }, () =>
      runProjection(cards, { store, pool, log }, stop.signal).catch((error: unknown) => error),
    );
    for (const owner of owners) await append(toStreamId(listing, owner), postedBy(owner), adReviewed(owner, 5));
    const position = await append(toStreamId(listing, 'a'), postedBy('a'));
    await eventually(async () => {
      const { rows } = await pool.query<{ done: boolean }>(
        'select position >= $1 as done from rm.checkpoints where name = $2',
        [position, 'ad_cards'],
      );
      expect(rows[0]?.done).toBe(true);
    });
    stop.abort();
    await Promise.all(running);
    const { rows } = await pool.query<{ ads: number; reviews: number }>(
      'select count(*)::int as ads, sum(review_count)::int as reviews from rm.ad_cards',
    );
    expect(rows[0]).toEqual({ ads: 41, reviews: 40 });
  });

  test('of a new version has separate tables next to the old ones', async () => {
    const [cards] = PROJECTIONS as [Projection];
    const position = await write([
      { owner: 'a', action: 'post' },
      { owner: 'b', action: 'post' },
    ]);
    await runUntil([cards], position);
    const changed: Projection = {
      ...cards,
      version: cards.version + 1,
      columns: { ...cards.columns, shouted: 'text not null' },
      on: {
        AdPosted: (event, row) => ({ ...cards.on.AdPosted?.(event, row), shouted: event.data.title.toUpperCase() }),
      },
    };
    const stop = new AbortController();
    const running = runProjection(changed, { store, pool, log }, stop.signal);
    await eventually(async () => {
      const { rows } = await pool.query(`select version from rm.checkpoints where name like 'ad_cards%' order by 1`);
      expect(rows).toEqual([{ version: cards.version }, { version: cards.version + 1 }]);
    });
    stop.abort();
    await running;
    const { rows } = await pool.query(`select shouted from rm.ad_cards__v${cards.version + 1}`);
    expect(rows).toEqual([{ shouted: 'GOOD COMPANY' }, { shouted: 'GOOD COMPANY' }]);
  });

  test('misses no event during a rebuild', async () => {
    const [cards] = PROJECTIONS as [Projection];
    const stop = new AbortController();
    await append(toStreamId(listing, 'first'), postedBy('first'));
    const running = (async () => {
      while (!stop.signal.aborted) {
        await runProjection(cards, { store, pool, log }, stop.signal).catch(() => undefined);
        await pause(5);
      }
    })();
    // Waits until the first run has built the table and released its lock, because the lock blocks other
    // rebuilds. The checkpoint is written before the lock is released.
    await eventually(async () => {
      expect((await pool.query(`select from rm.checkpoints where name = 'ad_cards'`)).rowCount).toBe(1);
      expect((await pool.query(ADVISORY_LOCKS)).rowCount).toBe(0);
    });
    let written = 1;
    const writing = (async () => {
      for (; written < 300; written += 1) await append(`listing-w${written}` as StreamId, postedBy(`w${written}`));
    })();
    try {
      for (let n = 0; n < 3; n += 1) await rebuildProjection(cards, { store, pool });
      await writing;
      const head = await store.readHead();
      await eventually(async () => {
        const { rows } = await pool.query<{ done: boolean }>(
          'select position >= $1 as done from rm.checkpoints where name = $2',
          [head, 'ad_cards'],
        );
        expect(rows[0]?.done).toBe(true);
      });
    } finally {
      stop.abort();
      await Promise.allSettled([running, writing]);
    }
    expect((await pool.query('select 1 from rm.ad_cards')).rowCount).toBe(300);
  });

  test('parks an event that it cannot handle with the rest of its stream, and continues otherwise', async () => {
    const [cards] = PROJECTIONS as [Projection];
    const failingCards = {
      ...cards,
      on: {
        ...cards.on,
        AdBumped: () => {
          throw new Error('cannot bump');
        },
      },
    } as Projection;
    await append(toStreamId(listing, 'a'), postedBy('a'), eventOf('AdBumped', 'a'), adReviewed('a', 5));
    const position = await append(toStreamId(listing, 'b'), postedBy('b'), adReviewed('b', 5));
    await runUntil([failingCards], position);
    const { rows: parked } = await pool.query(
      'select stream, event_type, error from rm.parked_events order by position',
    );
    expect(parked).toEqual([
      { stream: 'listing-a', event_type: 'AdBumped', error: 'Error: cannot bump' },
      { stream: 'listing-a', event_type: 'AdReviewed', error: null },
    ]);
    const { rows } = await pool.query('select ad_id, review_count from rm.ad_cards order by 1');
    expect(rows).toEqual([
      { ad_id: 'ad-a', review_count: 0 },
      { ad_id: 'ad-b', review_count: 1 },
    ]);
  });

  test('parks only the event of a batch whose row Postgres rejects', async () => {
    const SHORT_TITLES = defineReadModel({ name: 'short_titles', version: 1 })({
      account_id: 'text primary key',
      title: 'varchar(20) not null',
    });
    const shortTitles = defineProjection(SHORT_TITLES)({
      indexes: () => [],
      keyOf: (event) => ('adId' in event.data ? event.data.accountId : null),
      on: { AdPosted: ({ data }) => ({ account_id: data.accountId, title: data.title }) },
    }) as unknown as Projection;
    await append(toStreamId(listing, 'a'), postedBy('a'));
    await append(toStreamId(listing, 'b'), postedBy('b', 'x'.repeat(30)));
    const position = await append(toStreamId(listing, 'c'), postedBy('c'));
    await runUntil([shortTitles], position);
    expect((await pool.query('select account_id from rm.short_titles order by 1')).rows).toEqual([
      { account_id: 'a' },
      { account_id: 'c' },
    ]);
    expect((await pool.query<{ error: string }>('select error from rm.parked_events')).rows).toMatchObject([
      { error: expect.stringContaining('too long') as string },
    ]);
  });

  test('parks an event that it cannot read, but no earlier events', async () => {
    const [cards] = PROJECTIONS as [Projection];
    await append(
      toStreamId(listing, 'a'),
      postedBy('a'),
      { type: 'AdUpdated', data: { accountId: 'a' } } as unknown as DomainEvent,
      adReviewed('a', 5),
    );
    const position = await append(toStreamId(listing, 'b'), postedBy('b'));
    await runUntil([cards], position);
    expect((await pool.query('select ad_id, review_count from rm.ad_cards order by 1')).rows).toEqual([
      { ad_id: 'ad-a', review_count: 0 },
      { ad_id: 'ad-b', review_count: 0 },
    ]);
    expect((await pool.query('select event_type from rm.parked_events order by position')).rows).toEqual([
      { event_type: 'AdUpdated' },
      { event_type: 'AdReviewed' },
    ]);
    const live = await hashRows('rm.ad_cards');
    await rebuildProjection(cards, { store, pool });
    expect(await hashRows('rm.ad_cards')).toBe(live);
  });

  test('does not skip an event of a newer build', async () => {
    const [cards] = PROJECTIONS as [Projection];
    await append(toStreamId(listing, 'a'), postedBy('a'));
    await store.append(
      toStreamId(listing, 'a'),
      [
        {
          id: crypto.randomUUID(),
          type: 'AdBumped',
          version: 99,
          data: {},
          meta: {
            correlationId: 'c',
            causationId: null,
            actor: { kind: 'system', name: 'test' },
            at: new Date().toISOString(),
          },
        },
      ],
      { expectedRevision: 'any' },
    );
    await expect(runProjection(cards, { store, pool, log }, new AbortController().signal)).rejects.toThrow(
      /newer than/u,
    );
    expect((await pool.query('select 1 from rm.parked_events')).rowCount).toBe(0);
  });

  test('is rebuilt by one caller at a time', async () => {
    const [cards] = PROJECTIONS as [Projection];
    for (let n = 0; n < 30; n += 1) await append(`listing-r${n}` as StreamId, postedBy(`r${n}`));
    await runUntil([cards], await store.readHead());
    const outcomes = await Promise.allSettled(
      Array.from({ length: 4 }, () => rebuildProjection(cards, { store, pool })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(String(outcome.reason)).toMatch(/being rebuilt already/u);
    expect((await pool.query('select 1 from rm.ad_cards')).rowCount).toBe(30);
  });

  test('continues a parked stream after a rebuild that can handle it', async () => {
    const [cards] = PROJECTIONS as [Projection];
    let isBroken = true;
    const recoveringCards = {
      ...cards,
      on: {
        ...cards.on,
        AdBumped: (event: never, row: never) => {
          if (isBroken) throw new Error('not yet');
          return cards.on.AdBumped?.(event, row) ?? null;
        },
      },
    } as Projection;
    const stop = new AbortController();
    await append(toStreamId(listing, 'a'), postedBy('a'), eventOf('AdBumped', 'a'));
    const running = runProjection(recoveringCards, { store, pool, log }, stop.signal);
    await eventually(async () =>
      expect((await pool.query(`select 1 from rm.parked_events where projection = 'ad_cards'`)).rowCount).toBe(1),
    );
    isBroken = false;
    // The rebuild fails while the first run of the projection still builds the tables and holds their lock. The test
    // therefore retries the rebuild.
    await eventually(() => rebuildProjection(recoveringCards, { store, pool }));
    await append(toStreamId(listing, 'a'), adReviewed('a', 5));
    await eventually(async () =>
      expect((await pool.query('select bump_count, review_count from rm.ad_cards')).rows).toEqual([
        { bump_count: 1, review_count: 1 },
      ]),
    );
    stop.abort();
    await running;
  });

  test('with a parked event can be rebuilt', async () => {
    const [cards] = PROJECTIONS as [Projection];
    const narrowCards = { ...cards, columns: { ...cards.columns, title: 'varchar(20) not null' } } as Projection;
    await append(toStreamId(listing, 'a'), postedBy('a', 'x'.repeat(30)));
    await runUntil([narrowCards], await append(toStreamId(listing, 'b'), postedBy('b')));
    await rebuildProjection(narrowCards, { store, pool });
    expect((await pool.query('select ad_id from rm.ad_cards')).rows).toEqual([{ ad_id: 'ad-b' }]);
    expect((await pool.query('select stream from rm.parked_events')).rows).toEqual([{ stream: 'listing-a' }]);
  });

  test('skips events of an unknown type', async () => {
    const unknownType: RecordedEvent['type'] = 'AdTeleported';
    await store.append(
      toStreamId(listing, 'a'),
      [
        {
          id: crypto.randomUUID(),
          type: unknownType,
          version: 1,
          data: {},
          meta: {
            correlationId: 'c',
            causationId: null,
            actor: { kind: 'system', name: 'test' },
            at: new Date().toISOString(),
          },
        },
      ],
      { expectedRevision: 'any' },
    );
    await runUntil(PROJECTIONS, await append(toStreamId(listing, 'b'), postedBy('b')));
    expect((await pool.query('select 1 from rm.ad_cards')).rowCount).toBe(1);
    expect((await pool.query('select 1 from rm.parked_events')).rowCount).toBe(0);
  });
});

test('a command is rejected on a stream with an event of an unknown type', async () => {
  const commands = createCommandHandler(store);
  await store.append(
    toStreamId(listing, 'a'),
    [
      {
        id: crypto.randomUUID(),
        type: 'AdTeleported',
        version: 1,
        data: {},
        meta: {
          correlationId: 'c',
          causationId: null,
          actor: { kind: 'system', name: 'test' },
          at: new Date().toISOString(),
        },
      },
    ],
    { expectedRevision: 'any' },
  );
  await expect(commands.load(listing, 'a')).rejects.toThrow(/does not know/u);
});

test('with a thousand commands of many writers on few streams, every event is based on the previous one', async () => {
  const handlers = [createCommandHandler(store), createCommandHandler(store)];
  const origin = { actor: { kind: 'system', name: 'test' }, correlationId: 'c' } as const;
  const register = async (n: number, id: string) =>
    handlers[n % 2]?.handle(
      account,
      id,
      (state, context) =>
        state
          ? []
          : registerAccount(
              {
                accountId: id,
                email: `${id}@example.com`,
                passwordHash: null,
                userType: 'provider',
                displayName: id,
                age: 20,
                isDemo: true,
              },
              state,
              context,
            ),
      origin,
    );
  await Promise.all(Array.from({ length: 1000 }, (_, n) => register(n, `a${n % 7}`)));
  const postAsOne = async (n: number) =>
    handlers[n % 2]
      ?.execute(
        listing,
        'a1',
        postAd,
        {
          poster: { accountId: 'a1', isProvider: true, emailVerified: true },
          clientId: null,
          fields: {
            name: 'A',
            title: 'T',
            category: 'escort',
            state: 'NV',
            city: 'Reno',
            description: 'D',
            price: null,
            body: null,
            phone: null,
            socialMedia: null,
          },
          photos: [],
          video: null,
          isDemo: false,
        },
        origin,
      )
      .then(
        () => 'posted',
        (error: { code: string }) => error.code,
      );
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => postAsOne(n)));
  expect(outcomes.filter((outcome) => outcome === 'posted')).toHaveLength(1);
  const events = await store.readAll({ after: START_POSITION });
  expect(events).toHaveLength(7 * 2 + 1);
});
