import {
  findEventDefinition,
  toDomainEvent,
  type EventStore,
  type Position,
  type RecordedDomainEvent,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import {
  accountIdOfKey,
  findAccountStreams,
  findKeyId,
  readStreamPages,
  replacePersonalData,
  type AccountStreams,
  type Pool,
} from '@alpenglow/infra';
import type { Projection } from '../projection.ts';

/** For each projection, the keys of some rows of its table. */
export type RowKeys = ReadonlyMap<Projection, ReadonlySet<string>>;

/** The data of an account in the event log and in the read models. */
export interface PersonalRows {
  /** The keys of the rows with personal data of the account. Projections without such rows are omitted. */
  readonly keys: RowKeys;
  /** The positions of the events with personal data of the account. */
  readonly positions: ReadonlySet<Position>;
  /** For each projection, the streams that contain all events of its rows, except those of `sharedColumns`. */
  readonly streams: ReadonlyMap<Projection, AccountStreams>;
}

/**
 * Finds the rows of all projections that contain personal data of the account `accountId`. These are the rows that are
 * changed by events with personal data of this account. `sealedStore` must return events with encrypted personal data,
 * because the id of the encryption key identifies the account. Reads only the streams with data of the account. Rejects
 * if `signal` aborts.
 */
export async function findPersonalRows(
  accountId: string,
  projections: readonly Projection[],
  deps: { readonly pool: Pool; readonly sealedStore: Pick<EventStore, 'findEventId' | 'readAll' | 'readStream'> },
  signal: AbortSignal,
): Promise<PersonalRows> {
  const { own, others } = await findAccountStreams(accountId, deps, signal);
  const positions = new Set<Position>();
  const keys = new Map<Projection, Set<string>>();
  const streams = new Map<Projection, { own: readonly StreamId[]; readonly others: Set<StreamId> }>();
  const affected = projections.filter(({ ignoresPersonalFields }) => ignoresPersonalFields !== true);

  function addRow(projection: Projection, key: string, stream: StreamId): void {
    keys.set(projection, (keys.get(projection) ?? new Set()).add(key));
    const known = streams.get(projection) ?? { own: [], others: new Set() };
    streams.set(projection, known);
    // A row of the account can have events in several streams with the name of the account.
    if (own.includes(stream)) known.own = own;
    else known.others.add(stream);
  }

  for (const stream of [...own, ...others])
    for await (const page of readStreamPages(deps.sealedStore, stream, { signal }))
      for (const recorded of page) {
        const keyId = findKeyId(recorded);
        if (keyId === null || accountIdOfKey(keyId) !== accountId) continue;
        positions.add(recorded.position);
        const event = readWithoutPersonalData(recorded);
        if (!event) continue;
        for (const projection of affected) {
          const key = recorded.type in projection.on ? projection.keyOf(event) : null;
          if (key !== null) addRow(projection, key, stream);
        }
      }
  return {
    keys,
    positions,
    streams: new Map(
      [...streams].map(([projection, known]) => [projection, { own: known.own, others: [...known.others] }]),
    ),
  };
}

/** Returns an event without its personal data, or null if this build cannot read the event. */
function readWithoutPersonalData(recorded: RecordedEvent): RecordedDomainEvent | null {
  if (!findEventDefinition(recorded.type)) return null;
  try {
    return toDomainEvent(replacePersonalData(recorded));
  } catch {
    // Projections park an event that cannot be read, so no row contains its data.
    return null;
  }
}
