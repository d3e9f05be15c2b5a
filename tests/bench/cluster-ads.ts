import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventStore, EventToAppend, Position } from '@alpenglow/domain';
import { createDataKeys, createPool, createPostgresEventStore, withPersonalData, type Pool } from '@alpenglow/infra';
import { PROJECTIONS } from '@alpenglow/projectors';
import { v7 as uuidv7 } from 'uuid';
import { demoAds } from '../../infra/embedded/seed/demo-ads.ts';

/** An ad in the store, and whose. */
export interface StoredAd {
  readonly accountId: string;
  readonly adId: string;
}

/** The cluster's event store and database, beside the services. */
export interface StoreAccess {
  /** Seals personal data as the services do. */
  readonly store: EventStore;
  readonly pool: Pool;
  close(): Promise<void>;
}

/** Where all the ads are: a list is then as long as it gets. */
export const CITY = { state: 'NV', city: 'Las Vegas' };

const STREAMS_AT_A_TIME = 64;
const SETTLE_LIMIT_ms = 180_000;
const LOOK_EVERY_ms = 50;

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

const meta = (accountId: string): EventToAppend['meta'] => ({
  correlationId: randomUUID(),
  causationId: null,
  actor: { kind: 'account', accountId },
  at: new Date().toISOString(),
});

/** Appends ads with the words of the demo, each of an account of its own, all of them in one city. */
export async function storeAds(store: EventStore, count: number): Promise<readonly StoredAd[]> {
  const samples = demoAds();
  const ads = Array.from({ length: count }, () => ({ accountId: randomUUID(), adId: randomUUID() }));
  await inTurn(ads, async ({ accountId, adId }, number) => {
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
      meta: meta(accountId),
    };
    await store.append(`listing-${accountId}`, [event], { expectedRevision: 'no-stream' });
  });
  return ads;
}

/** Appends so many changes to each ad's title, all of an ad at once. Answers the last position. */
export async function changeAds(store: EventStore, ads: readonly StoredAd[], changesEach: number): Promise<Position> {
  await inTurn(ads, async ({ accountId, adId }) => {
    const events = Array.from({ length: changesEach }, (_, change) => ({
      id: uuidv7(),
      type: 'AdUpdated',
      version: 1,
      data: { accountId, adId, title: `Evening walk along the lake, ${change}` },
      meta: meta(accountId),
    }));
    await store.append(`listing-${accountId}`, events, { expectedRevision: 'any' });
  });
  return store.head();
}

/** Waits until every projection has come to a position. */
export async function untilProjected(pool: Pool, position: Position): Promise<void> {
  const names = PROJECTIONS.map(({ name }) => name);
  for (const deadline = Date.now() + SETTLE_LIMIT_ms; ; await pause(LOOK_EVERY_ms)) {
    const { rows } = await pool.query<{ there: number }>(
      'select count(*)::integer as there from rm.checkpoints where name = any($1) and position collate "C" >= $2',
      [names, position],
    );
    if (rows[0]?.there === names.length) return;
    if (Date.now() > deadline) throw new Error(`The read models have not come to ${position} in ${SETTLE_LIMIT_ms} ms`);
  }
}

async function inTurn<T>(items: readonly T[], work: (item: T, number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let number = next++; number < items.length; number = next++) await work(items[number] as T, number);
  };
  await Promise.all(Array.from({ length: STREAMS_AT_A_TIME }, worker));
}
