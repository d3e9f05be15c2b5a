import {
  account,
  author,
  consent,
  findEventDefinition,
  EVENT_DEFINITIONS,
  favorites,
  follows,
  helpful,
  listing,
  person,
  START_POSITION,
  toStreamId,
  toDomainEvent,
  type Actor,
  type RecordedDomainEvent,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import { findKeyId, readEventPages } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';

/** An event about a person, in the format of the data export for this person. */
export interface OwnEvent {
  readonly type: string;
  readonly stream: StreamId;
  /** Time in ISO 8601 format, in UTC. */
  readonly at: string;
  /** Who caused the event. Other people and members of staff are not identified. */
  readonly by: 'you' | 'somebody else' | 'the system';
  readonly data: Readonly<Record<string, unknown>>;
}

export type OwnEventsDependencies = Dependencies<'store' | 'sealedStore'>;

/** The kinds of aggregates whose event streams each belong to a single person, e.g. accounts. */
const OWN_AGGREGATES = [account, listing, favorites, follows, helpful, author, consent, person];
const ownEventTypes = new Set(
  OWN_AGGREGATES.flatMap(({ eventDefinitions }) => eventDefinitions.map(({ type }) => type)),
);
/**
 * The types of events that a person may read although the events are in streams of other aggregates, e.g. reports that
 * the person filed. The personal data in these events is encrypted with the key of this person.
 */
const OTHER_EVENT_TYPES = EVENT_DEFINITIONS.filter(
  ({ type, disclosedTo }) => disclosedTo !== 'nobody' && !ownEventTypes.has(type),
).map(({ type }) => type);
const REVIEW_EVENT_TYPE = 'AdReviewed';
const PAGE_events = 500;

/**
 * Yields all events about a person since the person registered. Some of these events are in the person's own streams.
 * To find the others, the function reads all events of the relevant types in the event log. Rejects when `signal`
 * aborts.
 */
export async function* readOwnEvents(
  accountId: string,
  since: string,
  { store, sealedStore }: OwnEventsDependencies,
  signal: AbortSignal,
): AsyncGenerator<OwnEvent> {
  const yieldedIds = new Set<string>();
  const selectDisclosed = function* (events: readonly RecordedEvent[]) {
    for (const event of events) {
      if (event.meta.at < since || !isDisclosedTo(accountId, event) || yieldedIds.has(event.id)) continue;
      yieldedIds.add(event.id);
      const known = toDomainEvent(event);
      if (known) yield toOwnEvent(known, accountId);
    }
  };
  for (const aggregate of OWN_AGGREGATES) {
    const stream = toStreamId(aggregate, accountId);
    for (let from = 0; ; from += PAGE_events) {
      signal.throwIfAborted();
      const page = await store.readStream(stream, { from, limit: PAGE_events });
      // The page may contain reviews of the person's ad. These reviews are included, although their text is encrypted
      // with the key of the reviewer.
      yield* selectDisclosed(page);
      if (page.length < PAGE_events) break;
    }
  }
  for await (const page of readEventPages(sealedStore, {
    after: START_POSITION,
    types: [...OTHER_EVENT_TYPES, REVIEW_EVENT_TYPE],
    signal,
  })) {
    for (const sealed of page) {
      if (findKeyId(sealed)?.split('~', 1)[0] === accountId && isDisclosedTo(accountId, sealed))
        yield* selectDisclosed(await store.readStream(sealed.stream, { from: sealed.revision, limit: 1 }));
    }
  }
}

/** Checks whether the definition of an event allows the account to read the event. */
function isDisclosedTo(accountId: string, { type, data }: RecordedEvent): boolean {
  const disclosedTo = findEventDefinition(type)?.disclosedTo;
  return typeof disclosedTo === 'object'
    ? (data as Readonly<Record<string, unknown>>)[disclosedTo.accountIn] === accountId
    : disclosedTo === 'subject';
}

function toOwnEvent({ type, stream, meta, data }: RecordedDomainEvent, accountId: string): OwnEvent {
  return {
    type,
    stream,
    at: meta.at,
    by: describeActor(meta.actor, accountId),
    data: Object.fromEntries(
      Object.entries(data).filter(([field]) => !findEventDefinition(type)?.secretFields.includes(field)),
    ),
  };
}

function describeActor(actor: Actor, accountId: string): OwnEvent['by'] {
  if (actor.kind === 'system') return 'the system';
  return actor.accountId === accountId ? 'you' : 'somebody else';
}
