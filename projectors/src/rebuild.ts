import { comparePositions, progressTowards, START, type EventStore, type Position, type RecordedEvent } from '@alpenglow/domain';
import { ADVANCED_CHANNEL } from '@alpenglow/infra';
import type { Pool, PoolClient } from '@alpenglow/infra';
import { applyBatch, type Parked } from './apply-batch.ts';
import { recordParked } from './checkpoints.ts';
import type { Projection } from './projection.ts';
import { createIndexes, createTables, dropTables, swapTables, vacuumTables } from './tables.ts';
import { collectTallies } from './tallies.ts';
import { inReadModelTransaction } from './transaction.ts';

export interface RebuildProgress {
  readonly events: number;
  /** 0 to 1, an estimate. */
  readonly fraction: number;
}

export interface RebuildDependencies {
  readonly store: EventStore;
  readonly pool: Pool;
}

export interface RebuildOptions {
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly signal?: AbortSignal;
}

const PAGE_events = 1_000;
/** So many counts are kept in memory before they are written. */
const KEPT_COUNTS = 200_000;

/**
 * Builds a projection anew from the first event, in tables beside the live ones, and swaps them in within one transaction once it has
 * caught up. Readers and the live runner go on meanwhile; the runner finds its checkpoint moved and continues from there.
 * Answers the number of events handled. Aborting leaves the live tables as they were. Rejects at once when the projection is being rebuilt already.
 */
export async function rebuildProjection(projection: Projection, deps: RebuildDependencies, options: RebuildOptions = {}): Promise<number> {
  const client = await deps.pool.connect();
  const ignore = () => undefined;
  client.on('error', ignore);
  try {
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(hashtext('alpenglow-rebuild'), hashtext($1)) as taken`, [projection.name]);
    if (rows[0]?.taken !== true) throw new Error(`${projection.name} is being rebuilt already`);
    return await build(projection, deps, options, client);
  } finally {
    // Ending the session would free the lock as well, but only some time after this has returned.
    await client.query(`select pg_advisory_unlock(hashtext('alpenglow-rebuild'), hashtext($1))`, [projection.name]).catch(ignore);
    client.off('error', ignore);
    client.release(true);
  }
}

async function build(projection: Projection, { store, pool }: RebuildDependencies, { onProgress, signal }: RebuildOptions, client: PoolClient): Promise<number> {
  await inReadModelTransaction(pool, async (client) => {
    await dropTables(client, projection, 'rebuild');
    await createTables(client, projection, 'rebuild');
  });

  const parkedStreams = new Set<string>();
  const parked: Parked[] = [];
  const counts = collectTallies(projection);
  let position: Position = START;
  let events = 0;

  const catchUp = async () => {
    const head = await store.head();
    for await (const page of pagesAfter(store, position, Object.keys(projection.on))) {
      signal?.throwIfAborted();
      for (const one of await inReadModelTransaction(pool, (client) => applyBatch(client, projection, 'rebuild', page, parkedStreams, counts.add))) {
        parkedStreams.add(one.stream);
        parked.push(one);
      }
      if (counts.size() > KEPT_COUNTS) await inReadModelTransaction(pool, (client) => counts.save(client, 'rebuild'));
      position = page.at(-1)?.position ?? position;
      events += page.length;
      onProgress?.({ events, fraction: progressTowards(position, head) });
    }
    await inReadModelTransaction(pool, (client) => counts.save(client, 'rebuild'));
    // Of events of other types there is nothing to handle: whoever has read to the end has come this far.
    if (comparePositions(position, head) < 0) position = head;
  };

  await catchUp();
  // An index made of all rows at once costs a fraction of one that grows with each.
  await inReadModelTransaction(pool, (one) => createIndexes(one, projection, 'rebuild'));
  await vacuumTables(client, projection, 'rebuild');
  do await catchUp();
  while (!(await swap(projection, pool, position, parked)));
  onProgress?.({ events, fraction: 1 });
  return events;
}

/** Pages of all events of these types after a position, each read while the one before it is being handled. */
async function* pagesAfter(store: EventStore, after: Position, types: readonly string[]): AsyncGenerator<readonly RecordedEvent[]> {
  const read = (from: Position) => {
    const reading = store.readAll({ after: from, limit: PAGE_events, types });
    // It is asked for its outcome only when the page before it was handled, if at all.
    reading.catch(() => undefined);
    return reading;
  };
  for (let page = await read(after); ; ) {
    const last = page.at(-1);
    if (!last) return;
    const next = read(last.position);
    yield page;
    page = await next;
  }
}

/** Puts the rebuilt tables in the live ones' place, unless the live ones have meanwhile come further. */
async function swap(projection: Projection, pool: Pool, position: Position, parked: readonly Parked[]): Promise<boolean> {
  return inReadModelTransaction(pool, async (client) => {
    // The live runner locks this row before its table, too: the same order, so the two cannot block each other.
    const { rows } = await client.query<{ position: Position }>('select position from rm.checkpoints where name = $1 for update', [projection.name]);
    const live = rows[0]?.position ?? START;
    if (comparePositions(position, live) < 0) return false;
    await swapTables(client, projection);
    await client.query('delete from rm.parked_events where projection = $1', [projection.name]);
    await recordParked(client, projection.name, parked);
    await client.query(
      `insert into rm.checkpoints (name, version, position) values ($1, $2, $3)
       on conflict (name) do update set version = excluded.version, position = excluded.position, updated_at = now()`,
      [projection.name, projection.version, position],
    );
    await client.query('select pg_notify($1, $2)', [ADVANCED_CHANNEL, `${projection.name}:${position}`]);
    return true;
  });
}
