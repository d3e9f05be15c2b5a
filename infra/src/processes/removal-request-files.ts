import {
  isContinued,
  listing,
  type AdDirectory,
  toSearchHashes,
  type IdentityCopy,
  type ListingState,
  type RemovalRequest,
} from '@alpenglow/domain';
import { isMissingTable } from '../adapters/postgres/errors.ts';
import { createPictureCopies, type KnownCopies } from '../adapters/postgres/picture-copies.ts';
import type { Pool } from '../adapters/postgres/pool.ts';
import type { CommandHandler } from '../service/command-handler.ts';
import { findCopiesOfPhoto, type StoredPhotoDependencies } from './copies-of-photo.ts';

export interface KnownCopiesDependencies extends StoredPhotoDependencies {
  readonly pool: Pool;
  readonly commands: Pick<CommandHandler, 'load'>;
  readonly ads: AdDirectory;
}

/**
 * Returns the ids of the pictures and videos that a removal request names: those of its links, and those that its ads
 * showed at the time of the request, also if the poster has replaced them since.
 */
export async function findNamedFiles(
  deps: Pick<KnownCopiesDependencies, 'commands' | 'ads'>,
  { subjects, requestedAt }: Pick<RemovalRequest, 'subjects' | 'requestedAt'>,
): Promise<readonly string[]> {
  const named = new Set<string>();
  for (const { kind, id } of subjects) {
    if (kind === 'media') named.add(id);
    if (kind === 'ad') for (const mediaId of await findFilesOfAd(deps, id, requestedAt)) named.add(mediaId);
  }
  return [...named];
}

async function findFilesOfAd(
  { commands, ads }: Pick<KnownCopiesDependencies, 'commands' | 'ads'>,
  adId: string,
  at: string,
): Promise<readonly string[]> {
  const ownerId = await ads.ownerOf(adId, { includesDeleted: true });
  return ownerId === null ? [] : filesShownAt((await commands.load(listing, ownerId)).state, adId, at);
}

/** Returns the files that an ad showed at a time. An account has one ad at a time, so its later ads are omitted. */
function filesShownAt({ ad, shownMedia }: ListingState, adId: string, at: string): readonly string[] {
  const isReplaced = ad !== null && !isContinued(adId, ad) && ad.postedAt <= at;
  if (isReplaced) return [];
  const shown = shownMedia.filter(({ from, until }) => from <= at && (until === null || until >= at));
  return shown.map(({ mediaId }) => mediaId);
}

/**
 * Returns all known copies of the photos and videos with the ids `mediaIds`, and of pictures with the hashes of a
 * removal request: the ids of files, and identity checks. Copies of photos may be cropped or mirrored. Those
 * of videos are unchanged.
 */
export async function findCopiesOfFiles(
  deps: Omit<KnownCopiesDependencies, 'ads'>,
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
