import type { EventStore, Recorded, ReplayEvent } from '@alpenglow/domain';
import type { PoolClient } from '@alpenglow/infra';
import type { Projection } from '../projection.ts';
import { skippedEventsOf } from '../skipped-events.ts';
import { applyParked } from './apply-parked.ts';

/**
 * Takes in what an admin has asked of a projection, inside the caller's transaction: what takes long is noted, for its worker to do; events that were
 * set aside are seen to at once. What can no longer be done, because things have gone on meanwhile, is left.
 */
export async function takeInstruction(
  client: PoolClient,
  store: EventStore,
  projection: Projection,
  event: Recorded<ReplayEvent>,
): Promise<void> {
  const { name, version } = projection;
  switch (event.type) {
    case 'RebuildRequested': {
      const { actor, at } = event.meta;
      await client.query(
        `insert into rm.rebuilds as known (projection, rebuild_id, version, state, requested_by, requested_at) values ($1, $2, $3, 'running', $4, $5)
         on conflict (projection) do update
           set rebuild_id = excluded.rebuild_id, version = excluded.version, state = 'running', wish = null, position = null, table_oid = null, has_indexes = false, events = 0, events_per_s = 0,
               fraction = 0, left_s = null, differing_rows = null, differences = '[]', error = null, requested_by = excluded.requested_by, requested_at = excluded.requested_at, updated_at = now()
         where known.state in ('swapped', 'reverted', 'cancelled', 'failed')`,
        [name, event.data.rebuildId, version, actor.kind === 'account' ? actor.accountId : null, at],
      );
      return;
    }
    case 'RebuildPaused':
      await client.query(
        `update rm.rebuilds set wish = 'pause', updated_at = now() where projection = $1 and rebuild_id = $2 and state in ('running', 'checking') and wish is null`,
        [name, event.data.rebuildId],
      );
      return;
    case 'RebuildResumed':
      await client.query(
        `update rm.rebuilds set state = case when has_indexes then 'checking' else 'running' end, wish = null, updated_at = now() where projection = $1 and rebuild_id = $2 and state = 'paused'`,
        [name, event.data.rebuildId],
      );
      return;
    case 'RebuildCancelled':
      await client.query(
        `update rm.rebuilds set wish = 'cancel', updated_at = now() where projection = $1 and rebuild_id = $2 and state in ('running', 'paused', 'checking', 'ready')`,
        [name, event.data.rebuildId],
      );
      return;
    case 'RebuildSwapRequested':
      await client.query(
        `update rm.rebuilds set state = 'swapping', updated_at = now() where projection = $1 and rebuild_id = $2 and state = 'ready' and wish is null`,
        [name, event.data.rebuildId],
      );
      return;
    case 'RebuildReverted':
      await client.query('update rm.previous_versions set is_reverting = true where projection = $1', [name]);
      return;
    case 'ParkedEventRetried':
    case 'ParkedEventSkipped': {
      const { rows } = await client.query<{ stream: string }>(
        'select stream from rm.parked_events where projection = $1 and position = $2',
        [name, event.data.position],
      );
      const skipped = await skippedEventsOf(store, name);
      for (const { stream } of rows) await applyParked(client, store, projection, 'live', stream, skipped);
      return;
    }
  }
}
