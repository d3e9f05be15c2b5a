import {
  definitionOf,
  EVENT_DEFINITIONS,
  START,
  toDomainEvent,
  type EventStore,
  type Position,
  type Recorded,
  type RecordedEvent,
} from '@alpenglow/domain';
import { accountIdOfKey, asErased, keyIdIn, pagesOf } from '@alpenglow/infra';
import type { Projection } from '../projection.ts';

/** What there is of one person in the history and in the read models. */
export interface FoundOf {
  readonly keys: RowKeys;
  /** Of the events that are sealed with their keys. */
  readonly positions: ReadonlySet<Position>;
}

/** By projection: the keys of the rows that such events go into. */
export type RowKeys = ReadonlyMap<Projection, ReadonlySet<string>>;

/** The others hold nothing of anybody. */
const PERSONAL_TYPES = EVENT_DEFINITIONS.filter(({ personal }) => Object.keys(personal).length > 0).map(
  ({ type }) => type,
);

/**
 * Finds the rows with something of one person, whichever projection they are of, by what is sealed with their keys. `store` is the one that opens nothing: a key
 * is derived from what anybody may read. Reads the whole history once; rejects when `signal` aborts.
 */
export async function rowsOf(
  accountId: string,
  projections: readonly Projection[],
  store: Pick<EventStore, 'readAll'>,
  signal: AbortSignal,
): Promise<FoundOf> {
  const positions = new Set<Position>();
  const keys = new Map(projections.map((projection) => [projection, new Set<string>()]));
  for await (const page of pagesOf(store, { after: START, types: PERSONAL_TYPES, signal })) {
    for (const recorded of page) {
      const keyId = keyIdIn(recorded);
      if (keyId === null || accountIdOfKey(keyId) !== accountId) continue;
      positions.add(recorded.position);
      const event = readable(recorded);
      if (!event) continue;
      for (const [projection, found] of keys) {
        const key = recorded.type in projection.on ? projection.keyOf(event) : null;
        if (key !== null) found.add(key);
      }
    }
  }
  return { keys, positions };
}

/** An event without its personal data; null where no projection of this build can read it. */
export function readable(recorded: RecordedEvent): Recorded | null {
  if (!definitionOf(recorded.type)) return null;
  try {
    return toDomainEvent(asErased(recorded));
  } catch {
    // It was set aside, and is in no row.
    return null;
  }
}
