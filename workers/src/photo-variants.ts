import { buffer } from 'node:stream/consumers';
import { LARGEST_VARIANT, PHOTO_VARIANTS, photoBlobs, recordPhotoVariants, rejectMedia, type BlobStore, type JobHandler, type RejectionCode } from '@alpenglow/domain';
import { judgeMedia, type JudgeDependencies, type Verdict } from './judge-media.ts';
import { withLocalCopy } from './local-copy.ts';
import { factsOf, makeVariants, NotAPicture } from './make-variants.ts';

const rejected = (code: RejectionCode): Verdict => (state) => rejectMedia({ code }, state);

/** Makes the variants of an uploaded photo and says so, or rejects what is no photo. */
export function photoVariantsJob(deps: JudgeDependencies): JobHandler<'photo-variants'> {
  const { blobs } = deps;
  return judgeMedia(deps, {
    kind: 'photo',
    name: 'photo-variants',
    judge: async ({ mediaId }, signal) =>
      (await withLocalCopy(blobs, photoBlobs.original(mediaId), signal, (file) => makeAll(blobs, mediaId, file, signal))) ?? judgeByVariants(blobs, mediaId),
  });
}

async function makeAll(blobs: BlobStore, mediaId: string, file: string, signal: AbortSignal): Promise<Verdict> {
  try {
    const variants: { name: string; sizeBytes: number }[] = [];
    const making = makeVariants(file, { signal });
    for (;;) {
      const step = await making.next();
      if (step.done) {
        const made = { ...step.value, variants };
        return (state) => recordPhotoVariants(made, state);
      }
      const { name, bytes } = step.value;
      await blobs.put(photoBlobs.variant(mediaId, name), bytes);
      variants.push({ name, sizeBytes: bytes.length });
    }
  } catch (error) {
    if (error instanceof NotAPicture) return rejected('NOT_AN_IMAGE');
    throw error;
  }
}

/** With the original gone, a photo is as good as its variants: whole, or lost. */
async function judgeByVariants(blobs: BlobStore, mediaId: string): Promise<Verdict> {
  const variants: { name: string; sizeBytes: number }[] = [];
  for (const name of PHOTO_VARIANTS) {
    const info = await blobs.info(photoBlobs.variant(mediaId, name));
    if (!info) return rejected('UPLOAD_BROKEN_OFF');
    variants.push({ name, sizeBytes: info.sizeBytes });
  }
  const { bytes } = await blobs.read(photoBlobs.variant(mediaId, LARGEST_VARIANT));
  const made = { ...(await factsOf(await buffer(bytes))), variants };
  return (state) => recordPhotoVariants(made, state);
}
