import {
  author,
  identity,
  START_POSITION,
  toStreamId,
  type EventStore,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import { accountIdOfKey, findKeyId, PERSONAL_TYPES, readEventPages, type Pool } from '@alpenglow/infra';

/**
 * Returns the ids of all stand-in accounts of an account that were created before `before` (ISO 8601). Repeated
 * sign-ups with the same e-mail address create stand-in accounts, so that the response does not show that the address
 * already has an account (decision 0022). Reads all events of one type. Rejects if `signal` aborts.
 */
export function findStandIns(
  accountId: string,
  store: Pick<EventStore, 'readAll'>,
  before: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return collectIds(store, 'SignUpRepeated', signal, (data, at) =>
    data['ofAccountId'] === accountId && at < before ? data['accountId'] : null,
  );
}

/**
 * Returns the ids of all threads that an account started. Reads all events of one type. Rejects if `signal`
 * aborts.
 */
export function findStartedThreads(
  accountId: string,
  store: Pick<EventStore, 'readAll'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return collectIds(store, 'ThreadStarted', signal, (data) =>
    data['accountId'] === accountId ? data['threadId'] : null,
  );
}

/**
 * Returns the ids of all photos and videos that an account uploaded before `before` (ISO 8601), including
 * removed ones. Reads all events of one type. Rejects if `signal` aborts.
 */
export function findUploads(
  accountId: string,
  store: Pick<EventStore, 'readAll'>,
  before: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return collectIds(store, 'MediaUploaded', signal, (data, at) =>
    data['ownerId'] === accountId && at < before ? data['mediaId'] : null,
  );
}

/**
 * Returns the ids of all keys of an account with which events are encrypted. Reads all events with personal data.
 * Rejects if `signal` aborts.
 */
export async function findKeyIds(
  accountId: string,
  store: Pick<EventStore, 'readAll'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  for await (const page of readEventPages(store, { after: START_POSITION, types: PERSONAL_TYPES, signal })) {
    for (const event of page) {
      const id = findKeyId(event);
      if (id !== null && accountIdOfKey(id) === accountId) ids.add(id);
    }
  }
  return [...ids];
}

const PAGE_events = 500;

/** Returns the ids of all identity checks that an account requested before `before` (ISO 8601). */
export async function findIdentityChecks(
  accountId: string,
  store: Pick<EventStore, 'readStream'>,
  before: string,
): Promise<readonly string[]> {
  const events = await readWholeStream(toStreamId(identity, accountId), store);
  return events.flatMap(({ type, data, meta }) =>
    type === 'IdentityCheckRequested' && meta.at < before ? [(data as { readonly checkId: string }).checkId] : [],
  );
}

/**
 * Returns the ids of all threads that contain a post of an account. For newer posts, the event stream of the author
 * contains permissions to post, each with a thread id. Older posts have no such permission, so their threads are found
 * in the read model.
 */
export async function findThreadsWithPosts(
  accountId: string,
  { pool, sealedStore }: { readonly pool: Pool; readonly sealedStore: Pick<EventStore, 'readStream'> },
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ thread_id: string }>(
    'select distinct thread_id from rm.community_posts where account_id = $1',
    [accountId],
  );
  const threads = new Set(rows.map(({ thread_id: threadId }) => threadId));
  for (const { data } of await readWholeStream(toStreamId(author, accountId), sealedStore))
    threads.add((data as { readonly threadId: string }).threadId);
  return threads;
}

async function readWholeStream(
  stream: StreamId,
  store: Pick<EventStore, 'readStream'>,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await store.readStream(stream, { from: events.length, limit: PAGE_events });
    events.push(...page);
    if (page.length < PAGE_events) return events;
  }
}

/**
 * Returns the distinct ids that `idOf` returns for the events of one type. Results of `idOf` that are not strings are
 * ignored.
 */
async function collectIds(
  store: Pick<EventStore, 'readAll'>,
  type: string,
  signal: AbortSignal,
  idOf: (data: Readonly<Record<string, unknown>>, at: string) => unknown,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  for await (const page of readEventPages(store, { after: START_POSITION, types: [type], signal })) {
    for (const { data, meta } of page) {
      const id = idOf(data as Readonly<Record<string, unknown>>, meta.at);
      if (typeof id === 'string') ids.add(id);
    }
  }
  return [...ids];
}
