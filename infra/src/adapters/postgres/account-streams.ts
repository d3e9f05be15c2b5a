import {
  account,
  author,
  identity,
  listing,
  person,
  START_POSITION,
  toStreamId,
  type EventStore,
  type Position,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import type { Pool } from 'pg';
import { accountIdOfKey, findKeyId, PERSONAL_TYPES } from '../../security/personal-data.ts';
import { readEventPages } from '../../service/event-pages.ts';

/** The name of the duty that maintains the index from accounts to streams, and of its checkpoint. */
export const ACCOUNT_STREAMS = 'reactor-account-streams';

/** The types of events by which `findConcernedAccount` finds an account. */
export const ACCOUNT_STREAM_TYPES: readonly string[] = [...PERSONAL_TYPES, 'MediaUploaded'];

/** The aggregates whose streams are named after an account and contain personal data of this account. */
const OWN_AGGREGATES = [account, author, identity, listing, person];

/** The maximum number of events that are read at once. */
const PAGE_events = 500;

/** The streams that contain data of an account. */
export interface AccountStreams {
  /** The streams that are named after the account. Some of them may be empty. */
  readonly own: readonly StreamId[];
  /** All other streams, e.g. of threads in which the account has posted, and of its photos. */
  readonly others: readonly StreamId[];
}

interface AccountStreamDependencies {
  readonly pool: Pool;
  readonly sealedStore: Pick<EventStore, 'findEventId' | 'readAll'>;
}

/**
 * Returns the id of the account that a stored event concerns: the account whose key encrypts the event, or the owner of
 * an uploaded file. Returns null if the event concerns no account. The personal fields must still be encrypted.
 */
export function findConcernedAccount(event: RecordedEvent): string | null {
  const keyId = findKeyId(event);
  if (keyId !== null) return accountIdOfKey(keyId);
  const { ownerId } = event.data as { readonly ownerId?: unknown };
  return event.type === 'MediaUploaded' && typeof ownerId === 'string' ? ownerId : null;
}

/** Checks whether a stream is named after the account. Such a stream is found without the index. */
export function isOwnStream(accountId: string, stream: StreamId): boolean {
  return ownStreams(accountId).includes(stream);
}

const ownStreams = (accountId: string) => OWN_AGGREGATES.map((aggregate) => toStreamId(aggregate, accountId));

/**
 * Returns all streams that contain data of an account. The index `rm.account_streams` contains the streams of all
 * events up to its checkpoint. Events after the checkpoint are read, so the result is complete although the index is
 * behind the log. After an upgrade, while the index is being built, this is the whole log. The whole log is also read
 * while the index contains events that the log has lost (decision 0070). Rejects if `signal` aborts.
 */
export async function findAccountStreams(
  accountId: string,
  { pool, sealedStore }: AccountStreamDependencies,
  signal: AbortSignal,
): Promise<AccountStreams> {
  // A single statement, so that the streams are those of the checkpoint.
  const { rows } = await pool.query<{ position: Position | null; eventId: string | null; streams: StreamId[] }>({
    name: 'account-streams-find',
    text: `select c.position, case when c.event_position = c.position then c.event_id end as "eventId",
                  array(select stream from rm.account_streams where account_id = $1 order by stream) as streams
             from (select $2::text as name) n left join rm.checkpoints c using (name)`,
    values: [accountId, ACCOUNT_STREAMS],
  });
  const [{ position, eventId, streams } = { position: null, eventId: null, streams: [] }] = rows;
  const others = new Set(streams);
  const after = position !== null && (await isInLog(position, eventId, sealedStore)) ? position : START_POSITION;
  for await (const page of readEventPages(sealedStore, { after, types: ACCOUNT_STREAM_TYPES, signal }))
    for (const event of page)
      if (findConcernedAccount(event) === accountId && !isOwnStream(accountId, event.stream)) others.add(event.stream);
  return { own: ownStreams(accountId), others: [...others] };
}

async function isInLog(
  position: Position,
  eventId: string | null,
  store: Pick<EventStore, 'findEventId'>,
): Promise<boolean> {
  if (position === START_POSITION) return true;
  const found = await store.findEventId(position, eventId);
  return found !== null && found === (eventId ?? found);
}

/**
 * Yields the events of a stream in pages of at most 500 events, starting with revision `from`. Rejects if `signal`
 * aborts.
 */
export async function* readStreamPages(
  store: Pick<EventStore, 'readStream'>,
  stream: StreamId,
  { from = 0, signal }: { readonly from?: number; readonly signal: AbortSignal },
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let revision = from; ; revision += PAGE_events) {
    signal.throwIfAborted();
    const page = await store.readStream(stream, { from: revision, limit: PAGE_events });
    if (page.length > 0) yield page;
    if (page.length < PAGE_events) return;
  }
}
