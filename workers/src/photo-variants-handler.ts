import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import {
  LARGEST_VARIANT,
  PHOTO_VARIANT_NAMES,
  photoBlobKeys,
  PostponedJobError,
  preservedBlobKey,
  type JobHandler,
  type KnownImageChecker,
} from '@alpenglow/domain';
import { recordPhotoVariants } from '@alpenglow/domain/deciders';
import {
  createSealedBlobs,
  decodePhoto,
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
    const { variants: encoded, ...facts } = await decodePhoto(decoder, file, signal);
    if (await isKnownPicture(deps, mediaId, facts.hash))
      return await preserveAndReject(deps, mediaId, await readFile(file));
    const variants: { name: string; sizeBytes: number }[] = [];
    for (const { name, bytes } of encoded) {
      signal.throwIfAborted();
      await blobs.put(photoBlobKeys.variant(mediaId, name), bytes);
      variants.push({ name, sizeBytes: bytes.length });
    }
    return (state, context) => recordPhotoVariants({ ...facts, variants }, state, context);
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
  const facts = await readPhotoProperties(decoder, largest, signal);
  if (await isKnownPicture(deps, mediaId, facts.hash)) return preserveAndReject(deps, mediaId, largest);
  return (state, context) => recordPhotoVariants({ ...facts, variants }, state, context);
}

/**
 * Checks whether a photo is a known illegal picture. A photo that was already preserved for the authorities counts as
 * known, even if it was removed from the list of known pictures.
 */
async function isKnownPicture(
  { blobs, knownImages }: PhotoVariantsDependencies,
  mediaId: string,
  hash: string,
): Promise<boolean> {
  return (await knownImages.isKnown(hash)) || (await blobs.getInfo(preservedBlobKey(mediaId))) !== null;
}

/**
 * Preserves an illegal photo for the authorities and returns the rejection of the photo. If the photo cannot be stored,
 * the job is postponed without counting the attempt. This is necessary because the uploaded original file is removed
 * after the last attempt.
 */
async function preserveAndReject(
  { blobs, dataKeys }: PhotoVariantsDependencies,
  mediaId: string,
  bytes: Buffer,
): Promise<UploadDecision> {
  const sealed = createSealedBlobs({ blobs, dataKeys });
  await sealed.put(preservedBlobKey(mediaId), EVIDENCE_KEY_ID, bytes).catch((error: unknown) => {
    throw new PostponedJobError('A picture could not be preserved', { cause: error });
  });
  return rejection('PHOTO_NOT_USABLE');
}
