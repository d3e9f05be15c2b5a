import {
  identityBlobs,
  media,
  originalBlob,
  removeMedia,
  shownBlobs,
  type BlobStore,
  type EventStore,
} from '@alpenglow/domain';
import {
  concludeIdentityCheck,
  doneAt,
  erasureOrigin,
  type CommandHandler,
  type ErasedPerson,
  type Pool,
} from '@alpenglow/infra';
import { identityChecksOf, uploadsOf } from './found-of.ts';

export interface BlobDependencies {
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
  readonly sealedStore: EventStore;
}

/**
 * Removes the bytes of every photo and video somebody has uploaded before their account was closed, and what they showed of their identity. A picture of an article is the
 * operator's, whoever uploaded it, and stays. Answers the ids of those removed, now or before. Rejects when `signal` aborts.
 */
export async function removeBlobsOf(
  person: ErasedPerson,
  deps: BlobDependencies,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { blobs, commands } = deps;
  const removed = new Set<string>();
  for (const mediaId of await uploadsOf(person.accountId, deps.sealedStore, doneAt(person, 'account_closed'), signal)) {
    signal.throwIfAborted();
    if (await isOfArticle(deps.pool, mediaId)) continue;
    // The bytes first, in any shape a job may have left them in: should the process end in between, the event is still to come.
    for (const key of [originalBlob(mediaId), ...Object.values(shownBlobs).map((keyOf) => keyOf(mediaId))])
      await blobs.remove(key);
    await commands.handle(media, mediaId, removeMedia, erasureOrigin(person));
    removed.add(mediaId);
  }
  // All of them: one that was followed by another before its pictures were gone is not concluded any more.
  for (const checkId of await identityChecksOf(person.accountId, deps.sealedStore, doneAt(person, 'account_closed')))
    await blobs.remove(identityBlobs(checkId));
  await concludeIdentityCheck(deps, person.accountId, erasureOrigin(person));
  return removed;
}

async function isOfArticle(pool: Pool, mediaId: string): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(
    'select exists (select from rm.articles where cover = $1 or strpos(body, $1) > 0) as found',
    [mediaId],
  );
  return rows[0]?.found === true;
}
