import { comparePositions, type Position, type RecordedEvent, type StreamId } from '@alpenglow/domain';
import { findAccountStreams, findConcernedAccount, findKeyId, readStreamPages } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';

type FindDependencies = Dependencies<'pool' | 'sealedStore'>;

/**
 * The ids of the keys, threads and files in the events of an account that is erased. A new account with the same id may
 * have signed up since the erasure was requested. Its threads and files are left out, and its keys are included. The
 * positions of the events decide which account they belong to, because their times come from several clocks.
 */
export interface AccountData {
  /** True if a new account has signed up since the erasure was requested. */
  readonly isRegisteredAgain: boolean;
  /** The ids of all keys with which events of the account are encrypted, including those of a new account. */
  readonly keyIds: readonly string[];
  /** The ids of the threads that the account started. */
  readonly startedThreads: readonly string[];
  /**
   * The threads in which the account has posted or may post. The value is the number of the first reply after the new
   * sign-up, which may belong to the new account. It is Infinity if there is no such reply.
   */
  readonly threads: ReadonlyMap<string, number>;
  /**
   * The ids of the stand-in accounts. Repeated sign-ups with the same e-mail address create them, so that the response
   * does not show that the address already has an account (decision 0022).
   */
  readonly standIns: readonly string[];
  /** The ids of the uploaded photos and videos, including removed ones. */
  readonly uploads: readonly string[];
  /** The ids of all identity checks that the account requested. */
  readonly identityChecks: readonly string[];
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
  const ownEvents: RecordedEvent[] = [];
  for (const stream of own) ownEvents.push(...(await readWholeStream(stream, deps, signal)));
  const end = findNewSignUp(ownEvents);
  const isBeforeEnd = ({ position }: RecordedEvent) => end === null || comparePositions(position, end) < 0;

  const keyIds = new Set<string>();
  const found = { SignUpRepeated: new Set<string>(), MediaUploaded: new Set<string>() };
  const startedThreads = new Set<string>();
  const threads = new Map<string, number>();
  function add(event: RecordedEvent): void {
    const keyId = findKeyId(event);
    if (keyId !== null) keyIds.add(keyId);
    if (!isBeforeEnd(event)) return;
    // The ids are not encrypted.
    const ids = event.data as Readonly<Record<'accountId' | 'mediaId', string>> & { readonly threadId?: string };
    if (event.type === 'SignUpRepeated') found.SignUpRepeated.add(ids.accountId);
    if (event.type === 'MediaUploaded') found.MediaUploaded.add(ids.mediaId);
    if (ids.threadId === undefined) return;
    if (!threads.has(ids.threadId)) threads.set(ids.threadId, Infinity);
    if (event.type === 'ThreadStarted') startedThreads.add(ids.threadId);
  }
  for (const event of ownEvents) if (findConcernedAccount(event) === accountId) add(event);
  /** The first reply after the new sign-up, by thread. */
  const laterReplies = new Map<string, number>();
  for (const stream of others)
    for await (const page of readStreamPages(deps.sealedStore, stream, { signal }))
      for (const event of page) {
        if (findConcernedAccount(event) === accountId) add(event);
        const { threadId, number } = event.data as { readonly threadId?: string; readonly number?: number };
        if (event.type !== 'ReplyPosted' || threadId === undefined || number === undefined || isBeforeEnd(event))
          continue;
        laterReplies.set(threadId, Math.min(laterReplies.get(threadId) ?? Infinity, number));
      }
  // A thread that the new account started is not in the list, so none of its posts is deleted.
  for (const threadId of threads.keys()) threads.set(threadId, laterReplies.get(threadId) ?? Infinity);
  return {
    isRegisteredAgain: end !== null,
    keyIds: [...keyIds],
    startedThreads: [...startedThreads],
    threads,
    standIns: [...found.SignUpRepeated],
    uploads: [...found.MediaUploaded],
    // These events contain no personal data, so they are not encrypted.
    identityChecks: ownEvents.flatMap((event) =>
      event.type === 'IdentityCheckRequested' && isBeforeEnd(event)
        ? [(event.data as { readonly checkId: string }).checkId]
        : [],
    ),
  };
}

/** Returns the position of the first sign-up after the last request for an erasure, or null if there is none. */
function findNewSignUp(events: readonly RecordedEvent[]): Position | null {
  const positionsOf = (type: string) =>
    events.flatMap((event) => (event.type === type ? [event.position] : [])).sort(comparePositions);
  const requestedAt = positionsOf('ErasureRequested').at(-1);
  if (requestedAt === undefined) return null;
  return positionsOf('AccountRegistered').find((position) => comparePositions(position, requestedAt) > 0) ?? null;
}

async function readWholeStream(
  stream: StreamId,
  { sealedStore }: Pick<FindDependencies, 'sealedStore'>,
  signal: AbortSignal,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const page of readStreamPages(sealedStore, stream, { signal })) events.push(...page);
  return events;
}
