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
import { accountIdOfKey, findKeyId, readEventPages } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';

/** An event about a person, in the format of the data export for this person. */
export interface OwnEvent {
  readonly type: string;
  /** Null if the name of the stream contains the id of another account. */
  readonly stream: StreamId | null;
  /** Time in ISO 8601 format, in UTC. */
  readonly at: string;
  /** The kind of person that caused the event. Other people and members of staff are not identified. */
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
const REVIEW_EVENT_TYPES = ['AdReviewed', 'AdReviewEdited', 'AdReviewDeleted', 'AdReviewRemoved'];
const PAGE_events = 500;
/** The texts in events about a review. The moderator who removes a review addresses the reason to its author. */
const REVIEW_TEXTS = ['name', 'comment', 'reason'];
/** The fields that reveal how old the account of the reviewer is, and whether moderators have restricted it. */
const REVIEW_WEIGHTS = ['weight', 'wave'];
/** The fields in which disclosed events contain the id of an account. */
const ACCOUNT_FIELDS = ['accountId', 'ownerId', 'reviewerId', 'reporterId', 'moderatorId', 'ofAccountId', 'subjectId'];

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
  const shownReviewIds = await findShownReviews(accountId, sealedStore, signal);
  const selectDisclosed = function* (events: readonly RecordedEvent[]) {
    for (const event of events) {
      if (event.meta.at < since || !isDisclosedTo(accountId, event) || yieldedIds.has(event.id)) continue;
      yieldedIds.add(event.id);
      const known = event.unreadable === undefined ? toDomainEvent(event) : withoutUnreadableFields(event);
      if (known) yield toOwnEvent(known, accountId, shownReviewIds);
    }
  };
  for (const aggregate of OWN_AGGREGATES) {
    const stream = toStreamId(aggregate, accountId);
    for (let from = 0; ; from += PAGE_events) {
      signal.throwIfAborted();
      const page = await store.readStream(stream, { from, limit: PAGE_events });
      // The page may contain reviews of the person's ad. These reviews are included, although their text is encrypted
      // with the key of the reviewer. Only a text that the ad still shows is included.
      yield* selectDisclosed(page);
      if (page.length < PAGE_events) break;
    }
  }
  for await (const page of readEventPages(sealedStore, {
    after: START_POSITION,
    types: [...OTHER_EVENT_TYPES, ...REVIEW_EVENT_TYPES],
    signal,
  })) {
    for (const sealed of page) {
      if (findSubjectId(sealed) === accountId && isDisclosedTo(accountId, sealed))
        yield* selectDisclosed(await store.readStream(sealed.stream, { from: sealed.revision, limit: 1 }));
    }
  }
}

/**
 * Returns an event whose personal data cannot be decrypted, with a note in place of this data. The other fields are
 * unchanged.
 */
function withoutUnreadableFields(event: RecordedEvent): RecordedDomainEvent {
  const data = { ...(event.data as object), note: 'Some fields of this event cannot be read at the moment.' };
  return { ...event, data } as unknown as RecordedDomainEvent;
}

/**
 * Returns the id of the account whose key encrypts the personal fields of an event. For an event without such fields,
 * returns the account that the definition of the event names. Null if there is no such account.
 */
function findSubjectId(sealed: RecordedEvent): string | null {
  const keyId = findKeyId(sealed);
  if (keyId !== null) return accountIdOfKey(keyId);
  return findEventDefinition(sealed.type)?.getSubjectId(sealed.data) ?? null;
}

/** Checks whether the definition of an event allows the account to read the event. */
function isDisclosedTo(accountId: string, { type, data }: RecordedEvent): boolean {
  const disclosedTo = findEventDefinition(type)?.disclosedTo;
  return typeof disclosedTo === 'object'
    ? (data as Readonly<Record<string, unknown>>)[disclosedTo.accountIn] === accountId
    : disclosedTo === 'subject';
}

/**
 * Returns the ids of the events with the current texts of the reviews of the person's ads. Texts that their author has
 * replaced or deleted, or that a moderator has removed, are no longer shown to the person.
 */
async function findShownReviews(
  accountId: string,
  sealedStore: OwnEventsDependencies['sealedStore'],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const eventIds = new Map<string, string>();
  for (let from = 0; ; from += PAGE_events) {
    signal.throwIfAborted();
    const page = await sealedStore.readStream(toStreamId(listing, accountId), { from, limit: PAGE_events });
    for (const { id, type, data } of page) {
      if (!REVIEW_EVENT_TYPES.includes(type)) continue;
      const { reviewId } = data as { readonly reviewId: string };
      if (type === 'AdReviewed' || type === 'AdReviewEdited') eventIds.set(reviewId, id);
      else eventIds.delete(reviewId);
    }
    if (page.length < PAGE_events) return new Set(eventIds.values());
  }
}

function toOwnEvent(
  { id, type, stream, meta, data }: RecordedDomainEvent,
  accountId: string,
  shownReviewIds: ReadonlySet<string>,
): OwnEvent {
  const fields: Readonly<Record<string, unknown>> = data;
  const isReviewOfOther = REVIEW_EVENT_TYPES.includes(type) && fields['reviewerId'] !== accountId;
  const omitted = [
    ...(findEventDefinition(type)?.secretFields ?? []),
    ...(isReviewOfOther ? REVIEW_WEIGHTS : []),
    ...(isReviewOfOther && !shownReviewIds.has(id) ? REVIEW_TEXTS : []),
  ];
  const otherIds = findOtherAccountIds(fields, accountId);
  return {
    type,
    stream: namesNone(stream, otherIds) ? stream : null,
    at: meta.at,
    by: describeActor(meta.actor, accountId),
    data: withoutIds(
      Object.fromEntries(Object.entries(fields).filter(([field]) => !omitted.includes(field))),
      otherIds,
    ),
  };
}

/** Returns the ids of other accounts in the data of an event, e.g. of a moderator or of the author of a review. */
function findOtherAccountIds(data: Readonly<Record<string, unknown>>, accountId: string): readonly string[] {
  const subject = data['subject'] as { readonly kind: string; readonly id: string } | undefined;
  return [...ACCOUNT_FIELDS.map((field) => data[field]), subject?.kind === 'account' ? subject.id : null].filter(
    (id): id is string => typeof id === 'string' && id !== accountId,
  );
}

const namesNone = (text: string, ids: readonly string[]) => !ids.some((id) => text.includes(id));

/**
 * Returns a copy without the fields that contain one of the ids. The name of a stream can contain an id, too, e.g. of
 * the stream with the version of the content that the person has reported.
 */
function withoutIds(data: Readonly<Record<string, unknown>>, ids: readonly string[]): OwnEvent['data'] {
  return Object.fromEntries(
    Object.entries(data)
      .filter(([, value]) => typeof value !== 'string' || namesNone(value, ids))
      .map(([field, value]) => [field, isRecord(value) ? withoutIds(value, ids) : value]),
  );
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function describeActor(actor: Actor, accountId: string): OwnEvent['by'] {
  if (actor.kind === 'system') return 'the system';
  return actor.accountId === accountId ? 'you' : 'somebody else';
}
