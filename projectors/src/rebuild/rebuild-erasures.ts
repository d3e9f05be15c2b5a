import type { AccountStreams, Pool, PoolClient } from '@alpenglow/infra';
import type { Projection } from '../projection.ts';

/** A request of an erasure to a running rebuild: rows of the new tables that must be computed again. */
export interface RebuildErasure {
  readonly receiptId: string;
  readonly accountId: string;
  readonly rowKeys: readonly string[];
  readonly streams: AccountStreams;
}

/**
 * Requests that the running rebuild of a projection computes rows again, inside the caller's transaction. The keys of
 * the data must be destroyed, and no process may use them any longer. Returns true if the rebuild has already done
 * this. Call it again until it returns true.
 */
export async function requestRebuildErasure(
  client: PoolClient,
  { name }: Projection,
  { receiptId, accountId, rowKeys, streams }: RebuildErasure,
): Promise<boolean> {
  const { rows } = await client.query<{ is_done: boolean }>(
    `insert into rm.rebuild_erasures as known
       (projection, receipt_id, account_id, row_keys, own_streams, other_streams)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (projection, receipt_id) do update set account_id = known.account_id
     returning is_done`,
    [name, receiptId, accountId, rowKeys, streams.own, streams.others],
  );
  return rows[0]?.is_done === true;
}

/** Returns the requests that the rebuild of a projection has not carried out. */
export async function readRebuildErasures(pool: Pool, { name }: Projection): Promise<readonly RebuildErasure[]> {
  const { rows } = await pool.query<RebuildErasure>({
    name: 'rebuild-erasures-read',
    text: `select receipt_id as "receiptId", account_id as "accountId", row_keys as "rowKeys",
                  json_build_object('own', own_streams, 'others', other_streams) as streams
             from rm.rebuild_erasures where projection = $1 and not is_done order by receipt_id`,
    values: [name],
  });
  return rows;
}

/** Records that the rebuild of a projection has carried out these requests, and that the rows are on disk. */
export async function finishRebuildErasures(
  client: Pool | PoolClient,
  { name }: Projection,
  requests: readonly RebuildErasure[],
): Promise<void> {
  await client.query('update rm.rebuild_erasures set is_done = true where projection = $1 and receipt_id = any($2)', [
    name,
    requests.map(({ receiptId }) => receiptId),
  ]);
}

/** Returns whether there are requests that the rebuild of a projection has not carried out. */
export async function hasRebuildErasures(client: Pool | PoolClient, { name }: Projection): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from rm.rebuild_erasures where projection = $1 and not is_done limit 1',
    [name],
  );
  return rowCount === 1;
}

/** Deletes the requests of an erasure that is done with all tables, and of earlier erasures of the same account. */
export async function removeRebuildErasures(client: Pool | PoolClient, accountId: string): Promise<void> {
  await client.query('delete from rm.rebuild_erasures where account_id = $1', [accountId]);
}
