import { identity, START, streamOf, type EventStore, type RecordedEvent } from '@alpenglow/domain';
import { pagesOf, type Pool } from '@alpenglow/infra';

/** Every stand-in for an account (decision 0022) that was made before then (ISO 8601). Reads all events of this type; rejects when `signal` aborts. */
export function standInsOf(
  accountId: string,
  store: Pick<EventStore, 'readAll'>,
  before: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return idsIn(store, 'SignUpRepeated', signal, (data, at) =>
    data['ofAccountId'] === accountId && at < before ? data['accountId'] : null,
  );
}

/** Every thread an account has started. Reads all events of this type; rejects when `signal` aborts. */
export function startedThreadsOf(
  accountId: string,
  store: Pick<EventStore, 'readAll'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return idsIn(store, 'ThreadStarted', signal, (data) => (data['accountId'] === accountId ? data['threadId'] : null));
}

/** Every photo or video an account has uploaded before then (ISO 8601), removed since or not. Reads all events of this type; rejects when `signal` aborts. */
export function uploadsOf(
  accountId: string,
  store: Pick<EventStore, 'readAll'>,
  before: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return idsIn(store, 'MediaUploaded', signal, (data, at) =>
    data['ownerId'] === accountId && at < before ? data['mediaId'] : null,
  );
}

const PAGE_events = 500;

/** Every request of an account to be verified that was made before then (ISO 8601). */
export async function identityChecksOf(
  accountId: string,
  store: Pick<EventStore, 'readStream'>,
  before: string,
): Promise<readonly string[]> {
  const events = await wholeStream(streamOf(identity, accountId), store);
  return events.flatMap(({ type, data, meta }) =>
    type === 'IdentityCheckRequested' && meta.at < before ? [(data as { readonly checkId: string }).checkId] : [],
  );
}

/** Every thread with a post of an account: those it was admitted to, and, for posts from before there were admissions, those the read model names. */
export async function threadsWrittenIn(
  accountId: string,
  { pool, sealedStore }: { readonly pool: Pool; readonly sealedStore: Pick<EventStore, 'readStream'> },
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ thread_id: string }>(
    'select distinct thread_id from rm.community_posts where account_id = $1',
    [accountId],
  );
  const threads = new Set(rows.map(({ thread_id: threadId }) => threadId));
  for (const { data } of await wholeStream(`author-${accountId}`, sealedStore))
    threads.add((data as { readonly threadId: string }).threadId);
  return threads;
}

async function wholeStream(stream: string, store: Pick<EventStore, 'readStream'>): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await store.readStream(stream, { from: events.length, limit: PAGE_events });
    events.push(...page);
    if (page.length < PAGE_events) return events;
  }
}

/** What `idOf` answers of the events of one type. */
async function idsIn(
  store: Pick<EventStore, 'readAll'>,
  type: string,
  signal: AbortSignal,
  idOf: (data: Readonly<Record<string, unknown>>, at: string) => unknown,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  for await (const page of pagesOf(store, { after: START, types: [type], signal })) {
    for (const { data, meta } of page) {
      const id = idOf(data as Readonly<Record<string, unknown>>, meta.at);
      if (typeof id === 'string') ids.add(id);
    }
  }
  return [...ids];
}
