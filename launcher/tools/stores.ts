import type { EventStore } from '@alpenglow/domain';
import { createLogger, createPostgresEventStore, type ResourceStack, type Pool } from '@alpenglow/infra';
import { openToolPool } from './database.ts';

const POOL_SIZE = 2;

export interface OpenStore {
  /** Event store that does not decrypt events, so their personal fields are encrypted. */
  readonly store: EventStore;
  /** Flushes all appended events to the disk. */
  flush(): Promise<void>;
}

export interface StoreOptions {
  readonly closing: ResourceStack;
  /**
   * True if appends may return before the events are on the disk. This more than doubles the speed of a copy. After a
   * crash, the copy can be continued. Call `flush` at the end.
   */
  readonly isCopy?: boolean;
  /** The beginning of the names of our streams in EventStoreDB. */
  readonly streamPrefix: string;
}

/** Opens the event store at an address of Postgres or EventStoreDB. `closing` closes the store. */
export async function openStore(
  address: string,
  { closing, isCopy = false, streamPrefix }: StoreOptions,
): Promise<OpenStore> {
  if (!isPostgres(address)) {
    const { openEventStoreDb } = await import('@alpenglow/infra/eventstoredb');
    const store = await openEventStoreDb(address, { log: createLogger('warn'), streamPrefix });
    closing.add(() => store.close());
    return { store, flush: () => Promise.resolve() };
  }
  const pool = openToolPool(address, POOL_SIZE, closing);
  const store = createPostgresEventStore({
    pool,
    connectionString: isCopy ? withPostgresSetting(address, 'synchronous_commit=off') : address,
  });
  closing.add(() => store.close());
  return {
    store,
    flush: () => flushCommits(pool),
  };
}

/** Flushes earlier asynchronous commits to the disk with a synchronous commit, which includes all earlier ones. */
export async function flushCommits(pool: Pool): Promise<void> {
  await pool.query(`select pg_logical_emit_message(true, 'alpenglow', 'flushed')`);
}

export function isPostgres(address: string): boolean {
  return /^postgres(?:ql)?:/u.test(address);
}

/** Adds a Postgres setting, such as `synchronous_commit=off`, to an address. All connections to the address use it. */
export function withPostgresSetting(address: string, setting: string): string {
  const url = new URL(address);
  url.searchParams.set('options', [url.searchParams.get('options'), `-c ${setting}`].filter(Boolean).join(' '));
  return url.href;
}
