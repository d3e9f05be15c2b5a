import {
  forgetUses,
  haveReaders,
  isDutyFree,
  readLiveVersions,
  shardsOfVersion,
  versionedName,
  waitUnlessAborted,
  wasUsedRecently,
  type Pool,
  type PoolClient,
} from '@alpenglow/infra';
import { readModelOf, type Projection } from '../projection.ts';
import { inReadModelTransaction } from '../read-model-transaction.ts';
import { dropShards } from '../shards/shards.ts';
import { dutyNameOf, dutyNamesOf } from './versions.ts';

/** The name of the duty that drops versions of read models that no build uses any longer. */
export const DROP_VERSIONS_DUTY = 'drop-unused-versions';

/** The time for which an unused version is retained, so that a rollback to an older build need not rebuild it. */
const RETENTION_ms = 24 * 60 * 60_000;
const CHECK_ms = 60 * 60_000;
/**
 * The time for which a version must be unused before anything drops it. A process that reads a version holds a lock. It
 * loses the lock while it has no connection, for example during a failover of Postgres, but it continues to read.
 * Every process records its uses once a minute.
 */
const UNUSED_FOR_ms = 15 * 60_000;

/** Drops the unused versions of `projections` after their retention, until `signal` aborts. */
export async function runDropVersions(
  pool: Pool,
  projections: readonly Projection[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await dropOtherVersions(pool, projections, RETENTION_ms);
    await waitUnlessAborted(CHECK_ms, signal);
  }
}

/**
 * Drops all versions of `projections`, except the given ones, that no process has run or read for `unusedFor_ms`, and
 * that have handled no event in this time. Default: 15 minutes. Returns true if no other version is left.
 */
export async function dropOtherVersions(
  pool: Pool,
  projections: readonly Projection[],
  unusedFor_ms = UNUSED_FOR_ms,
): Promise<boolean> {
  const others = await findOtherVersions(pool, projections);
  let areDropped = true;
  for (const other of others)
    areDropped =
      (await inReadModelTransaction(pool, (client) => dropVersion(client, other, unusedFor_ms), { isDurable: true })) &&
      areDropped;
  return areDropped;
}

interface OtherVersion {
  readonly projection: Projection;
  readonly storedName: string;
  readonly version: number;
}

/** Finds the other versions that are live, and the other versions that are being built. */
async function findOtherVersions(pool: Pool, projections: readonly Projection[]): Promise<readonly OtherVersion[]> {
  const live = await readLiveVersions(pool);
  const { rows: tables } = await pool.query<{ name: string; version: string }>(
    `select distinct m[1] as name, m[2] as version
       from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'rm',
            regexp_match(c.relname, '^(.+?)__v([0-9]+)(__.+)?$') m
      where c.relkind = 'r' and m is not null`,
  );
  return projections.flatMap((projection) => {
    const readModel = readModelOf(projection);
    const versions = new Map<number, string>();
    for (const { name, version } of tables)
      if (name === readModel) versions.set(Number(version), versionedName(name, Number(version)));
    for (const { name, version, storedName } of live) if (name === readModel) versions.set(version, storedName);
    versions.delete(projection.version);
    return [...versions].map(([version, storedName]) => ({ projection, storedName, version }));
  });
}

async function areDutiesFree(client: PoolClient, projection: Projection): Promise<boolean> {
  for (const name of new Set([dutyNameOf(projection), ...dutyNamesOf(projection)]))
    if (!(await isDutyFree(client, name))) return false;
  return true;
}

async function dropVersion(
  client: PoolClient,
  { projection, storedName, version }: OtherVersion,
  unusedFor_ms: number,
): Promise<boolean> {
  const readModel = readModelOf(projection);
  const { rowCount: recent } = await client.query(
    `select from rm.checkpoints where name = $1 and updated_at > now() - $2 * interval '1 millisecond'`,
    [storedName, unusedFor_ms],
  );
  // Until the commit, no process can begin to run or to read this version.
  const isUnused =
    recent === 0 &&
    !(await wasUsedRecently(client, { name: readModel, version }, unusedFor_ms)) &&
    (await areDutiesFree(client, { ...projection, version, shards: shardsOfVersion(version) })) &&
    (await isDutyFree(client, storedName)) &&
    !(await haveReaders(client, [{ name: readModel, version }]));
  if (!isUnused) return false;
  const suffix = storedName === readModel ? '' : `__v${version}`;
  const tables = [readModel, ...(projection.tallies ?? []).map(({ name }) => name)];
  for (const table of tables)
    for (const build of ['', '__rebuild', '__previous']) {
      // In quotation marks, the name is not replaced by the name of the version that this process reads.
      await client.query(`drop table if exists rm."${table}${suffix}${build}"`);
    }
  await dropShards(client, {
    ...projection,
    name: storedName,
    tallies: (projection.tallies ?? []).map((tally) => ({ ...tally, name: `${tally.name}${suffix}` })),
  });
  for (const table of ['checkpoints', 'parked_events', 'rebuilds', 'previous_versions'])
    await client.query(`delete from rm.${table} where ${table === 'checkpoints' ? 'name' : 'projection'} = any($1)`, [
      [storedName, `${storedName}__rebuild`, `${storedName}__previous`],
    ]);
  await forgetUses(client, { name: readModel, version });
  return true;
}
