import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import {
  LARGEST_VARIANT,
  PHOTO_VARIANTS,
  photoBlobs,
  PostponedJobError,
  preservedBlob,
  recordPhotoVariants,
  rejectMedia,
  type BlobStore,
  type JobHandler,
  type KnownImages,
  type RejectionCode,
} from '@alpenglow/domain';
import { judgeMedia, type JudgeDependencies, type Verdict } from './judge-media.ts';
import { withLocalCopy } from './local-copy.ts';
import { factsOf, NotAPicture, readPicture } from './make-variants.ts';

export interface PhotoDependencies extends JudgeDependencies {
  readonly knownImages: KnownImages;
}

const rejected =
  (code: RejectionCode): Verdict =>
  (state) =>
    rejectMedia({ code }, state);

/**
 * Makes the variants of an uploaded photo and says so, or rejects what is no photo. One that is known to be illegal is rejected before anybody could see a variant,
 * and preserved (decision 0047).
 */
export function photoVariantsJob(deps: PhotoDependencies): JobHandler<'photo-variants'> {
  const { blobs } = deps;
  return judgeMedia(deps, {
    kind: 'photo',
    name: 'photo-variants',
    judge: async ({ mediaId }, signal) =>
      (await withLocalCopy(blobs, photoBlobs.original(mediaId), signal, (file) =>
        makeAll(deps, mediaId, file, signal),
      )) ?? judgeByVariants(deps, mediaId),
  });
}

async function makeAll(deps: PhotoDependencies, mediaId: string, file: string, signal: AbortSignal): Promise<Verdict> {
  const { blobs } = deps;
  try {
    const { variants: encoded, ...facts } = await readPicture(file);
    if (await isKnown(deps, mediaId, facts.hash)) return await preserved(blobs, mediaId, createReadStream(file));
    const variants: { name: string; sizeBytes: number }[] = [];
    for await (const { name, bytes } of encoded({ signal })) {
      await blobs.put(photoBlobs.variant(mediaId, name), bytes);
      variants.push({ name, sizeBytes: bytes.length });
    }
    return (state) => recordPhotoVariants({ ...facts, variants }, state);
  } catch (error) {
    if (error instanceof NotAPicture) return rejected('NOT_AN_IMAGE');
    throw error;
  }
}

/** With the original gone, a photo is as good as its variants: whole, or lost. */
async function judgeByVariants(deps: PhotoDependencies, mediaId: string): Promise<Verdict> {
  const { blobs } = deps;
  const variants: { name: string; sizeBytes: number }[] = [];
  for (const name of PHOTO_VARIANTS) {
    const info = await blobs.info(photoBlobs.variant(mediaId, name));
    if (!info) return rejected('UPLOAD_BROKEN_OFF');
    variants.push({ name, sizeBytes: info.sizeBytes });
  }
  const largest = await buffer((await blobs.read(photoBlobs.variant(mediaId, LARGEST_VARIANT))).bytes);
  const facts = await factsOf(largest);
  if (await isKnown(deps, mediaId, facts.hash)) return preserved(blobs, mediaId, largest);
  return (state) => recordPhotoVariants({ ...facts, variants }, state);
}

/** What has been preserved stays known, whatever the list says when the job runs again. */
async function isKnown({ blobs, knownImages }: PhotoDependencies, mediaId: string, hash: string): Promise<boolean> {
  return (await knownImages.isKnown(hash)) || (await blobs.info(preservedBlob(mediaId))) !== null;
}

/** The bytes come first: the rejection has the original removed. A store with no room uses up no attempt, as the last one would have it removed, too. */
async function preserved(blobs: BlobStore, mediaId: string, bytes: Parameters<BlobStore['put']>[1]): Promise<Verdict> {
  await blobs.put(preservedBlob(mediaId), bytes).catch((error: unknown) => {
    throw new PostponedJobError('A picture could not be preserved', { cause: error });
  });
  return rejected('PHOTO_NOT_USABLE');
}
