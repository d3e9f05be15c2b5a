import { detailsOf, type HistoryEntryView, type Telling, type Told } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';

/** Display names of accounts, of those that are still there. */
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

/** The accounts that caused these events. */
export function actorsOf(told: readonly Told<unknown>[]): readonly string[] {
  return told.flatMap(({ event: { meta } }) => (meta.actor.kind === 'account' ? [meta.actor.accountId] : []));
}

/** An event as its history shows it. */
export function entryOf<State>(
  { event, before, after }: Told<State>,
  telling: Telling<State>,
  names: ReadonlyMap<string, string>,
): HistoryEntryView {
  const { id, type, revision, position, meta } = event;
  const { actor, at, correlationId, causationId } = meta;
  const who =
    actor.kind === 'account'
      ? { kind: actor.kind, id: actor.accountId, name: names.get(actor.accountId) ?? null }
      : { kind: actor.kind, id: actor.name, name: null };
  return {
    id,
    type,
    revision,
    position,
    at,
    actor: who,
    correlationId,
    causationId,
    changes: telling.changes(before, after),
    details: detailsOf(event),
  };
}
