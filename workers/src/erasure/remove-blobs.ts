import {
  evidenceBlobKey,
  identityBlobPrefix,
  media,
  originalBlobKey,
  partialUploadKeys,
  publicBlobKeys,
  concludeIdentityCheck,
} from '@alpenglow/domain';
import { removeMedia } from '@alpenglow/domain/deciders';
import { ARTICLES, erasureOrigin, type ErasedPerson, type Pool } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { withMediaFiles } from '../seal-media.ts';
import type { AccountData } from './find-account-data.ts';

/**
 * Removes the photos and videos of an erased account, the pictures of its identity checks, and its incomplete uploads.
 * Pictures that an article uses belong to the operator of the site and are not removed.
 * Returns the ids of all removed photos and videos, including those that an earlier run removed. Rejects if `signal`
 * aborts.
 */
export async function removeBlobsOfAccount(
  person: ErasedPerson,
  { uploads, identityChecks }: AccountData,
  deps: Dependencies<'pool' | 'commands' | 'blobs'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { blobs, commands } = deps;
  const removedIds = new Set<string>();
  for (const mediaId of uploads) {
    signal.throwIfAborted();
    if (await isUsedByArticle(deps.pool, mediaId)) continue;
    // The bytes are removed before the event is written, so the next run completes an interrupted removal. The uploaded
    // original file, its variants, or both may exist, and the variants may be sealed as evidence.
    const publicKeys = Object.values(publicBlobKeys).map((keyOf) => keyOf(mediaId));
    const remove = async () => {
      for (const key of [originalBlobKey(mediaId), ...publicKeys, ...publicKeys.map(evidenceBlobKey)])
        await blobs.remove(key);
      await commands.execute(media, mediaId, removeMedia, {}, erasureOrigin(person));
    };
    // A move of the files that ran at the same time could leave one of them behind.
    if (!(await withMediaFiles(deps, mediaId, remove, signal)))
      throw new Error('Another process is moving the files of a photo or video');
    removedIds.add(mediaId);
  }
  // A later account with the same e-mail address, and therefore the same id, may have begun an upload. It begins again.
  await blobs.remove(partialUploadKeys.ofAccount(person.accountId));
  // The pictures of all identity checks are removed here, because `concludeIdentityCheck` handles only the latest
  // check.
  for (const checkId of identityChecks) {
    signal.throwIfAborted();
    await blobs.remove(identityBlobPrefix(checkId));
  }
  await concludeIdentityCheck(deps, person.accountId, erasureOrigin(person));
  return removedIds;
}

async function isUsedByArticle(pool: Pool, mediaId: string): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(
    `select exists (select from ${ARTICLES.table} where media_ids ? $1) as found`,
    [mediaId],
  );
  return rows[0]?.found === true;
}
