import {
  findEventDefinition,
  START_POSITION,
  toDomainEvent,
  type EventStore,
  type Position,
  type RecordedDomainEvent,
  type RecordedEvent,
} from '@alpenglow/domain';
import { accountIdOfKey, replacePersonalData, findKeyId, PERSONAL_TYPES, readEventPages } from '@alpenglow/infra';
import type { Projection } from '../projection.ts';

/** For each projection, the keys of some rows of its table. */
export type RowKeys = ReadonlyMap<Projection, ReadonlySet<string>>;

/**
 * Finds the rows of all projections that contain personal data of the account `accountId`. These are the rows that are
 * changed by events with personal data of this account. `store` must return events with encrypted personal data,
 * because the id of the encryption key identifies the account. Returns the keys of the rows, and the positions of the
 * events. Reads the whole event log once. Rejects if `signal` aborts.
 */
export async function findPersonalRows(
  accountId: string,
  projections: readonly Projection[],
  store: Pick<EventStore, 'readAll'>,
  signal: AbortSignal,
) {
  const positions = new Set<Position>();
  const keys = new Map(projections.map((projection) => [projection, new Set<string>()]));
  for await (const page of readEventPages(store, { after: START_POSITION, types: PERSONAL_TYPES, signal })) {
    for (const recorded of page) {
      const keyId = findKeyId(recorded);
      if (keyId === null || accountIdOfKey(keyId) !== accountId) continue;
      positions.add(recorded.position);
      const event = readWithoutPersonalData(recorded);
      if (!event) continue;
      for (const [projection, rowKeys] of keys) {
        const key = recorded.type in projection.on ? projection.keyOf(event) : null;
        if (key !== null) rowKeys.add(key);
      }
    }
  }
  return { keys, positions };
}

/** Returns an event without its personal data, or null if this build cannot read the event. */
export function readWithoutPersonalData(recorded: RecordedEvent): RecordedDomainEvent | null {
  if (!findEventDefinition(recorded.type)) return null;
  try {
    return toDomainEvent(replacePersonalData(recorded));
  } catch {
    // Projections park an event that cannot be read, so no row contains its data.
    return null;
  }
}
