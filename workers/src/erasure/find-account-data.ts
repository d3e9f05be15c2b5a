import { identity, toStreamId, type EventStore, type RecordedEvent, type StreamId } from '@alpenglow/domain';
import { findAccountStreams, findConcernedAccount, findKeyId, readStreamPages } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';

type FindDependencies = Dependencies<'pool' | 'sealedStore'>;

/** The ids of the keys, threads and files of an account, from its events. */
export interface AccountData {
  /** The ids of all keys of the account with which events are encrypted. */
  readonly keyIds: readonly string[];
  /** The ids of the threads that the account started. */
  readonly startedThreads: readonly string[];
  /** The ids of the threads that contain a post of the account, or for which it has a permission to post. */
  readonly threads: readonly string[];
  /**
   * Returns the ids of the stand-in accounts that were created before `before` (ISO 8601). Repeated sign-ups with the
   * same e-mail address create stand-in accounts, so that the response does not show that the address already has an
   * account (decision 0022).
   */
  standIns(before: string): readonly string[];
  /** Returns the ids of the photos and videos that were uploaded before `before` (ISO 8601), including removed ones. */
  uploads(before: string): readonly string[];
}

/**
 * Reads the streams with data of an account, and only these. The events remain encrypted. Rejects if `signal` aborts.
 */
export async function findAccountData(
  accountId: string,
  deps: FindDependencies,
  signal: AbortSignal,
): Promise<AccountData> {
  const { own, others } = await findAccountStreams(accountId, deps, signal);
  const keyIds = new Set<string>();
  const found = { SignUpRepeated: new Map<string, string>(), MediaUploaded: new Map<string, string>() };
  const startedThreads = new Set<string>();
  const threads = new Set<string>();
  for (const stream of [...own, ...others])
    for await (const page of readStreamPages(deps.sealedStore, stream, { signal }))
      for (const event of page) {
        if (findConcernedAccount(event) !== accountId) continue;
        const keyId = findKeyId(event);
        if (keyId !== null) keyIds.add(keyId);
        const ids = event.data as Readonly<Record<'accountId' | 'mediaId', string>> & { readonly threadId?: string };
        // The ids are not encrypted. Of several events with the same id, the first one has the time of its creation.
        if (event.type === 'SignUpRepeated') addOnce(found.SignUpRepeated, ids.accountId, event.meta.at);
        if (event.type === 'MediaUploaded') addOnce(found.MediaUploaded, ids.mediaId, event.meta.at);
        if (ids.threadId === undefined) continue;
        threads.add(ids.threadId);
        if (event.type === 'ThreadStarted') startedThreads.add(ids.threadId);
      }
  const createdBefore = (times: ReadonlyMap<string, string>, before: string) =>
    [...times].filter(([, at]) => at < before).map(([id]) => id);
  return {
    keyIds: [...keyIds],
    startedThreads: [...startedThreads],
    threads: [...threads],
    standIns: (before) => createdBefore(found.SignUpRepeated, before),
    uploads: (before) => createdBefore(found.MediaUploaded, before),
  };
}

function addOnce(times: Map<string, string>, id: string, at: string): void {
  if (!times.has(id)) times.set(id, at);
}

/** Returns the ids of all identity checks that an account requested before `before` (ISO 8601). */
export async function findIdentityChecks(
  accountId: string,
  store: Pick<EventStore, 'readStream'>,
  before: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const events = await readWholeStream(toStreamId(identity, accountId), store, signal);
  return events.flatMap(({ type, data, meta }) =>
    type === 'IdentityCheckRequested' && meta.at < before ? [(data as { readonly checkId: string }).checkId] : [],
  );
}

async function readWholeStream(
  stream: StreamId,
  store: Pick<EventStore, 'readStream'>,
  signal: AbortSignal,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const page of readStreamPages(store, stream, { signal })) events.push(...page);
  return events;
}
