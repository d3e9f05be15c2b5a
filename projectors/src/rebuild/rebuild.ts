import { START_POSITION } from '@alpenglow/domain';
import type { Pool, PoolClient, Slots } from '@alpenglow/infra';
import { recordParkedEvents } from '../checkpoints/checkpoints.ts';
import { fillTables, type FillDependencies, type FillOptions, type FillState } from './fill-tables.ts';
import { parkedEventsNameOf, type Projection } from '../projection.ts';
import { withRebuildLock } from './rebuild-lock.ts';
import type { LogReader } from './shared-pages.ts';
import { readSkippedEventIds } from '../skipped-events.ts';
import { swapTables } from './swap-tables.ts';
import { createIndexes, createTables, dropTables, vacuumTables } from '../tables.ts';
import { inReadModelTransaction } from '../read-model-transaction.ts';

export type RebuildOptions = Pick<FillOptions, 'onProgress' | 'signal'>;

/** The options of a projection that is rebuilt together with others. */
type BuildOptions = RebuildOptions &
  Pick<FillOptions, 'cacheLimit_bytes' | 'writes'> & {
    /** Reads the log from its start for the first filling of the tables. It is closed after that. */
    readonly reader?: LogReader;
    /** Limits the number of projections whose indexes are created at the same time. Default: no limit. */
    readonly indexes?: Slots;
  };

/**
 * Rebuilds the read model of a projection from the first event and returns the number of events. The new tables are
 * filled while readers use the live tables. After the new tables have caught up, they replace the live tables in one
 * transaction, and the replaced tables are dropped. The projection then continues from the new checkpoint. If
 * `options.signal` aborts, the live tables stay unchanged. Throws `RebuildLocked` if the projection is already being
 * rebuilt. Throws `LogRewound`, without a change of the live tables, if the log loses events of the new tables. If an
 * admin has requested a rebuild that is not finished, that rebuild is marked as failed.
 */
export async function rebuildProjection(
  projection: Projection,
  deps: FillDependencies,
  options: RebuildOptions = {},
): Promise<number> {
  return withRebuildLock(deps.pool, projection.name, (lost) =>
    buildAndSwap(projection, deps, { ...options, signal: signalOf(options, lost) }),
  );
}

/**
 * Builds the tables of a projection and makes them live, like `rebuildProjection`. The caller holds the rebuild lock.
 */
export async function buildAndSwap(
  projection: Projection,
  deps: FillDependencies,
  { reader, writes, indexes, ...options }: BuildOptions,
): Promise<number> {
  const { pool } = deps;
  await failUnfinishedRebuild(pool, projection);
  await createRebuildTables(pool, projection);
  const skipped = await readSkippedEventIds(deps.store, projection);
  let filled: FillState = { position: START_POSITION, events: 0, parked: [] };
  try {
    const shared = { ...(reader && { reader }), ...(writes && { writes }) };
    filled = await fillTables(projection, deps, filled, { ...options, ...shared, skipped });
  } finally {
    reader?.close();
  }
  const slot = await indexes?.take(options.signal);
  try {
    options.signal?.throwIfAborted();
    await createRebuildIndexes(pool, projection);
  } finally {
    slot?.release();
  }
  do filled = await fillTables(projection, deps, filled, { ...options, skipped });
  while (!(await swapIn(projection, pool, filled, options)));
  options.onProgress?.({ events: filled.events, fraction: 1 });
  return filled.events;
}

function signalOf({ signal }: RebuildOptions, lost: AbortSignal): AbortSignal {
  return signal ? AbortSignal.any([lost, signal]) : lost;
}

async function swapIn(
  projection: Projection,
  pool: Pool,
  { position, eventId = null, parked }: FillState,
  { signal }: RebuildOptions,
): Promise<boolean> {
  await inReadModelTransaction(pool, (client) => replaceRebuildParkedEvents(client, projection, parked));
  const through = { position, id: eventId };
  return swapTables(pool, projection, { from: 'rebuild', through, retainsPrevious: false, signal });
}

/**
 * Drops existing `rebuild` tables of a projection and creates empty ones. `also` runs at the end of the same
 * transaction.
 */
export async function createRebuildTables(
  pool: Pool,
  projection: Projection,
  also?: (client: PoolClient) => Promise<void>,
): Promise<void> {
  await inReadModelTransaction(pool, async (client) => {
    await dropTables(client, projection, 'rebuild');
    await createTables(client, projection, 'rebuild');
    await replaceRebuildParkedEvents(client, projection, []);
    await also?.(client);
  });
}

/**
 * Creates the indexes of the filled `rebuild` tables. This is much faster than updating indexes while the tables are
 * filled. Then vacuums the tables.
 */
export async function createRebuildIndexes(pool: Pool, projection: Projection): Promise<void> {
  await inReadModelTransaction(pool, (transaction) => createIndexes(transaction, projection, 'rebuild'));
  const client = await pool.connect();
  try {
    await vacuumTables(client, projection, 'rebuild');
  } finally {
    client.release();
  }
}

/** Replaces the stored parked events of the `rebuild` tables by `parked`, inside the caller's transaction. */
export async function replaceRebuildParkedEvents(
  client: PoolClient,
  projection: Projection,
  parked: FillState['parked'],
): Promise<void> {
  const name = parkedEventsNameOf(projection, 'rebuild');
  await client.query('delete from rm.parked_events where projection = $1', [name]);
  await recordParkedEvents(client, name, parked);
}

/**
 * If an admin has requested a rebuild that is not finished, marks this rebuild as failed, because its tables are about
 * to be replaced.
 */
async function failUnfinishedRebuild(pool: Pool, { name }: Projection): Promise<void> {
  await pool.query(
    `update rm.rebuilds set state = 'failed', wish = null, position = null, table_oid = null, differences = '[]',
            error = 'Another rebuild has begun meanwhile', updated_at = now()
      where projection = $1 and state in ('running', 'paused', 'checking', 'ready', 'swapping')`,
    [name],
  );
}
