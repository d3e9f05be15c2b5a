import { extractDetails, type HistoryEntryView, type HistoryReducer, type HistoryStep } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';

/** Reads the display names of accounts. The keys of the returned map are account ids. The map omits closed accounts. */
export async function readNames(pool: Pool, accountIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(accountIds)];
  if (ids.length === 0) return new Map();
  const { rows } = await pool.query<{ account_id: string; display_name: string }>({
    name: 'history-names',
    text: 'select account_id, display_name from rm.accounts where account_id = any($1)',
    values: [ids],
  });
  return new Map(rows.map(({ account_id, display_name }) => [account_id, display_name]));
}

/** Returns the ids of the accounts that caused the events. */
export function listActors(changes: readonly HistoryStep<unknown>[]): readonly string[] {
  return changes.flatMap(({ event: { meta } }) => (meta.actor.kind === 'account' ? [meta.actor.accountId] : []));
}

/** Converts an event from the history of an ad, an account or a thread to the API format. */
export function createHistoryEntry<State>(
  { event, before, after }: HistoryStep<State>,
  reducer: HistoryReducer<State>,
  names: ReadonlyMap<string, string>,
): HistoryEntryView {
  const { id, type, revision, position, meta } = event;
  const { actor, at, correlationId, causationId } = meta;
  const actorView =
    actor.kind === 'account'
      ? { kind: actor.kind, id: actor.accountId, name: names.get(actor.accountId) ?? null }
      : { kind: actor.kind, id: actor.name, name: null };
  return {
    id,
    type,
    revision,
    position,
    at,
    actor: actorView,
    correlationId,
    causationId,
    changes: reducer.findChanges(before, after),
    details: extractDetails(event),
  };
}
