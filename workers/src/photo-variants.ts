import { buffer } from 'node:stream/consumers';
import {
  BlobNotFound,
  LARGEST_VARIANT,
  media,
  PHOTO_VARIANTS,
  photoBlobs,
  recordPhotoVariants,
  rejectMedia,
  UnrecoverableJobError,
  type BlobStore,
  type JobHandler,
  type MediaEvent,
  type MediaState,
  type RecordPhotoVariants,
  type RejectionCode,
} from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';
import { factsOf, makeVariants, NotAPicture } from './make-variants.ts';

export interface PhotoVariantsDependencies {
  readonly blobs: BlobStore;
  readonly commands: CommandHandler;
}

type Verdict = { readonly made: RecordPhotoVariants } | { readonly rejected: RejectionCode };

/**
 * Makes the variants of an uploaded photo and says so, or rejects what is no photo; then the original goes. May be cut off
 * anywhere and run again: bytes are written before the event, and the original stays until the event is there.
 */
export function photoVariantsJob({ blobs, commands }: PhotoVariantsDependencies): JobHandler<'photo-variants'> {
  return async ({ mediaId }, { signal }) => {
    let { state } = await commands.load(media, mediaId);
    if (!state) throw new UnrecoverableJobError(`Nothing was uploaded as ${mediaId}`);
    if (state.status === 'processing') {
      const decide = decisionOf(await judge(blobs, mediaId, signal));
      ({ state } = await commands.handle(media, mediaId, decide, { actor: { kind: 'system', name: 'photo-variants' }, correlationId: mediaId }));
    }
    if (state?.status !== 'ready') await blobs.remove(photoBlobs.variants(mediaId));
    await blobs.remove(photoBlobs.original(mediaId));
  };
}

function decisionOf(verdict: Verdict): (state: MediaState) => readonly MediaEvent[] {
  return (state) => ('made' in verdict ? recordPhotoVariants(verdict.made, state) : rejectMedia({ code: verdict.rejected }, state));
}

async function judge(blobs: BlobStore, mediaId: string, signal: AbortSignal): Promise<Verdict> {
  const original = await readAll(blobs, photoBlobs.original(mediaId));
  if (!original) return judgeByVariants(blobs, mediaId);
  try {
    const variants: { name: string; sizeBytes: number }[] = [];
    const making = makeVariants(original, { signal });
    for (;;) {
      const step = await making.next();
      if (step.done) return { made: { ...step.value, variants } };
      const { name, bytes } = step.value;
      await blobs.put(photoBlobs.variant(mediaId, name), bytes);
      variants.push({ name, sizeBytes: bytes.length });
    }
  } catch (error) {
    if (error instanceof NotAPicture) return { rejected: 'NOT_AN_IMAGE' };
    throw error;
  }
}

/** With the original gone, a photo is as good as its variants: whole, or lost. */
async function judgeByVariants(blobs: BlobStore, mediaId: string): Promise<Verdict> {
  const variants: { name: string; sizeBytes: number }[] = [];
  for (const name of PHOTO_VARIANTS) {
    const info = await blobs.info(photoBlobs.variant(mediaId, name));
    if (!info) return { rejected: 'UPLOAD_BROKEN_OFF' };
    variants.push({ name, sizeBytes: info.sizeBytes });
  }
  const largest = await readAll(blobs, photoBlobs.variant(mediaId, LARGEST_VARIANT));
  return largest ? { made: { ...(await factsOf(largest)), variants } } : { rejected: 'UPLOAD_BROKEN_OFF' };
}

async function readAll(blobs: BlobStore, key: string): Promise<Buffer | null> {
  try {
    return await buffer((await blobs.read(key)).bytes);
  } catch (error) {
    if (error instanceof BlobNotFound) return null;
    throw error;
  }
}
