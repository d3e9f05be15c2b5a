import {
  createThreadCode,
  evidenceBlobKey,
  identityBlobPrefix,
  originalBlobKey,
  publicBlobKeys,
} from '@alpenglow/domain';
import { completedAt, type ErasedPerson } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { findIdentityChecks, type AccountData } from './find-account-data.ts';
import type { ErasedOwner } from './remove-traces.ts';

type RemainsDependencies = Dependencies<'sealedStore' | 'blobs' | 'dataKeys'>;

/**
 * Returns the facts about an erased account by which its traces are found. `mediaIds` are its removed photos and
 * videos.
 */
export function toErasedOwner(
  person: ErasedPerson,
  { standIns, startedThreads }: AccountData,
  mediaIds: ReadonlySet<string>,
): ErasedOwner {
  const { accountId } = person;
  const closedAt = completedAt(person, 'account_closed');
  return {
    accountId,
    accountIds: [accountId, ...standIns(closedAt)],
    mediaIds: [...mediaIds],
    // Mails about the threads that the account started contain the URLs of these threads. They are found by the end of
    // these URLs.
    mailTexts: startedThreads.map((threadId) => `${createThreadCode(threadId)}?post=`),
    closedAt: new Date(closedAt),
    before: new Date(completedAt(person, 'keys_destroyed')),
    purgedAt: new Date(completedAt(person, 'read_models_purged')),
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
  { keyIds }: AccountData,
  mediaIds: ReadonlySet<string>,
  deps: RemainsDependencies,
  signal: AbortSignal,
): Promise<readonly RemainingData[]> {
  return [
    ...((await deps.dataKeys.hasRetired(person.accountId, keyIds)) ? (['keys'] as const) : []),
    ...((await hasBlobs(person, mediaIds, deps, signal)) ? (['blobs'] as const) : []),
  ];
}

async function hasBlobs(
  person: ErasedPerson,
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
  const closedAt = completedAt(person, 'account_closed');
  for (const checkId of await findIdentityChecks(person.accountId, deps.sealedStore, closedAt, signal))
    if (await exists(identityBlobPrefix(checkId))) return true;
  return false;
}
