import { comparePositions, START_POSITION, type LogMark } from '@alpenglow/domain';
import { CHECKPOINT_CHANNEL, type Pool, type PoolClient } from '@alpenglow/infra';
import pRetry from 'p-retry';
import { lockCheckpoint } from '../checkpoints/checkpoints.ts';
import { parkedEventsNameOf, tableNameOf, type Build, type Projection } from '../projection.ts';
import { latestOf, readShardMarks, resetShards } from '../shards/shards.ts';
import { dropTables } from '../tables.ts';
import { mergeTallies } from '../tallies.ts';
import { hasRebuildErasures } from './rebuild-erasures.ts';
import { inReadModelTransaction } from '../read-model-transaction.ts';
import { VersionMoved } from '../versions/versions.ts';

/**
 * The maximum time that a swap of tables waits for a table lock. While the swap waits, new readers of the table must
 * wait, too. After this time, the swap releases all its locks and is retried later.
 */
const LOCK_WAIT_ms = 100;
/** The time by which the wait for an autovacuum exceeds `deadlock_timeout`. */
const AUTOVACUUM_WAIT_ms = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';
/** The error code for a table that another process has dropped in the meantime. */
const UNDEFINED_TABLE = '42P01';
const RETRY_ms = 200;

export interface SwapOptions {
  /** The set of tables that replaces the live tables. */
  readonly from: Exclude<Build, 'live'>;
  /** The event up to which the tables of `from` are complete. The caller has checked that the log contains it. */
  readonly through: LogMark;
  /**
   * True to retain the replaced tables as `previous` tables. False to drop the replaced tables, so that no `previous`
   * tables remain.
   */
  readonly retainsPrevious: boolean;
  readonly alsoInTransaction?: (client: PoolClient) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Replaces the live tables of a projection by the `from` tables in one transaction, together with the checkpoint and
 * the parked events. Readers wait at most 100 ms per table, and then use either the old tables or the new tables.
 * Returns false and changes nothing if the live tables already contain later events than `through`, or if an erasure
 * waits until rows of the `rebuild` tables are computed again. Live tables with effects of lost events are always
 * replaced, and not retained. Parked events of retained tables are stored under the name that `parkedEventsNameOf`
 * returns. Rejects if `signal` aborts. Throws `VersionMoved` if another version of the projection has the live tables.
 */
export async function swapTables(pool: Pool, projection: Projection, swap: SwapOptions): Promise<boolean> {
  // The signal is not passed to `pRetry`, because `pRetry` could then report a committed swap as aborted.
  const attempt = async (number: number) => {
    swap.signal?.throwIfAborted();
    // The first attempt follows the last read of the log at once. If it took longer, the live tables of a busy product
    // would always contain a later event.
    if (number > 1) await interruptAutovacuum(pool, projection, swap.from);
    return inReadModelTransaction(pool, (client) => trySwap(client, projection, swap));
  };
  return pRetry(attempt, {
    retries: Infinity,
    minTimeout: RETRY_ms,
    factor: 1,
    shouldRetry: ({ error }) => (error as { code?: unknown }).code === LOCK_NOT_AVAILABLE,
  });
}

/**
 * Ends the autovacuums of the tables that a swap locks. An autovacuum ends itself for a session that has waited for
 * longer than `deadlock_timeout`, so a swap with its short waits would not end it. The lock mode conflicts with an
 * autovacuum, but not with readers and writers, so these do not wait. The autovacuum does not start again at once, so
 * the lock is not held until the swap. A manual vacuum does not end, and the swap is then attempted without this step.
 */
async function interruptAutovacuum(pool: Pool, projection: Projection, from: SwapOptions['from']): Promise<void> {
  const builds = ['live', from, 'previous'] as const;
  const names = new Set(builds.flatMap((build) => tablesOf(projection).map((table) => tableNameOf(table, build))));
  for (const name of names)
    await inReadModelTransaction(pool, async (client) => {
      const { rowCount } = await client.query(
        `select set_config('lock_timeout',
                  (extract(epoch from current_setting('deadlock_timeout')::interval) * 1000 + $2)::integer::text, true)
          where to_regclass($1) is not null`,
        [name, AUTOVACUUM_WAIT_ms],
      );
      if (rowCount === 1) await client.query(`lock table ${name} in share update exclusive mode`);
    }).catch((error: unknown) => {
      const { code } = error as { code?: unknown };
      if (code !== LOCK_NOT_AVAILABLE && code !== UNDEFINED_TABLE) throw error;
    });
}

async function trySwap(
  client: PoolClient,
  projection: Projection,
  { from, through: { position, id }, retainsPrevious, alsoInTransaction }: SwapOptions,
): Promise<boolean> {
  // The projection also locks the checkpoint row before its live table. Using the same order prevents deadlocks.
  const live = await lockCheckpoint(client, projection);
  if (live && live.version !== projection.version)
    throw new VersionMoved(`${projection.name} has the tables of version ${live.version}`);
  // The position of tables with lost events is not compared, because it belongs to a log that no longer exists. Such
  // tables are not retained either.
  const hasLostEvents = live !== null && live.lostPosition !== null;
  const retains = retainsPrevious && !hasLostEvents;
  const shards = live === null ? null : await readShardMarks(client, projection);
  const reached = shards ? latestOf(shards).position : (live?.position ?? START_POSITION);
  if (!hasLostEvents && comparePositions(position, reached) < 0) return false;
  if (retains && shards) await mergeTallies(client, projection);
  // An erasure requests this under the lock of the checkpoint, so no request can be missed here.
  if (from === 'rebuild' && (await hasRebuildErasures(client, projection))) return false;
  await lockLive(client, projection);
  await replaceTables(client, projection, from, retains);
  await replaceParked(client, projection, from, retains);
  await client.query('delete from rm.previous_versions where projection = $1', [projection.name]);
  if (retains && live)
    await client.query(
      `insert into rm.previous_versions (projection, version, position, event_id, event_position, shards)
       values ($1, $2, $3, $4, $3, $5)`,
      [projection.name, live.version, live.position, live.eventId, shards && JSON.stringify(shards)],
    );
  await client.query(
    `insert into rm.checkpoints (name, version, position, event_id, event_position) values ($1, $2, $3, $4, $3)
     on conflict (name) do update set version = excluded.version, position = excluded.position,
       event_id = excluded.event_id, event_position = excluded.event_position, lost_position = null,
       updated_at = now()`,
    [projection.name, projection.version, position, id],
  );
  await resetShards(client, projection, { position, id });
  await alsoInTransaction?.(client);
  await client.query('select pg_notify($1, $2)', [CHECKPOINT_CHANNEL, `${projection.name}:${position}`]);
  return true;
}

const tablesOf = (projection: Projection) => [projection, ...(projection.tallies ?? [])];

async function lockLive(client: PoolClient, projection: Projection): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    'select name as table from unnest($1::text[]) as name where to_regclass(name) is not null',
    [tablesOf(projection).map((table) => tableNameOf(table, 'live'))],
  );
  await client.query(`set local lock_timeout = ${LOCK_WAIT_ms}`);
  for (const { table } of rows) await client.query(`lock table ${table} in access exclusive mode`);
}

async function replaceTables(
  client: PoolClient,
  projection: Projection,
  from: SwapOptions['from'],
  retainsPrevious: boolean,
): Promise<void> {
  if (from !== 'previous') await dropTables(client, projection, 'previous');
  if (!retainsPrevious) await dropTables(client, projection, 'live');
  for (const table of tablesOf(projection)) {
    const aside = `${table.name}__aside`;
    if (retainsPrevious) await client.query(`alter table ${tableNameOf(table, 'live')} rename to ${aside}`);
    await client.query(`alter table ${tableNameOf(table, from)} rename to ${table.name}`);
    if (retainsPrevious) await client.query(`alter table rm.${aside} rename to ${table.name}__previous`);
  }
}

async function replaceParked(
  client: PoolClient,
  projection: Projection,
  from: SwapOptions['from'],
  retainsPrevious: boolean,
): Promise<void> {
  const aside = `${projection.name}__aside`;
  const rename = (oldName: string, newName: string) =>
    client.query('update rm.parked_events set projection = $2 where projection = $1', [oldName, newName]);
  const deleteParked = (name: string) => client.query('delete from rm.parked_events where projection = $1', [name]);
  if (from !== 'previous') await deleteParked(parkedEventsNameOf(projection, 'previous'));
  if (retainsPrevious) await rename(projection.name, aside);
  else await deleteParked(projection.name);
  await rename(parkedEventsNameOf(projection, from), projection.name);
  if (retainsPrevious) await rename(aside, parkedEventsNameOf(projection, 'previous'));
}
