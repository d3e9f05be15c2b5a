import {
  account,
  author,
  consent,
  EVENT_DEFINITIONS,
  favorites,
  follows,
  helpful,
  listing,
  person,
  START,
  streamOf,
  toDomainEvent,
  type Actor,
  type EventStore,
  type Recorded,
  type RecordedEvent,
} from '@alpenglow/domain';
import { keyIdIn, pagesOf } from '@alpenglow/infra';

/** Something that happened to or by a person, as they are told of it. */
export interface OwnEvent {
  readonly type: string;
  readonly stream: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Who of the staff did something is not theirs to know. */
  readonly by: 'you' | 'somebody else' | 'the system';
  readonly data: Readonly<Record<string, unknown>>;
}

export interface OwnEventsDependencies {
  /** Opens personal data. */
  readonly store: EventStore;
  /** The same events, sealed. */
  readonly sealedStore: EventStore;
}

/** Streams that are one person's. */
const OWN = [account, listing, favorites, follows, helpful, author, consent, person];
/** Whether and why somebody is to be kept on record is between the operator and an authority. */
const UNTOLD = new Set(['LegalHoldSet', 'LegalHoldLifted']);
/** Secrets: of no use to the person, and to anybody who finds the archive of too much. */
const SECRETS: readonly string[] = ['passwordHash', 'secret', 'recoveryCodeHashes', 'fingerprint'];
const ofOwnStreams = new Set(OWN.flatMap(({ definitions }) => definitions.map(({ type }) => type)));
/** What a person may have left in streams of others, sealed with their key. */
const ELSEWHERE = EVENT_DEFINITIONS.filter(
  ({ type, personal }) => Object.keys(personal).length > 0 && !ofOwnStreams.has(type),
).map(({ type }) => type);
const ALL_REVIEWS = 'AdReviewed';
/** What others have said of them in confidence is sealed with their key where nobody was signed in. */
const isToldTo = (accountId: string, { type, data }: RecordedEvent) =>
  type !== 'ReportFiled' || (data as { readonly reporterId: string | null }).reporterId === accountId;
const PAGE_events = 500;

/**
 * Everything that happened to or by a person since they registered: their own streams, and what they have left in those of others. Reads all events of
 * those types; rejects when `signal` aborts.
 */
export async function* ownEvents(
  accountId: string,
  since: string,
  { store, sealedStore }: OwnEventsDependencies,
  signal: AbortSignal,
): AsyncGenerator<OwnEvent> {
  const seen = new Set<string>();
  const tell = function* (events: readonly RecordedEvent[]) {
    for (const event of events) {
      if (event.meta.at < since || UNTOLD.has(event.type) || seen.has(event.id)) continue;
      seen.add(event.id);
      const read = toDomainEvent(event);
      if (read) yield toldOf(read, accountId);
    }
  };
  for (const aggregate of OWN) {
    const stream = streamOf(aggregate, accountId);
    for (let from = 0; ; from += PAGE_events) {
      signal.throwIfAborted();
      const page = await store.readStream(stream, { from, limit: PAGE_events });
      // What others said of their ad is theirs, whoever's words it is; the words are sealed with another's key.
      yield* tell(page);
      if (page.length < PAGE_events) break;
    }
  }
  for await (const page of pagesOf(sealedStore, { after: START, types: [...ELSEWHERE, ALL_REVIEWS], signal })) {
    for (const sealed of page) {
      if (keyIdIn(sealed)?.split('~', 1)[0] === accountId && isToldTo(accountId, sealed))
        yield* tell(await store.readStream(sealed.stream, { from: sealed.revision, limit: 1 }));
    }
  }
}

function toldOf({ type, stream, meta, data }: Recorded, accountId: string): OwnEvent {
  return {
    type,
    stream,
    at: meta.at,
    by: byWhom(meta.actor, accountId),
    data: Object.fromEntries(Object.entries(data).filter(([field]) => !SECRETS.includes(field))),
  };
}

function byWhom(actor: Actor, accountId: string): OwnEvent['by'] {
  if (actor.kind === 'system') return 'the system';
  return actor.accountId === accountId ? 'you' : 'somebody else';
}
