import { toSearchHashes, type CommandHandler, type CopySearch, type IdentityCopy } from '@alpenglow/domain';
import { isMissingTable } from '../adapters/postgres/errors.ts';
import { createPictureCopies, type KnownCopies } from '../adapters/postgres/picture-copies.ts';
import type { Pool } from '../adapters/postgres/pool.ts';
import { haveOtherReaders } from '../adapters/postgres/read-model-tables.ts';
import { READ_MODELS } from '../read-models/index.ts';
import { findCopiesOfPhoto, type StoredPhotoDependencies } from './copies-of-photo.ts';

interface KnownCopiesDependencies extends StoredPhotoDependencies {
  readonly pool: Pool;
  readonly commands: Pick<CommandHandler, 'load'>;
}

/** Creates the search for copies of the pictures and videos of removal requests. */
export function createCopySearch(deps: KnownCopiesDependencies): CopySearch {
  return {
    find: (files, signal) => findCopiesOfFiles(deps, files, signal),
    haveOtherReaders: () => haveOtherReaders(deps.pool, READ_MODELS),
  };
}

/**
 * Returns all known copies of the photos and videos with the ids `mediaIds`, and of pictures with the hashes of a
 * removal request: the ids of files, and identity checks. Copies of photos may be cropped or mirrored. Those
 * of videos are unchanged.
 */
async function findCopiesOfFiles(
  deps: KnownCopiesDependencies,
  { mediaIds, hashes }: { readonly mediaIds: readonly string[]; readonly hashes: readonly string[] },
  signal: AbortSignal,
): Promise<{ readonly mediaIds: readonly string[]; readonly identityCopies: readonly IdentityCopy[] }> {
  const copies = createPictureCopies(deps.pool);
  const all = [await findCopiesOfHashes(deps.pool, hashes)];
  for (const mediaId of mediaIds) all.push(await findCopiesOfPhoto({ ...deps, copies }, mediaId, signal));
  return {
    mediaIds: [...new Set(all.flatMap(({ photos }) => photos.map((photo) => photo.mediaId)))],
    identityCopies: [
      ...new Map(all.flatMap(({ identityChecks }) => identityChecks.map((copy) => [copy.checkId, copy]))).values(),
    ],
  };
}

/**
 * Returns the ids of the published photos that are copies of pictures with these hashes. Stock pictures are omitted.
 */
export async function findPhotosWithHashes(pool: Pool, hashes: readonly string[]): Promise<readonly string[]> {
  if (hashes.length === 0) return [];
  const search = createPictureCopies(pool).findFiles(toSearchHashes(hashes), []);
  return (await unlessNoPhotos(search, [])).map(({ mediaId }) => mediaId);
}

function findCopiesOfHashes(pool: Pool, hashes: readonly string[]): Promise<KnownCopies> {
  const none = { photos: [], identityChecks: [] };
  if (hashes.length === 0) return Promise.resolve(none);
  return unlessNoPhotos(createPictureCopies(pool).find(toSearchHashes(hashes), []), none);
}

/** Returns `none` if the tables of pictures do not exist yet. At the first start, there are no photos. */
async function unlessNoPhotos<T>(search: Promise<T>, none: T): Promise<T> {
  try {
    return await search;
  } catch (error) {
    if (isMissingTable(error)) return none;
    throw error;
  }
}
