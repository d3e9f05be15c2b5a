import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type EventStore, type EventToAppend, type Position, toStreamId, listing } from '@alpenglow/domain';
import { createDataKeys, createPool, createPostgresEventStore, withPersonalData, type Pool } from '@alpenglow/infra';
import { PROJECTIONS } from '@alpenglow/projectors';
import { v7 as uuidv7 } from 'uuid';
import { demoAds } from '../launcher/seed/demo-ads.ts';
import { forEachInParallel } from './closed-loop.ts';

/** An ad in the event store, and the account that owns it. */
export interface StoredAd {
  readonly accountId: string;
  readonly adId: string;
}

/** Direct connections to the event store and the database of the cluster, which bypass the services. */
export interface StoreAccess {
  /** Event store that encrypts personal data as the services do. */
  readonly store: EventStore;
  readonly pool: Pool;
  close(): Promise<void>;
}

/** City of all generated ads. They share one city, so that the list of this city is as long as possible. */
export const CITY = { state: 'NV', city: 'Las Vegas' };

const PARALLEL_STREAMS = 64;
const SETTLE_LIMIT_ms = 180_000;
const POLL_INTERVAL_ms = 50;

export function openStoreAccess(databaseUrl: string, dataKeysSecret: string): StoreAccess {
  const pool = createPool({ connectionString: databaseUrl, max: 8, applicationName: 'bench' });
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: databaseUrl }),
    createDataKeys(pool, dataKeysSecret),
  );
  return {
    store,
    pool,
    async close() {
      await store.close();
      await pool.end();
    },
  };
}

const createMeta = (accountId: string): EventToAppend['meta'] => ({
  correlationId: randomUUID(),
  causationId: null,
  actor: { kind: 'account', accountId },
  at: new Date().toISOString(),
});

/** Appends ads with the texts of the demo ads. Each ad has its own account. All ads are in one city. */
export async function storeAds(store: EventStore, count: number): Promise<readonly StoredAd[]> {
  const samples = demoAds();
  const ads = Array.from({ length: count }, () => ({ accountId: randomUUID(), adId: randomUUID() }));
  await forEachInParallel(ads, PARALLEL_STREAMS, async ({ accountId, adId }, number) => {
    const sample = samples[number % samples.length];
    const event = {
      id: uuidv7(),
      type: 'AdPosted',
      version: 1,
      data: {
        accountId,
        adId,
        clientId: null,
        ...sample?.fields,
        ...CITY,
        photos: sample?.photos ?? [],
        isDemo: false,
      },
      meta: createMeta(accountId),
    };
    await store.append(toStreamId(listing, accountId), [event], { expectedRevision: 'no-stream' });
  });
  return ads;
}

/**
 * Appends `changesEach` title changes to each ad, with one append per ad. Returns the position of the last event in the
 * event log.
 */
export async function changeAds(store: EventStore, ads: readonly StoredAd[], changesEach: number): Promise<Position> {
  await forEachInParallel(ads, PARALLEL_STREAMS, async ({ accountId, adId }) => {
    const events = Array.from({ length: changesEach }, (_, change) => ({
      id: uuidv7(),
      type: 'AdUpdated',
      version: 1,
      data: { accountId, adId, title: `Evening walk along the lake, ${change}` },
      meta: createMeta(accountId),
    }));
    await store.append(toStreamId(listing, accountId), events, { expectedRevision: 'any' });
  });
  return store.readHead();
}

/** Waits until every projection has processed the event log up to a position. */
export async function waitUntilProjected(pool: Pool, position: Position): Promise<void> {
  const names = PROJECTIONS.map(({ name }) => name);
  for (const deadline = Date.now() + SETTLE_LIMIT_ms; ; await pause(POLL_INTERVAL_ms)) {
    const { rows } = await pool.query<{ reached: number }>(
      'select count(*)::integer as reached from rm.checkpoints where name = any($1) and position collate "C" >= $2',
      [names, position],
    );
    if (rows[0]?.reached === names.length) return;
    if (Date.now() > deadline)
      throw new Error(`The read models did not reach ${position} within ${SETTLE_LIMIT_ms} ms`);
  }
}
