import { START } from '@alpenglow/domain';
import type { Pool, PoolClient } from '@alpenglow/infra';
import { recordParked } from './checkpoints.ts';
import { fillTables, type FillDependencies, type Filled } from './fill-tables.ts';
import { parkedNameOf, type Projection } from './projection.ts';
import { aloneAtRebuild } from './rebuild-lock.ts';
import { skippedEventsOf } from './skipped-events.ts';
import { swapTables } from './swap-tables.ts';
import { createIndexes, createTables, dropTables, vacuumTables } from './tables.ts';
import { inReadModelTransaction } from './transaction.ts';

export interface RebuildProgress {
  readonly events: number;
  /** 0 to 1, an estimate. */
  readonly fraction: number;
}

export type RebuildDependencies = FillDependencies;

export interface RebuildOptions {
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds a projection anew from the first event, in tables beside the live ones, and swaps them in within one transaction once it has
 * caught up. Readers and the live runner go on meanwhile; the runner finds its checkpoint moved and continues from there. No previous version
 * is kept. Answers the number of events handled. Aborting leaves the live tables as they were. Throws `RebuiltElsewhere` at once when the
 * projection is being rebuilt already; a rebuild of an admin's that rests is given up.
 */
export async function rebuildProjection(
  projection: Projection,
  deps: RebuildDependencies,
  options: RebuildOptions = {},
): Promise<number> {
  return aloneAtRebuild(deps.pool, projection.name, async (client, lost) => {
    await giveUpWhatRests(deps.pool, projection);
    return build(
      projection,
      deps,
      { ...options, signal: AbortSignal.any([lost, ...(options.signal ? [options.signal] : [])]) },
      client,
    );
  });
}

async function build(
  projection: Projection,
  deps: RebuildDependencies,
  options: RebuildOptions,
  client: PoolClient,
): Promise<number> {
  const { pool } = deps;
  await makeTables(pool, projection);
  const skipped = await skippedEventsOf(deps.store, projection.name);
  let filled: Filled = await fillTables(
    projection,
    deps,
    { position: START, events: 0, parked: [] },
    { ...options, skipped },
  );
  await makeIndexes(pool, client, projection);
  do filled = await fillTables(projection, deps, filled, { ...options, skipped });
  while (!(await swapIn(projection, pool, filled, options.signal)));
  options.onProgress?.({ events: filled.events, fraction: 1 });
  return filled.events;
}

async function swapIn(
  projection: Projection,
  pool: Pool,
  { position, parked }: Filled,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  await inReadModelTransaction(pool, (client) => replaceParkedBeside(client, projection, parked));
  return swapTables(pool, projection, { from: 'rebuild', position, keepsPrevious: false, signal });
}

/** Empty tables beside the live ones, in place of any that are there. */
export async function makeTables(
  pool: Pool,
  projection: Projection,
  also?: (client: PoolClient) => Promise<void>,
): Promise<void> {
  await inReadModelTransaction(pool, async (client) => {
    await dropTables(client, projection, 'rebuild');
    await createTables(client, projection, 'rebuild');
    await replaceParkedBeside(client, projection, []);
    await also?.(client);
  });
}

/** The indexes of the filled tables: made of all rows at once, they cost a fraction of ones that grow with each. `client` is in no transaction. */
export async function makeIndexes(pool: Pool, client: PoolClient, projection: Projection): Promise<void> {
  await inReadModelTransaction(pool, (one) => createIndexes(one, projection, 'rebuild'));
  await vacuumTables(client, projection, 'rebuild');
}

/** Records which events the tables beside the live ones could not take in. */
export async function replaceParkedBeside(
  client: PoolClient,
  projection: Projection,
  parked: Filled['parked'],
): Promise<void> {
  const name = parkedNameOf(projection, 'rebuild');
  await client.query('delete from rm.parked_events where projection = $1', [name]);
  await recordParked(client, name, parked);
}

/** Tables an admin had built beside the live ones make room for these. */
async function giveUpWhatRests(pool: Pool, { name }: Projection): Promise<void> {
  await pool.query(
    `update rm.rebuilds set state = 'failed', wish = null, position = null, table_oid = null, differences = '[]', error = 'Another rebuild has begun meanwhile', updated_at = now()
      where projection = $1 and state in ('running', 'paused', 'checking', 'ready', 'swapping')`,
    [name],
  );
}
