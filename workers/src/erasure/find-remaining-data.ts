import {
  createThreadCode,
  evidenceBlobKey,
  identityBlobPrefix,
  originalBlobKey,
  publicBlobKeys,
  type ErasureStep,
} from '@alpenglow/domain';
import { completedAt, type ErasedPerson } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import type { AccountData } from './find-account-data.ts';
import type { ErasedOwner } from './remove-traces.ts';

type RemainsDependencies = Dependencies<'blobs' | 'dataKeys'>;

/** Times by the clock of Postgres. The times of the steps come from the clocks of several processes. */
export interface ErasureTimes {
  /** The time just before this attempt read the events of the account. */
  readonly readAt: Date;
  /** The `readAt` of the first attempt of this process. The read models were purged before. */
  readonly purgedAt: Date;
}

/**
 * Returns the facts about an erased account by which its traces are found. `mediaIds` are its removed photos and
 * videos.
 */
export function toErasedOwner(
  person: ErasedPerson,
  { isRegisteredAgain, standIns, startedThreads }: AccountData,
  mediaIds: ReadonlySet<string>,
  times: ErasureTimes,
): ErasedOwner {
  const { accountId } = person;
  // Without a new account, everything that exists belongs to the erased account.
  const endOf = (step: ErasureStep) => (isRegisteredAgain ? new Date(completedAt(person, step)) : times.readAt);
  return {
    accountId,
    accountIds: [accountId, ...standIns],
    mediaIds: [...mediaIds],
    // Mails about the threads that the account started contain the URLs of these threads. They are found by the end of
    // these URLs.
    mailTexts: startedThreads.map((threadId) => `${createThreadCode(threadId)}?post=`),
    closedAt: endOf('account_closed'),
    before: endOf('keys_destroyed'),
    purgedAt: times.purgedAt,
  };
}

/** A kind of data in the event log and in the blob store. */
export type RemainingData = 'keys' | 'blobs';

/**
 * Verifies that the keys with which events of an erased account are encrypted are destroyed, and that none of its blobs
 * exists. Returns the kinds of data that remain. Rejects if `signal` aborts.
 */
export async function findRemainingData(
  person: ErasedPerson,
  data: AccountData,
  mediaIds: ReadonlySet<string>,
  deps: RemainsDependencies,
  signal: AbortSignal,
): Promise<readonly RemainingData[]> {
  return [
    ...((await deps.dataKeys.hasRetired(person.accountId, data.keyIds)) ? (['keys'] as const) : []),
    ...((await hasBlobs(data, mediaIds, deps, signal)) ? (['blobs'] as const) : []),
  ];
}

async function hasBlobs(
  { identityChecks }: AccountData,
  mediaIds: ReadonlySet<string>,
  deps: RemainsDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const exists = async (keyOrPrefix: string): Promise<boolean> => {
    signal.throwIfAborted();
    if (!keyOrPrefix.endsWith('/')) return (await deps.blobs.getInfo(keyOrPrefix)) !== null;
    for await (const _blob of deps.blobs.list(keyOrPrefix)) return true;
    return false;
  };
  for (const mediaId of mediaIds) {
    const publicKeys = Object.values(publicBlobKeys).map((keyOf) => keyOf(mediaId));
    for (const key of [originalBlobKey(mediaId), ...publicKeys, ...publicKeys.map(evidenceBlobKey)])
      if (await exists(key)) return true;
  }
  for (const checkId of identityChecks) if (await exists(identityBlobPrefix(checkId))) return true;
  return false;
}
