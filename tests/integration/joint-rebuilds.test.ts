import { once } from 'node:events';
import { START_POSITION, type EventStore } from '@alpenglow/domain';
import { createCommandHandler, createDataKeys, createLogger, withPersonalData, type Pool } from '@alpenglow/infra';
import { createPurgeStep, PROJECTIONS, rebuildProjection, type Projection } from '@alpenglow/projectors';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createJointRebuilds } from '../../projectors/src/rebuild/joint-rebuilds.ts';
import { RebuildLocked, withRebuildLock } from '../../projectors/src/rebuild/rebuild-lock.ts';
import { findInTables } from '../support/clear-text.ts';
import { createTestPool } from '../support/database.ts';
import { appendProvider, destroyKeys, personInErasure } from '../support/erased-person.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import { openTcpLink } from '../support/tcp-link.ts';
import { openPostgresEventStore, type PostgresEventStoreFixture } from '../support/postgres-event-store.ts';

const log = createLogger('silent');
const { signal } = new AbortController();
const ACCOUNTS = 300;
/** The number of events that are read at once. */
const PAGE_events = 250;
const CLARA = 'Quirinaxa';
/** The number of accounts before this one. Each has two events, so it is on the second page. */
const CLARA_AT = 150;

let opened: PostgresEventStoreFixture;
let pool: Pool;
let store: EventStore;
let dataKeys: ReturnType<typeof createDataKeys>;
/** The number of pages that were read without a filter, i.e. for all projections. */
let pagesRead: number;
let counting: EventStore;

beforeEach(async () => {
  opened = await openPostgresEventStore();
  pool = createTestPool(opened.connectionString, 10);
  dataKeys = createDataKeys(pool, 'ab'.repeat(32));
  store = withPersonalData(opened.store, dataKeys);
  pagesRead = 0;
  counting = {
    ...store,
    async readAll(options) {
      const page = await store.readAll(options);
      if (!options.types && page.length > 0) pagesRead += 1;
      return page;
    },
  };
  for (let index = 0; index < ACCOUNTS; index += 1) {
    if (index === CLARA_AT) await appendProvider(store, 'clara', CLARA);
    await appendProvider(store, `other-${index}`, `Word${index}`);
  }
});
afterEach(async () => {
  await pool.end();
  await opened.close();
});

const request = { signal, isNeeded: async () => true };
const findProjections = (...names: readonly string[]) => PROJECTIONS.filter(({ name }) => names.includes(name));

async function hashTables(projections: readonly Projection[]): Promise<unknown> {
  const tables = projections.flatMap(({ name, tallies = [] }) => [name, ...tallies.map((tally) => tally.name)]);
  const hashes = tables.map(async (table) => {
    const hash = `select count(*), md5(string_agg(t::text, ',' order by t::text)) as hash from rm.${table} t`;
    return { table, rows: (await pool.query<{ count: string; hash: string }>(hash)).rows };
  });
  return Promise.all(hashes);
}

async function countTables(build: string): Promise<number> {
  const { rows } = await pool.query(`select from pg_tables where schemaname = 'rm' and tablename like $1`, [
    `%\\_\\_${build}`,
  ]);
  return rows.length;
}

test('builds all projections with one pass over the event log, and with the same rows as one by one', async () => {
  const head = await store.readHead();
  const rebuilds = createJointRebuilds({ store: counting, pool });
  await Promise.all(PROJECTIONS.map((projection) => rebuilds.rebuild(projection, request)));
  const { events } = (await pool.query('select count(*)::integer as events from es.events')).rows[0] as {
    events: number;
  };
  // The last, incomplete page is read by each projection.
  expect(pagesRead).toBeLessThanOrEqual(Math.floor(events / PAGE_events) + PROJECTIONS.length);
  const { rows } = await pool.query('select name from rm.checkpoints where position >= $1', [head]);
  expect(rows).toHaveLength(PROJECTIONS.length);
  const together = await hashTables(PROJECTIONS);
  for (const projection of PROJECTIONS) await rebuildProjection(projection, { store, pool });
  expect(await hashTables(PROJECTIONS)).toEqual(together);
  expect(await countTables('rebuild')).toBe(0);
});

test('an erasure during the pass leaves no data of the account in any table', async () => {
  const projections = findProjections('accounts', 'ad_cards', 'ad_details');
  const before = createJointRebuilds({ store, pool });
  await Promise.all(projections.map((projection) => before.rebuild(projection, request)));
  const commands = createCommandHandler(store);
  const purge = createPurgeStep({ pool, sealedStore: opened.store, dataKeys, commands, log }, projections);
  const gate = createGate();
  const rebuilds = createJointRebuilds({ store: counting, pool, yieldToOtherWork: gate.yieldToOtherWork });
  const rebuilding = Promise.all(projections.map((projection) => rebuilds.rebuild(projection, request)));
  rebuilding.catch(() => undefined);
  await gate.waitUntilReached();
  // The page with the account has been read and decrypted.
  await eventually(() => expect(pagesRead).toBe(2));
  await destroyKeys('clara', dataKeys, pool);
  const clara = personInErasure('clara', 'keys_destroyed', new Date());
  await eventually(async () => {
    expect(await purge(clara, signal)).toBe('later');
    expect((await pool.query('select from rm.rebuild_erasures')).rowCount).toBe(projections.length);
  });
  gate.open();
  await rebuilding;
  expect(await findInTables(pool, [CLARA])).toEqual([]);
  await eventually(async () => expect(await purge(clara, signal)).toBe('done'));
});

test('a projection that is ended or locked does not stop the others', async () => {
  const [cards, details, accounts] = findProjections('accounts', 'ad_cards', 'ad_details') as [
    Projection,
    Projection,
    Projection,
  ];
  const gate = createGate();
  const rebuilds = createJointRebuilds({ store, pool, yieldToOtherWork: gate.yieldToOtherWork });
  const ended = new AbortController();
  await withRebuildLock(pool, cards.name, async () => {
    const results = Promise.allSettled([
      rebuilds.rebuild(accounts, { ...request, signal: ended.signal }),
      rebuilds.rebuild(cards, request),
      rebuilds.rebuild(details, request),
      // Two shards of a projection.
      rebuilds.rebuild(details, request),
    ]);
    await gate.waitUntilReached();
    ended.abort();
    gate.open();
    expect(await results).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ name: 'AbortError' }) as unknown },
      { status: 'rejected', reason: expect.any(RebuildLocked) as unknown },
      { status: 'fulfilled', value: undefined },
      { status: 'rejected', reason: expect.any(RebuildLocked) as unknown },
    ]);
  });
  expect((await pool.query('select name from rm.checkpoints')).rows).toEqual([{ name: 'ad_details' }]);
  // The next attempt drops what the first one has written.
  await Promise.all([accounts, cards].map((projection) => rebuilds.rebuild(projection, request)));
  expect((await pool.query('select count(*)::integer as n from rm.accounts')).rows).toEqual([{ n: ACCOUNTS + 1 }]);
});

test('a rebuild in a process that receives no data and sends none ends, and another process can rebuild', async () => {
  const [cards] = findProjections('ad_cards') as [Projection];
  const link = await openTcpLink(Number(new URL(opened.connectionString).port));
  const throughLink = new URL(opened.connectionString);
  throughLink.port = String(link.port);
  const isolated = createTestPool(throughLink.href, 2);
  const taken = vi.fn();
  const hanging = withRebuildLock(isolated, cards.name, async (lost) => {
    link.discardData();
    taken();
    if (!lost.aborted) await once(lost, 'abort');
    return 'lost';
  });
  await eventually(() => expect(taken).toHaveBeenCalled(), { interval_ms: 5 });
  await expect(rebuildProjection(cards, { store, pool })).rejects.toThrow(RebuildLocked);
  expect(await hanging).toBe('lost');
  await eventually(() => rebuildProjection(cards, { store, pool }));
  await link.close();
  await isolated.end();
});

test('does not rebuild a projection that another caller has rebuilt meanwhile', async () => {
  const [cards] = findProjections('ad_cards') as [Projection];
  const rebuilds = createJointRebuilds({ store: counting, pool });
  await rebuilds.rebuild(cards, { signal, isNeeded: async () => false });
  expect(pagesRead).toBe(0);
  expect((await pool.query('select from rm.checkpoints where position > $1', [START_POSITION])).rowCount).toBe(0);
});
