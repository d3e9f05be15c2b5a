import { buffer } from 'node:stream/consumers';
import { BlobNotFound, media, photoBlobKeys, toSearchHashes, uniteDigests } from '@alpenglow/domain';
import { readPhotoProperties, UnusableFile } from '../adapters/decoder/decode-media.ts';
import type { Decoder } from '../adapters/decoder/decoder.ts';
import type { KnownCopies, PictureCopies } from '../adapters/postgres/picture-copies.ts';
import { createEvidenceReader } from '../security/media-evidence.ts';
import type { CommandHandler } from '../service/command-handler.ts';
import { digestsOfStoredFiles, type StoredFileDependencies } from './stored-digests.ts';

export interface StoredPhotoDependencies extends StoredFileDependencies {
  readonly decoder: Decoder;
}

/** The variant of which hashes are computed. Larger ones have nearly the same hashes. */
const HASHED_VARIANT = '640.jpg';

/**
 * Returns the hashes of a stored photo, also if it is sealed as evidence. The first one is that of the whole photo.
 * Returns null if no file of the photo can be read.
 */
export async function hashesOfStoredPhoto(
  deps: StoredPhotoDependencies,
  mediaId: string,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  try {
    const { bytes } = await createEvidenceReader(deps).read(photoBlobKeys.variant(mediaId, HASHED_VARIANT));
    return (await readPhotoProperties(deps.decoder, await buffer(bytes), signal)).hashes;
  } catch (error) {
    if (error instanceof BlobNotFound || error instanceof UnusableFile) return null;
    throw error;
  }
}

/**
 * Finds all known copies of a photo or video on this site, including the file itself if it is ready. If no
 * file of a photo can be read, copies are searched for only by its stored hash, so that cropped ones are not found.
 * Copies of videos are found by their digests only. The read models may lag behind the events.
 */
export async function findCopiesOfPhoto(
  deps: StoredPhotoDependencies & {
    readonly commands: Pick<CommandHandler, 'load'>;
    readonly copies: Pick<PictureCopies, 'find'>;
  },
  mediaId: string,
  signal: AbortSignal,
): Promise<KnownCopies> {
  const { state } = await deps.commands.load(media, mediaId);
  if (state === null) return { photos: [], identityChecks: [] };
  const recorded = state.status === 'ready' ? state.digests : [];
  const digests = uniteDigests(recorded, await digestsOfStoredFiles(deps, state, signal));
  if (state.kind === 'video') return deps.copies.find([], digests);
  const stored = state.status === 'ready' && state.hash !== null ? [state.hash] : [];
  return deps.copies.find(toSearchHashes((await hashesOfStoredPhoto(deps, mediaId, signal)) ?? stored), digests);
}
