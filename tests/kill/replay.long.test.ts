import { randomUUID } from 'node:crypto';
import path from 'node:path';
import {
  findEventDefinition,
  EMPTY_OPTIONAL_FIELDS,
  type EventStore,
  type ListingEvent,
  type ProjectionView,
  type StreamId,
} from '@alpenglow/domain';
import { createDataKeys, createPostgresEventStore, loadSecrets, migrate, withPersonalData } from '@alpenglow/infra';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { after, apiClient, type Person } from '../support/api.ts';
import { bundleForNode } from '../support/bundle.mjs';
import { runBundle, type TestProcess } from '../support/processes.ts';
import type { ProductPlan } from '../support/product-process.ts';
import { createEmptyLocation } from '../support/product.ts';
import { openRecording, type Recording } from '../support/recording.ts';
import { createTestPool } from '../support/database.ts';

/**
 * The product is killed while a rebuild fills its new tables, and while they replace the live tables. The result must
 * be the same as without an interruption (decision 0041).
 */

const ADS = 40;
const EVENTS_PER_AD = 250;
const PATIENT = { interval: 50 };
const root = path.resolve(import.meta.dirname, '../..');

let place: Awaited<ReturnType<typeof createEmptyLocation>>;
let bundle: Awaited<ReturnType<typeof bundleForNode>>;
let pool: Pool;
let store: EventStore;
let recording: Recording;
let admin: Person;
let product: { readonly process: TestProcess; readonly api: ReturnType<typeof apiClient> };

beforeAll(async () => {
  place = await createEmptyLocation();
  bundle = await bundleForNode('./product-process.ts');
  pool = createTestPool(place.databaseUrl);
  // The events are appended before the product starts, so that the first read models of the product include them.
  await migrate(place.databaseUrl, { migrationsDir: path.join(root, 'infra/migrations') });
  const { dataKeys } = await loadSecrets(place.dataDir);
  store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: place.databaseUrl }),
    createDataKeys(pool, dataKeys),
  );
  await Promise.all(
    Array.from({ length: ADS }, (_, ad) =>
      store.append(`listing-owner${ad}` as StreamId, historyOf(ad), { expectedRevision: 'no-stream' }),
    ),
  );
  recording = await openRecording(place);
  admin = await recording.member({ role: 'admin' });
  product = await start();
});
afterAll(async () => {
  await kill();
  await recording.close();
  await store.close();
  await pool.end();
  await bundle.remove();
  await place.remove();
});

/** Returns the events of an ad that is bumped and changed repeatedly. Every tenth ad is removed at the end. */
function historyOf(ad: number) {
  const ids = { accountId: `owner${ad}`, adId: randomUUID() };
  const fields = {
    name: 'Anna',
    title: 'An evening',
    category: 'escort',
    state: 'NV',
    city: 'Reno',
    description: 'Calm and kind.',
    ...EMPTY_OPTIONAL_FIELDS,
    video: null,
  } as const;
  const events: ListingEvent[] = [
    { type: 'AdPosted', data: { ...ids, clientId: null, ...fields, photos: [], isDemo: false } },
  ];
  while (events.length < EVENTS_PER_AD - 1) {
    events.push(
      { type: 'AdBumped', data: ids },
      { type: 'AdUpdated', data: { ...ids, title: `Evening ${events.length} of ${ad}`, price: String(events.length) } },
    );
  }
  if (ad % 10 === 0) events.push({ type: 'AdDeleted', data: { ...ids, reason: null } });
  const meta = {
    correlationId: 'test',
    causationId: null,
    actor: { kind: 'system', name: 'test' },
    at: new Date().toISOString(),
  } as const;
  return events.map(({ type, data }) => ({
    id: randomUUID(),
    type,
    version: findEventDefinition(type)?.version ?? 1,
    data,
    meta,
  }));
}

async function start(): Promise<typeof product> {
  const plan: ProductPlan = {
    databaseUrl: place.databaseUrl,
    dataDir: place.dataDir,
    rootDir: root,
    sampleEvery_ms: 60_000,
  };
  const process = runBundle(bundle.path, plan);
  const port = await new Promise<string>((resolve, reject) => {
    void readPort(process, resolve).then(() => reject(new Error('The product ended before it was ready')), reject);
  });
  return { process, api: apiClient(`http://127.0.0.1:${port}`) };
}

/** Reads the output of the product until the product ends. Calls `reportPort` with the port that the product prints. */
async function readPort({ lines }: TestProcess, reportPort: (port: string) => void): Promise<void> {
  for await (const line of lines) {
    const [name, value = ''] = line.split(' ');
    if (name === 'port') reportPort(value);
  }
}

/** Kills the product with SIGKILL. */
async function kill(): Promise<void> {
  product.process.kill();
  await product.process.exited();
}

const asAdmin = (method: string, action = '') =>
  product.api.call(method, `/api/admin/projections${action}`, { token: admin.token });
async function cards(): Promise<ProjectionView | undefined> {
  return ((await asAdmin('GET')).body['data'] as readonly ProjectionView[]).find(({ name }) => name === 'ad_cards');
}
const waitForState = (state: string) => expect.poll(async () => (await cards())?.rebuild?.state, PATIENT).toBe(state);
const rowsOf = async (table: string) =>
  (await pool.query<{ row: string }>(`select t::text as row from ${table} t order by ad_id`)).rows.map(
    ({ row }) => row,
  );
const oid = async () =>
  (await pool.query<{ oid: number }>(`select to_regclass('rm.ad_cards')::oid as oid`)).rows[0]?.oid;

/** A database lock that the test holds, so that the product stops at a certain step. */
interface Hold {
  /**
   * SQL statement that takes the lock. It runs before the request is sent, so that the product always stops at this
   * step.
   */
  readonly take: string;
  /** SQL condition on `pg_locks` that is true while the product waits for the lock. */
  readonly waiting: string;
}

/** Blocks inserts into the tables of a rebuild. It is an advisory lock, because these tables do not exist yet. */
const A_WRITE: Hold = { take: 'select pg_advisory_lock(4711)', waiting: `locktype = 'advisory' and objid = 4711` };
/** Blocks the swap, which replaces the live table with the rebuilt table. */
const THE_SWAP: Hold = {
  take: 'begin; lock table rm.ad_cards in access share mode',
  waiting: `relation = 'rm.ad_cards'::regclass`,
};

/**
 * Creates triggers that make inserts into rebuild tables wait for the lock `A_WRITE`. Returns a function that removes
 * the triggers.
 */
async function holdWrites(): Promise<() => Promise<unknown>> {
  await pool.query(`
    create function hold_write() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock_shared(4711); return null;
    end $$;
    create function hold_writes() returns event_trigger language plpgsql as $$ begin
      if to_regclass('rm.ad_cards__rebuild') is not null then
        create or replace trigger hold before insert on rm.ad_cards__rebuild
          for each statement execute function hold_write();
      end if;
    end $$;
    create event trigger hold_writes on ddl_command_end
      when tag in ('CREATE TABLE', 'CREATE TABLE AS') execute function hold_writes();`);
  return () =>
    pool.query('drop event trigger hold_writes; drop function hold_writes; drop function hold_write cascade');
}

/** Takes the lock `hold` and sends a request. Kills the product while it waits for the lock. */
async function killIn(state: 'running' | 'swapping', hold: Hold, sendRequest: () => Promise<void>): Promise<void> {
  const lockClient = await pool.connect();
  try {
    await lockClient.query(hold.take);
    await sendRequest();
    await expect
      .poll(
        async () => (await pool.query(`select from pg_locks where not granted and ${hold.waiting}`)).rowCount,
        PATIENT,
      )
      .toBeGreaterThan(0);
    await kill();
    expect((await pool.query(`select state from rm.rebuilds where projection = 'ad_cards'`)).rows).toEqual([{ state }]);
  } finally {
    // Closes the connection, which releases the lock.
    lockClient.release(true);
  }
}

test('a rebuild resumes after SIGKILL during the fill and the swap, without differences or wrong reads', async () => {
  const before = await rowsOf('rm.ad_cards');
  expect(before).toHaveLength(ADS - ADS / 10);
  const liveTable = await oid();
  const releaseWrites = await holdWrites();
  let rebuildId = '';
  await killIn('running', A_WRITE, async () => {
    const response = await asAdmin('POST', '/ad_cards/rebuild');
    expect(response.status).toBe(202);
    ({ rebuildId } = response.body['data'] as { rebuildId: string });
  });
  await releaseWrites();
  product = await start();
  expect([await rowsOf('rm.ad_cards'), await oid()]).toEqual([before, liveTable]);

  await waitForState('ready');
  expect(await cards()).toMatchObject({ parkedEvents: 0, rebuild: { id: rebuildId, differingRows: 0, error: null } });
  expect((await cards())?.rebuild?.events).toBeGreaterThanOrEqual(ADS * (EVENTS_PER_AD - 1));
  expect(await rowsOf('rm.ad_cards__rebuild')).toEqual(before);

  await killIn('swapping', THE_SWAP, async () => expect((await asAdmin('POST', '/ad_cards/swap')).status).toBe(202));
  product = await start();
  await waitForState('swapped');
  expect(await oid()).not.toBe(liveTable);
  expect(await rowsOf('rm.ad_cards')).toEqual(before);
  expect((await cards())?.previous).not.toBeNull();

  // The projection resumed at the correct position, so new events are also included.
  const owner = await recording.member({ userType: 'provider' });
  const { id, position } = await product.api.postAd(owner.token, { title: 'After all that' });
  const listed = await product.api.call('GET', '/api/ads?sort=newest&limit=1', {
    headers: after(position),
  });
  expect(listed.body).toMatchObject({ data: [{ id, title: 'After all that' }] });
  expect(await rowsOf('rm.ad_cards')).toHaveLength(before.length + 1);
});
