import type { EventStore } from '@alpenglow/domain';
import { createLogger, createPool, createPostgresEventStore, type Closing, type Pool } from '../src/index.ts';
import { APPLICATION_NAME } from './database.ts';

const POOL_SIZE = 2;

export interface OpenStore {
  /** As stored: personal fields are sealed. */
  readonly store: EventStore;
  /** Puts on the disk what was appended. */
  flush(): Promise<void>;
}

export interface StoreOptions {
  readonly closing: Closing;
  /**
   * Appends need not be on the disk before they count, which more than doubles their speed: for copies, which find after a crash
   * where they were. Ends with `flush`.
   */
  readonly isCopy?: boolean;
}

/** The event store at an address: `postgres:` with our tables, or EventStoreDB. `closing` closes it. */
export async function openStore(address: string, { closing, isCopy = false }: StoreOptions): Promise<OpenStore> {
  if (!isPostgres(address)) {
    const { openEventStoreDb } = await import('../src/adapters/eventstoredb/event-store.ts');
    const store = await openEventStoreDb(address, { log: createLogger('warn') });
    closing.add(() => store.close());
    return { store, flush: () => Promise.resolve() };
  }
  const pool = createPool({
    connectionString: address,
    max: POOL_SIZE,
    applicationName: APPLICATION_NAME,
    statementTimeout_ms: 0,
  });
  closing.add(() => pool.end());
  const store = createPostgresEventStore({
    pool,
    connectionString: isCopy ? withSetting(address, 'synchronous_commit=off') : address,
  });
  closing.add(() => store.close());
  return {
    store,
    flush: () => flushCommits(pool),
  };
}

/** Puts on the disk what was committed without waiting for it: a commit that waits takes every earlier one with it. */
export async function flushCommits(pool: Pool): Promise<void> {
  await pool.query(`select pg_logical_emit_message(true, 'alpenglow', 'flushed')`);
}

export function isPostgres(address: string): boolean {
  return /^postgres(?:ql)?:/u.test(address);
}

/** The address with a setting of Postgres, e.g. `synchronous_commit=off`, for every connection made with it. */
export function withSetting(address: string, setting: string): string {
  const url = new URL(address);
  url.searchParams.set('options', [url.searchParams.get('options'), `-c ${setting}`].filter(Boolean).join(' '));
  return url.href;
}
