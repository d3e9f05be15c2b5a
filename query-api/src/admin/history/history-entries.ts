import { extractDetails, type HistoryEntryView, type HistoryReducer, type HistoryStep } from '@alpenglow/domain';

/** Returns the ids of the accounts that caused the events. */
export function listActors(changes: readonly HistoryStep<unknown>[]): readonly string[] {
  return changes.flatMap(({ event: { meta } }) => (meta.actor.kind === 'account' ? [meta.actor.accountId] : []));
}

/** Converts an event from the history of an ad, an account or a thread to the API format. */
export function createHistoryEntry<State>(
  { event, before, after, unreadable }: HistoryStep<State>,
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
    details: [
      ...extractDetails(event),
      ...(unreadable === undefined ? [] : [{ name: 'unreadable' as const, value: unreadable }]),
    ],
  };
}

/** Returns the ids of the accounts in the changed fields, e.g. of the authors of posts. */
export function listChangedAccounts(entries: readonly HistoryEntryView[]): readonly string[] {
  return entries.flatMap(({ changes }) =>
    changes
      .filter(({ field }) => /(?:^|\.)accountId$/u.test(field))
      .flatMap(({ before, after }) => [before, after].filter((value) => typeof value === 'string')),
  );
}
