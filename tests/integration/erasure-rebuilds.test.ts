import { setTimeout as pause } from 'node:timers/promises';
import { START_POSITION, type EventStore, type LogMark } from '@alpenglow/domain';
import {
  createCommandHandler,
  createDataKeys,
  createLogger,
  withPersonalData,
  type ErasedPerson,
  type ErasureWork,
  type Pool,
} from '@alpenglow/infra';
import { createPurgeStep, PROJECTIONS, rebuildProjection, runProjection, type Projection } from '@alpenglow/projectors';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fillTables } from '../../projectors/src/rebuild/fill-tables.ts';
import { createRebuildTables } from '../../projectors/src/rebuild/rebuild.ts';
import { swapTables } from '../../projectors/src/rebuild/swap-tables.ts';
import { catchUpTables } from '../../projectors/src/replay/catch-up.ts';
import { findInTables } from '../support/clear-text.ts';
import { createTestPool } from '../support/database.ts';
import { appendProvider, destroyKeys, personInErasure } from '../support/erased-person.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import { openPostgresEventStore, type PostgresEventStoreFixture } from '../support/postgres-event-store.ts';
import { runWithRetries } from '../support/run-with-retries.ts';

// Erasures and a rebuild of a read model at the same time (decision 0080). The rebuild continues, and its new tables
// contain no data of the erased accounts.

const log = createLogger('silent');
const { signal } = new AbortController();
const [ANNA, BERTA] = ['Xylophona', 'Zephyrina'];
const OTHERS = 60;
/** The number of events that a rebuild reads at once in a process that serves requests. */
const PAGE_events = 250;
/** A purge begins more than a second after the keys have left all caches. `destroyKeys` skips this wait. */
const AFTER_KEY_CACHES_ms = 1_100;
const projections = PROJECTIONS.filter(({ name }) => ['accounts', 'ad_cards'].includes(name));
const cards = projections.find(({ name }) => name === 'ad_cards') as Projection;

let opened: PostgresEventStoreFixture;
let pool: Pool;
let store: EventStore;
let dataKeys: ReturnType<typeof createDataKeys>;
let running: readonly ReturnType<typeof runWithRetries>[];
let purge: ErasureWork;

beforeEach(async () => {
  opened = await openPostgresEventStore();
  pool = createTestPool(opened.connectionString, 12);
  dataKeys = createDataKeys(pool, 'ab'.repeat(32));
  store = withPersonalData(opened.store, dataKeys);
  const commands = createCommandHandler(store);
  purge = createPurgeStep({ pool, sealedStore: opened.store, dataKeys, commands, log }, projections);
  // The first events are those of the accounts that are erased later, so that the rebuild has read them.
  await appendProvider(store, 'anna', ANNA);
  await appendProvider(store, 'berta', BERTA);
  for (let index = 0; index < OTHERS; index += 1) await appendProvider(store, `other-${index}`, `Word${index}`);
  running = projections.map((projection) =>
    runWithRetries((stopped) => runProjection(projection, { store, pool, log }, stopped)),
  );
  for (const { name } of projections) await waitUntilCaughtUp(name);
});
afterEach(async () => {
  for (const projection of running) await projection.stop();
  await pool.end();
  await opened.close();
});

async function waitUntilCaughtUp(name: string): Promise<void> {
  const head = await store.readHead();
  await eventually(async () =>
    expect((await pool.query('select position from rm.checkpoints where name = $1', [name])).rows).toEqual([
      { position: head },
    ]),
  );
}

/** Returns the state of an erasure after the keys of the account were destroyed. */
async function startErasure(accountId: string): Promise<ErasedPerson> {
  await destroyKeys(accountId, dataKeys, pool);
  return personInErasure(accountId, 'keys_destroyed', new Date());
}

async function waitUntilPurged(people: readonly ErasedPerson[]): Promise<void> {
  for (const person of people) await eventually(async () => expect(await purge(person, signal)).toBe('done'));
}

async function hashRows(table: string): Promise<unknown> {
  const { rows } = await pool.query(`select md5(string_agg(t::text, ',' order by t::text)) as hash from ${table} t`);
  return rows;
}

test('a running rebuild continues during two erasures, and its tables contain no data of the accounts', async () => {
  const gate = createGate();
  let starts = 0;
  const counting: EventStore = {
    ...store,
    readAll(options) {
      if (options.after === START_POSITION) starts += 1;
      return store.readAll(options);
    },
  };
  const rebuilding = rebuildProjection(cards, { store: counting, pool, yieldToOtherWork: gate.yieldToOtherWork });
  rebuilding.catch(() => undefined);
  await gate.waitUntilReached();
  const people = [await startErasure('anna'), await startErasure('berta')];
  // Both erasures purge the live tables, and wait only for the rebuild.
  await eventually(async () => {
    expect(await Promise.all(people.map((person) => purge(person, signal)))).toEqual(['later', 'later']);
    expect(await findInTables(pool, [ANNA, BERTA])).toEqual([]);
  });
  gate.open();
  expect(await rebuilding).toBe(OTHERS + 2);
  expect(starts).toBe(1);
  await waitUntilPurged(people);
  expect(await findInTables(pool, [ANNA, BERTA])).toEqual([]);
  expect((await pool.query('select from rm.rebuild_erasures')).rowCount).toBe(0);
  const tables = ['rm.ad_cards', 'rm.ad_words', 'rm.ad_tallies'];
  const live = await Promise.all(tables.map(hashRows));
  await rebuildProjection(cards, { store, pool });
  expect(await Promise.all(tables.map(hashRows))).toEqual(live);
});

test('a page that was decrypted before an erasure is read again', async () => {
  // The account is on the second page, which is read while the first page is handled.
  const CLARA = 'Quirinaxa';
  for (let index = OTHERS; index < PAGE_events; index += 1) await appendProvider(store, `other-${index}`, 'Word');
  await appendProvider(store, 'clara', CLARA);
  await waitUntilCaughtUp('ad_cards');
  const gate = createGate();
  let pagesRead = 0;
  const counting: EventStore = {
    ...store,
    async readAll(options) {
      const page = await store.readAll(options);
      pagesRead += 1;
      return page;
    },
  };
  const rebuilding = rebuildProjection(cards, { store: counting, pool, yieldToOtherWork: gate.yieldToOtherWork });
  rebuilding.catch(() => undefined);
  await gate.waitUntilReached();
  await eventually(() => expect(pagesRead).toBe(2));
  const clara = await startErasure('clara');
  await eventually(async () => {
    expect(await purge(clara, signal)).toBe('later');
    expect((await pool.query('select from rm.rebuild_erasures')).rowCount).toBe(1);
  });
  gate.open();
  await rebuilding;
  expect(await findInTables(pool, [CLARA])).toEqual([]);
  await waitUntilPurged([clara]);
});

test('a page that previous tables get is read again if it was decrypted before an erasure', async () => {
  await createRebuildTables(pool, cards);
  const filled = await fillTables(cards, { store, pool }, { position: START_POSITION, events: 0, parked: [] });
  const from: LogMark = { position: filled.position, id: filled.eventId ?? null };
  expect(await swapTables(pool, cards, { from: 'rebuild', through: from, retainsPrevious: true })).toBe(true);
  const CLARA = 'Quirinaxa';
  await appendProvider(store, 'clara', CLARA);
  await waitUntilCaughtUp('ad_cards');
  const gate = createGate();
  const stalling: EventStore = {
    ...store,
    async readAll(options) {
      const page = await store.readAll(options);
      await gate.yieldToOtherWork();
      return page;
    },
  };
  const catchingUp = catchUpTables(cards, 'previous', { store: stalling, pool }, from, { signal });
  catchingUp.catch(() => undefined);
  await gate.waitUntilReached();
  await waitUntilPurged([await startErasure('clara')]);
  await pause(AFTER_KEY_CACHES_ms);
  gate.open();
  await catchingUp;
  expect(await findInTables(pool, [CLARA])).toEqual([]);
});

test('rows that the rebuild has already written are computed again', async () => {
  const gate = createGate();
  // The rebuild fills its tables, and then waits for the checkpoint of the projection, which this test has locked.
  const locker = await pool.connect();
  await locker.query(`begin; select from rm.checkpoints where name = 'ad_cards' for update`);
  gate.open();
  const rebuilding = rebuildProjection(cards, { store, pool, yieldToOtherWork: gate.yieldToOtherWork });
  rebuilding.catch(() => undefined);
  await eventually(async () => expect(await findInTables(pool, [ANNA])).toContain(`rm.ad_cards__rebuild: ${ANNA}`));
  const anna = await startErasure('anna');
  const purging = eventually(async () => expect(await purge(anna, signal)).toBe('done'));
  await locker.query('rollback');
  locker.release();
  await Promise.all([purging, rebuilding]);
  expect(await findInTables(pool, [ANNA])).toEqual([]);
  expect(await findInTables(pool, [BERTA])).not.toEqual([]);
});

test('the tables of a rebuild that was killed are dropped', async () => {
  await pool.query('create table rm.ad_cards__rebuild as select * from rm.ad_cards');
  const anna = await startErasure('anna');
  await waitUntilPurged([anna]);
  expect(await findInTables(pool, [ANNA])).toEqual([]);
  expect((await pool.query(`select to_regclass('rm.ad_cards__rebuild') as table`)).rows).toEqual([{ table: null }]);
});

test('many erasures at once leave the rows of others unchanged', async () => {
  const before = await hashRows(`(select * from rm.ad_cards where account_id like 'other-1%')`);
  const erased = ['anna', 'berta', ...Array.from({ length: 9 }, (_, index) => `other-${index + 20}`)];
  const people = await Promise.all(erased.map(startErasure));
  await Promise.all(people.map((person) => waitUntilPurged([person])));
  const words = [ANNA, BERTA, ...Array.from({ length: 9 }, (_, index) => `Word${index + 20}`)];
  expect(await findInTables(pool, words)).toEqual([]);
  expect(await hashRows(`(select * from rm.ad_cards where account_id like 'other-1%')`)).toEqual(before);
  const live = await hashRows('rm.ad_words');
  await rebuildProjection(cards, { store, pool });
  expect(await hashRows('rm.ad_words')).toEqual(live);
});
