import type { EventStore, Position, RecordedDomainEvent, ReplayEvent, StreamId } from '@alpenglow/domain';
import type { PoolClient } from '@alpenglow/infra';
import type { Projection } from '../projection.ts';
import { requestReactions } from '../reactors/reactions.ts';
import { readSkippedEventIds } from '../skipped-events.ts';
import { retryParkedEvents } from './retry-parked-events.ts';

/**
 * The SQL that records an admin's instruction about a rebuild. `set` is the change, and `where` is the condition under
 * which the instruction is allowed.
 */
const CHANGES = {
  RebuildPaused: { set: `wish = 'pause'`, where: `state in ('running', 'checking') and wish is null` },
  RebuildResumed: {
    set: `state = case when has_indexes then 'checking' else 'running' end, wish = null`,
    where: `state = 'paused'`,
  },
  RebuildCancelled: { set: `wish = 'cancel'`, where: `state in ('running', 'paused', 'checking', 'ready')` },
  RebuildSwapRequested: { set: `state = 'swapping'`, where: `state = 'ready' and wish is null` },
} as const;

/**
 * Carries out an admin's instruction for a projection, inside the caller's transaction. Instructions to retry or skip
 * parked events are carried out immediately. The reactors then also retry their parked events of the same stream. An
 * instruction about a rebuild is only recorded in `rm.rebuilds`, because a worker carries it out later. An instruction
 * that the current state does not allow is ignored.
 */
export async function carryOutInstruction(
  client: PoolClient,
  store: EventStore,
  projection: Projection,
  event: RecordedDomainEvent<ReplayEvent>,
): Promise<void> {
  const { name, version } = projection;
  switch (event.type) {
    case 'RebuildRequested': {
      const { actor, at } = event.meta;
      await client.query(
        `insert into rm.rebuilds as known (projection, rebuild_id, version, state, requested_by, requested_at)
         values ($1, $2, $3, 'running', $4, $5)
         on conflict (projection) do update
           set rebuild_id = excluded.rebuild_id, version = excluded.version, state = 'running', wish = null,
               position = null, table_oid = null, has_indexes = false, events = 0, events_per_s = 0, fraction = 0,
               left_s = null, differing_rows = null, differences = '[]', error = null,
               requested_by = excluded.requested_by, requested_at = excluded.requested_at, updated_at = now()
         where known.state in ('swapped', 'reverted', 'cancelled', 'failed')`,
        [name, event.data.rebuildId, version, actor.kind === 'account' ? actor.accountId : null, at],
      );
      return;
    }
    case 'RebuildPaused':
    case 'RebuildResumed':
    case 'RebuildCancelled':
    case 'RebuildSwapRequested': {
      const { set, where } = CHANGES[event.type];
      await client.query(
        `update rm.rebuilds set ${set}, updated_at = now() where projection = $1 and rebuild_id = $2 and ${where}`,
        [name, event.data.rebuildId],
      );
      return;
    }
    case 'RebuildReverted':
      await client.query('update rm.previous_versions set is_reverting = true where projection = $1', [name]);
      return;
    case 'ParkedEventRetried':
    case 'ParkedEventSkipped': {
      const { rows } = await client.query<{ stream: StreamId }>(
        'select stream from rm.parked_events where projection = $1 and position = $2',
        [name, event.data.position],
      );
      const skipped = await readSkippedEventIds(store, projection);
      await requestReactions(client, event.data.position as Position);
      for (const { stream } of rows) await retryParkedEvents(client, store, projection, 'live', stream, skipped);
      return;
    }
  }
}
