import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { definitionOf, type EventStore, type ListingEvent, type ProjectionView } from '@alpenglow/domain';
import { createDataKeys, createPostgresEventStore, loadSecrets, migrate, withPersonalData } from '@alpenglow/infra';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, type Person } from '../support/api.ts';
import { bundleForNode } from '../support/bundle.mjs';
import { runBundle, type TestProcess } from '../support/processes.ts';
import type { ProductPlan } from '../support/product-process.ts';
import { freshPlace } from '../support/product.ts';
import { openRecording, type Recording } from '../support/recording.ts';

/** A rebuild an admin asked for outlives the product: killed while it fills and while it swaps, it comes to the end of one that was left alone (decision 0041). */

const ADS = 40;
const EVENTS_PER_AD = 250;
const PATIENT = { timeout: 30_000, interval: 50 };
/** What is waited for lasts a moment only. */
const OFTEN = { ...PATIENT, interval: 1 };
const root = path.resolve(import.meta.dirname, '../..');

let place: Awaited<ReturnType<typeof freshPlace>>;
let bundle: Awaited<ReturnType<typeof bundleForNode>>;
let pool: Pool;
let store: EventStore;
let recording: Recording;
let admin: Person;
let product: { readonly process: TestProcess; readonly api: ReturnType<typeof apiClient> };

beforeAll(async () => {
  place = await freshPlace();
  bundle = await bundleForNode('./product-process.ts');
  pool = new Pool({ connectionString: place.databaseUrl });
  // Before the product begins, so that its first build takes them in at once.
  await migrate(place.databaseUrl, { migrationsDir: path.join(root, 'infra/migrations') });
  const { dataKeys } = await loadSecrets(place.dataDir);
  store = withPersonalData(createPostgresEventStore({ pool, connectionString: place.databaseUrl }), createDataKeys(pool, dataKeys));
  await Promise.all(Array.from({ length: ADS }, (_, ad) => store.append(`listing-owner${ad}`, historyOf(ad), { expectedRevision: 'no-stream' })));
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

/** Of an ad that is bumped and changed over and over; every tenth one is taken down at the end. */
function historyOf(ad: number) {
  const ids = { accountId: `owner${ad}`, adId: randomUUID() };
  const fields = { name: 'Anna', title: 'An evening', category: 'escort', state: 'NV', city: 'Reno', description: 'Calm and kind.', price: null, body: null, phone: null, socialMedia: null, video: null } as const;
  const events: ListingEvent[] = [{ type: 'AdPosted', data: { ...ids, clientId: null, ...fields, photos: [], isDemo: false } }];
  while (events.length < EVENTS_PER_AD - 1) {
    events.push({ type: 'AdBumped', data: ids }, { type: 'AdUpdated', data: { ...ids, title: `Evening ${events.length} of ${ad}`, price: String(events.length) } });
  }
  if (ad % 10 === 0) events.push({ type: 'AdDeleted', data: { ...ids, reason: null } });
  const meta = { correlationId: 'test', causationId: null, actor: { kind: 'system', name: 'test' }, at: new Date().toISOString() } as const;
  return events.map(({ type, data }) => ({ id: randomUUID(), type, version: definitionOf(type)?.version ?? 1, data, meta }));
}

async function start(): Promise<typeof product> {
  const plan: ProductPlan = { databaseUrl: place.databaseUrl, dataDir: place.dataDir, rootDir: root, sampleEvery_ms: 60_000 };
  const process = runBundle(bundle.path, plan);
  const port = await new Promise<string>((resolve, reject) => {
    void readPort(process, resolve).then(() => reject(new Error('The product ended before it was ready')), reject);
  });
  return { process, api: apiClient(`http://127.0.0.1:${port}`) };
}

/** Reads whatever the product prints until it ends. */
async function readPort({ lines }: TestProcess, tell: (port: string) => void): Promise<void> {
  for await (const line of lines) {
    const [what, value = ''] = line.split(' ');
    if (what === 'port') tell(value);
  }
}

/** `kill -9`. */
async function kill(): Promise<void> {
  product.process.kill();
  await product.process.finished();
}

const asAdmin = (method: string, action = '') => product.api.call(method, `/api/admin/projections${action}`, { token: admin.token });
async function cards(): Promise<ProjectionView | undefined> {
  return ((await asAdmin('GET')).body['data'] as readonly ProjectionView[]).find(({ name }) => name === 'ad_cards');
}
const until = (state: string) => expect.poll(async () => (await cards())?.rebuild?.state, PATIENT).toBe(state);
const rowsOf = async (table: string) => (await pool.query<{ row: string }>(`select t::text as row from ${table} t order by ad_id`)).rows.map(({ row }) => row);
const oid = async () => (await pool.query<{ oid: number }>(`select to_regclass('rm.ad_cards')::oid as oid`)).rows[0]?.oid;

/** Kills the product while it wants to write to this table, in the middle of what the rebuild is at, and starts it again. */
async function killIn(state: 'running' | 'swapping', table: string, mode: 'share' | 'access share'): Promise<void> {
  const holding = await pool.connect();
  try {
    await expect.poll(async () => (await pool.query<{ found: boolean }>('select to_regclass($1) is not null as found', [table])).rows[0]?.found, OFTEN).toBe(true);
    await holding.query('begin');
    await holding.query(`lock table ${table} in ${mode} mode`);
    await expect.poll(async () => (await pool.query('select from pg_locks where not granted and relation = to_regclass($1)::oid', [table])).rowCount, OFTEN).toBeGreaterThan(0);
    await kill();
    expect((await pool.query(`select state from rm.rebuilds where projection = 'ad_cards'`)).rows).toEqual([{ state }]);
  } finally {
    await holding.query('rollback');
    holding.release();
  }
  product = await start();
}

test('a rebuild goes on after kill -9 while it fills and while it swaps; nothing differs, and what was read is right all along', async () => {
  const before = await rowsOf('rm.ad_cards');
  expect(before).toHaveLength(ADS - ADS / 10);
  const liveTable = await oid();
  const asked = await asAdmin('POST', '/ad_cards/rebuild');
  expect(asked.status).toBe(202);
  await killIn('running', 'rm.ad_cards__rebuild', 'share');
  expect([await rowsOf('rm.ad_cards'), await oid()]).toEqual([before, liveTable]);

  await until('ready');
  expect(await cards()).toMatchObject({ parkedEvents: 0, rebuild: { id: (asked.body['data'] as { rebuildId: string }).rebuildId, differingRows: 0, error: null } });
  expect((await cards())?.rebuild?.events).toBeGreaterThanOrEqual(ADS * (EVENTS_PER_AD - 1));
  expect(await rowsOf('rm.ad_cards__rebuild')).toEqual(before);

  expect((await asAdmin('POST', '/ad_cards/swap')).status).toBe(202);
  await killIn('swapping', 'rm.ad_cards', 'access share');
  await until('swapped');
  expect(await oid()).not.toBe(liveTable);
  expect(await rowsOf('rm.ad_cards')).toEqual(before);
  expect((await cards())?.previous).not.toBeNull();

  // The runner has found where to go on.
  const owner = await recording.member({ userType: 'provider' });
  const { id, position } = await product.api.postAd(owner.token, { title: 'After all that' });
  const listed = await product.api.call('GET', '/api/ads?sort=newest&limit=1', { headers: { 'x-wait-position': position } });
  expect(listed.body).toMatchObject({ data: [{ id, title: 'After all that' }] });
  expect(await rowsOf('rm.ad_cards')).toHaveLength(before.length + 1);
});
