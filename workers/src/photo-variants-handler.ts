import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import {
  LARGEST_VARIANT,
  PHOTO_VARIANT_NAMES,
  photoBlobKeys,
  PostponedJobError,
  NO_PICTURE_FEATURES,
  preservedBlobKey,
  toSearchHashes,
  type JobHandler,
  type KnownImageChecker,
  type RecordPhotoVariants,
} from '@alpenglow/domain';
import { recordPhotoVariants } from '@alpenglow/domain/deciders';
import {
  createSealedBlobs,
  decodePhoto,
  digestOfBytes,
  digestOfStream,
  EVIDENCE_KEY_ID,
  readPhotoProperties,
  UnusableFile,
  type DataKeys,
  type Decoder,
} from '@alpenglow/infra';
import { createUploadHandler, rejection, type UploadCheckDependencies, type UploadDecision } from './upload-handler.ts';
import { withLocalCopy } from './local-copy.ts';

export interface PhotoVariantsDependencies extends UploadCheckDependencies {
  readonly decoder: Decoder;
  readonly knownImages: KnownImageChecker;
  /** The keys that encrypt illegal pictures that are preserved for the authorities. */
  readonly dataKeys: DataKeys;
}

/**
 * Creates the handler of the job that creates the resized variants of an uploaded photo and records them. A file that
 * is not a photo is rejected. If the photo is a known illegal picture, it is preserved for the authorities and rejected
 * before any variant is stored (decision 0047).
 */
export function createPhotoVariantsHandler(deps: PhotoVariantsDependencies): JobHandler<'photo-variants'> {
  const { blobs } = deps;
  return createUploadHandler(deps, {
    kind: 'photo',
    name: 'photo-variants',
    check: async ({ mediaId }, signal) =>
      (await withLocalCopy(blobs, photoBlobKeys.original(mediaId), signal, (file) =>
        judgeOriginal(deps, mediaId, file, signal),
      )) ?? judgeByVariants(deps, mediaId, signal),
  });
}

async function judgeOriginal(
  deps: PhotoVariantsDependencies,
  mediaId: string,
  file: string,
  signal: AbortSignal,
): Promise<UploadDecision> {
  const { blobs, decoder } = deps;
  try {
    const { variants: encoded, hashes, digest, ...facts } = await decodePhoto(decoder, file, signal);
    const digests = [await digestOfStream(createReadStream(file), signal), digest];
    // The file of a visitor who has saved a variant is found by the stored digests. The variants of this photo are
    // equal to those of a photo of an earlier version, whose other digests are unknown.
    const searched = { hashes, digests: [...digests, ...encoded.map(({ bytes }) => digestOfBytes(bytes))] };
    const rejected = await findRejection(deps, mediaId, searched, () => readFile(file));
    if (rejected) return rejected;
    const variants: { name: string; sizeBytes: number }[] = [];
    for (const { name, bytes } of encoded) {
      signal.throwIfAborted();
      await blobs.put(photoBlobKeys.variant(mediaId, name), bytes);
      variants.push({ name, sizeBytes: bytes.length });
    }
    return recording({ ...facts, hashes, digests, variants });
  } catch (error) {
    if (error instanceof UnusableFile) return rejection(error.code);
    throw error;
  }
}

/**
 * Decides whether to accept a photo whose uploaded original file is missing. The photo is accepted if all of its
 * resized variants exist.
 */
async function judgeByVariants(
  deps: PhotoVariantsDependencies,
  mediaId: string,
  signal: AbortSignal,
): Promise<UploadDecision> {
  const { blobs, decoder } = deps;
  const variants: { name: string; sizeBytes: number }[] = [];
  for (const name of PHOTO_VARIANT_NAMES) {
    const info = await blobs.getInfo(photoBlobKeys.variant(mediaId, name));
    if (!info) return rejection('UPLOAD_BROKEN_OFF');
    variants.push({ name, sizeBytes: info.sizeBytes });
  }
  const largest = await buffer((await blobs.read(photoBlobKeys.variant(mediaId, LARGEST_VARIANT))).bytes);
  const { hashes, digest, ...facts } = await readPhotoProperties(decoder, largest, signal);
  const digests = [digestOfBytes(largest), digest];
  const rejected = await findRejection(deps, mediaId, { hashes, digests }, () => Promise.resolve(largest));
  if (rejected) return rejected;
  return recording({ ...facts, hashes, digests, variants });
}

/**
 * Compares a photo with the lists of pictures that must not be published. Returns null if the photo may be recorded. A
 * photo that was already preserved for the authorities is illegal, even if it was removed from the list. `readBytes`
 * returns the bytes to preserve.
 */
async function findRejection(
  deps: PhotoVariantsDependencies,
  mediaId: string,
  { hashes, digests }: { readonly hashes: readonly string[]; readonly digests: readonly string[] },
  readBytes: () => Promise<Buffer>,
): Promise<UploadDecision | null> {
  const isPreserved = (await deps.blobs.getInfo(preservedBlobKey(mediaId))) !== null;
  const searched = toSearchHashes(hashes);
  const verdict = isPreserved ? 'illegal' : await deps.knownImages.check({ mediaId, searched, digests });
  if (verdict === 'taken_down') return rejection('PHOTO_WAS_REMOVED');
  if (verdict === 'allowed') return null;
  await preservePicture(deps, mediaId, await readBytes());
  return rejection('PHOTO_NOT_USABLE');
}

/**
 * Preserves an illegal photo for the authorities. If the photo cannot be stored, the job is postponed without counting
 * the attempt. This is necessary because the uploaded original file is removed after the last attempt.
 */
async function preservePicture(
  { blobs, dataKeys }: Pick<PhotoVariantsDependencies, 'blobs' | 'dataKeys'>,
  mediaId: string,
  bytes: Buffer,
): Promise<void> {
  const sealed = createSealedBlobs({ blobs, dataKeys });
  await sealed.put(preservedBlobKey(mediaId), EVIDENCE_KEY_ID, bytes).catch((error: unknown) => {
    throw new PostponedJobError('A picture could not be preserved', { cause: error });
  });
}

/** Returns the decision that the photo is ready. The hash of the whole photo is stored. */
function recording({
  hashes,
  ...made
}: Omit<RecordPhotoVariants, 'hash'> & { readonly hashes: readonly string[] }): UploadDecision {
  const [hash = NO_PICTURE_FEATURES] = hashes;
  return (state, context) => recordPhotoVariants({ ...made, hash }, state, context);
}
