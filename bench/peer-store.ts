import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConcurrencyConflict, START_POSITION, type EventToAppend, type StreamId } from '@alpenglow/domain';
import { createPool, createPostgresEventStore, defineReadModel, migrate, readEventPages } from '@alpenglow/infra';
import { defineProjection, rebuildProjection, type Projection } from '@alpenglow/projectors';

/** The name of our event store in the tables of the benchmark. */
export const OURS = 'alpenglow';

/** The result of an append that requires a version of its stream. `version` is that of the stream afterwards. */
interface ConditionalAppend {
  readonly isAppended: boolean;
  readonly version: unknown;
}

/** An event store in a database, as the benchmark uses it. */
export interface PeerStore {
  /** Appends an event to a new stream. The store checks that the stream does not exist. */
  appendNew(event: EventToAppend): Promise<void>;
  /** Appends an event to one stream that all writers share, if its version is `version` (null: it does not exist). */
  appendIf(event: EventToAppend, version: unknown): Promise<ConditionalAppend>;
  /** Appends events to one new stream at once. */
  fill(events: readonly EventToAppend[]): Promise<void>;
  /** Reads all events in order, and returns their number. */
  readAll(): Promise<number>;
  /**
   * Fills a table with one row for each ad from all events, and returns the number of events. A store that needs more
   * than `limit_ms` may stop, and returns the number of the events so far.
   */
  rebuild(limit_ms: number): Promise<number>;
  close(): Promise<void>;
}

interface OpenOptions {
  /** The maximum number of connections for statements of the writers. Our store appends over a single connection. */
  readonly connections: number;
  /** True if the tables of the store do not exist yet. */
  readonly isNew: boolean;
}

export type OpenPeerStore = (connectionString: string, options: OpenOptions) => Promise<PeerStore>;

/** Returns the functions that open the compared stores, ours first. The packages of the peers must be installed. */
export async function loadStores(root: string): Promise<ReadonlyMap<string, OpenPeerStore>> {
  const file = pathToFileURL(path.join(root, 'bench/peers/stores.mjs')).href;
  const { STORES } = (await import(/* webpackIgnore: true */ file)) as { STORES: Record<string, OpenPeerStore> };
  const ours: OpenPeerStore = (connectionString, options) => openOurs(root, connectionString, options);
  return new Map([[OURS, ours], ...Object.entries(STORES)]);
}

const BENCH_ROWS = defineReadModel({ name: 'bench_rows', version: 1 })({
  ad_id: 'text primary key',
  title: 'text not null',
  changes: 'integer not null',
});

/** A projection with the same rows as those of the peers. */
const benchRows = defineProjection(BENCH_ROWS)({
  keyOf: ({ data }) => ('adId' in data ? data.adId : null),
  on: {
    AdUpdated: ({ data: { adId, title = '' } }, row) => ({ ad_id: adId, title, changes: (row?.changes ?? 0) + 1 }),
  },
});

async function openOurs(root: string, connectionString: string, { isNew }: OpenOptions): Promise<PeerStore> {
  if (isNew) await migrate(connectionString, { migrationsDir: path.join(root, 'infra/migrations') });
  const pool = createPool({ connectionString, max: 4, applicationName: 'bench' });
  const store = createPostgresEventStore({ pool, connectionString });
  return {
    async appendNew(event) {
      await store.append(`ad-${randomUUID()}` as StreamId, [event], { expectedRevision: 'no-stream' });
    },
    async appendIf(event, version) {
      try {
        const { revision } = await store.append('ad-contended' as StreamId, [event], {
          expectedRevision: (version as number | null) ?? 'no-stream',
        });
        return { isAppended: true, version: revision };
      } catch (error) {
        if (!(error instanceof ConcurrencyConflict)) throw error;
        const [last] = await store.readStream('ad-contended' as StreamId, { direction: 'backwards', limit: 1 });
        return { isAppended: false, version: last?.revision ?? null };
      }
    },
    async fill(events) {
      await store.append(`ad-${randomUUID()}` as StreamId, events, { expectedRevision: 'no-stream' });
    },
    async readAll() {
      let count = 0;
      for await (const page of readEventPages(store, { after: START_POSITION })) count += page.length;
      return count;
    },
    async rebuild() {
      const events = await rebuildProjection(benchRows as unknown as Projection, { store, pool });
      // Parked events are not applied, so they would falsify the rate.
      const { rows } = await pool.query<{ error: string }>('select error from rm.parked_events limit 1');
      if (rows[0]) throw new Error(`The rebuild has parked events: ${rows[0].error}`);
      return events;
    },
    async close() {
      await store.close();
      await pool.end();
    },
  };
}
