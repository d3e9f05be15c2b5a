import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, START, type Position } from '@alpenglow/domain';
import { ADVANCED_CHANNEL, type Pool, type PoolClient } from '@alpenglow/infra';
import { parkedNameOf, tableOf, type Build, type Projection } from './projection.ts';
import { dropTables } from './tables.ts';
import { inReadModelTransaction } from './transaction.ts';

/** Readers queue behind whoever waits for a table: a swap that does not get them all at once lets everybody pass, and tries again. */
const LOCK_WAIT_ms = 100;
const LOCK_NOT_AVAILABLE = '55P03';
const TRY_AGAIN_ms = 200;

export interface Swap {
  /** Which tables take the place of the live ones. */
  readonly from: Exclude<Build, 'live'>;
  /** Where they stand. */
  readonly position: Position;
  /** Whether the tables that were read are kept, as the previous ones; else no previous ones are there any more. */
  readonly keepsPrevious: boolean;
  /** What changes in the same transaction. */
  readonly also?: (client: PoolClient) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Puts tables beside the live ones in their place, with checkpoint and parked events, in one transaction: readers see the one or the other,
 * and wait for a tenth of a second at most. False, with nothing changed, when the live ones have come further meanwhile. Parked events of
 * those tables are kept under `parkedNameOf`.
 */
export async function swapTables(pool: Pool, projection: Projection, swap: Swap): Promise<boolean> {
  for (;;) {
    swap.signal?.throwIfAborted();
    try {
      return await inReadModelTransaction(pool, (client) => trySwap(client, projection, swap));
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      await pause(TRY_AGAIN_ms);
    }
  }
}

async function trySwap(
  client: PoolClient,
  projection: Projection,
  { from, position, keepsPrevious, also }: Swap,
): Promise<boolean> {
  // The live runner locks this row before its table, too: the same order, so the two cannot block each other.
  const { rows } = await client.query<{ version: number; position: Position }>(
    'select version, position from rm.checkpoints where name = $1 for update',
    [projection.name],
  );
  const live = rows[0] ?? null;
  if (comparePositions(position, live?.position ?? START) < 0) return false;
  await lockLive(client, projection);
  await replaceTables(client, projection, from, keepsPrevious);
  await replaceParked(client, projection, from, keepsPrevious);
  await client.query('delete from rm.previous_versions where projection = $1', [projection.name]);
  if (keepsPrevious && live)
    await client.query('insert into rm.previous_versions (projection, version, position) values ($1, $2, $3)', [
      projection.name,
      live.version,
      live.position,
    ]);
  await client.query(
    `insert into rm.checkpoints (name, version, position) values ($1, $2, $3)
     on conflict (name) do update set version = excluded.version, position = excluded.position, updated_at = now()`,
    [projection.name, projection.version, position],
  );
  await also?.(client);
  await client.query('select pg_notify($1, $2)', [ADVANCED_CHANNEL, `${projection.name}:${position}`]);
  return true;
}

const allOf = (projection: Projection) => [projection, ...(projection.tallies ?? [])];

async function lockLive(client: PoolClient, projection: Projection): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    'select name as table from unnest($1::text[]) as name where to_regclass(name) is not null',
    [allOf(projection).map((one) => tableOf(one, 'live'))],
  );
  await client.query(`set local lock_timeout = ${LOCK_WAIT_ms}`);
  for (const { table } of rows) await client.query(`lock table ${table} in access exclusive mode`);
}

async function replaceTables(
  client: PoolClient,
  projection: Projection,
  from: Swap['from'],
  keepsPrevious: boolean,
): Promise<void> {
  if (from !== 'previous') await dropTables(client, projection, 'previous');
  if (!keepsPrevious) await dropTables(client, projection, 'live');
  for (const one of allOf(projection)) {
    const aside = `${one.name}__aside`;
    if (keepsPrevious) await client.query(`alter table ${tableOf(one, 'live')} rename to ${aside}`);
    await client.query(`alter table ${tableOf(one, from)} rename to ${one.name}`);
    if (keepsPrevious) await client.query(`alter table rm.${aside} rename to ${one.name}__previous`);
  }
}

async function replaceParked(
  client: PoolClient,
  projection: Projection,
  from: Swap['from'],
  keepsPrevious: boolean,
): Promise<void> {
  const aside = `${projection.name}__aside`;
  const rename = (was: string, is: string) =>
    client.query('update rm.parked_events set projection = $2 where projection = $1', [was, is]);
  const forget = (name: string) => client.query('delete from rm.parked_events where projection = $1', [name]);
  if (from !== 'previous') await forget(parkedNameOf(projection, 'previous'));
  if (keepsPrevious) await rename(projection.name, aside);
  else await forget(projection.name);
  await rename(parkedNameOf(projection, from), projection.name);
  if (keepsPrevious) await rename(aside, parkedNameOf(projection, 'previous'));
}
