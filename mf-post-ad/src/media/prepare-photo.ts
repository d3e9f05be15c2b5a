import {
  PHOTO_CONTENT_TYPES,
  RESIZE_JPEG_QUALITY,
  RESIZE_MAX_px,
  RESIZE_THRESHOLD_bytes,
} from '@alpenglow/domain/contracts';
import { ApiError } from '@alpenglow/ui';
import { t } from '../text.ts';
import { shrinkImage, type ShrinkRequest } from './shrink.ts';
import { shrinkInWorker } from './shrink-in-worker.ts';

export interface ImageResizers {
  readonly inWorker: (order: ShrinkRequest, signal: AbortSignal) => Promise<Blob | null>;
  readonly onMainThread: (order: ShrinkRequest) => Promise<Blob | null>;
}
const SHRINKERS: ImageResizers = {
  inWorker: 'OffscreenCanvas' in globalThis ? shrinkInWorker : () => Promise.reject(new Error('No OffscreenCanvas')),
  onMainThread: shrinkImage,
};

/**
 * Reduces a photo of more than 2,621,440 bytes to a JPEG of 1600 px or less. A photo in a format that the
 * server does not accept, such as HEIC, becomes such a JPEG too. Other photos are returned unchanged. The conversion
 * runs in a worker, or on the main thread if the worker fails. A photo of an accepted format that this browser cannot
 * decode is returned unchanged, so that the server checks it.
 * @throws if the format is not accepted and this browser cannot decode it, or if `signal` aborts
 */
export async function preparePhoto(
  file: File,
  signal: AbortSignal,
  { inWorker, onMainThread }: ImageResizers = SHRINKERS,
): Promise<File> {
  const isAccepted = await hasAcceptedFormat(file);
  signal.throwIfAborted();
  if (isAccepted && file.size <= RESIZE_THRESHOLD_bytes) return file;
  const order: ShrinkRequest = { file, max_px: RESIZE_MAX_px, quality: RESIZE_JPEG_QUALITY };
  const blob = await inWorker(order, signal).catch(() => {
    signal.throwIfAborted();
    return onMainThread(order);
  });
  if (blob) return new File([blob], `${file.name.replace(/\.\w+$/u, '')}.jpg`, { type: 'image/jpeg' });
  if (isAccepted) return file;
  throw new ApiError(t('photoNotReadable'), { status: 415, code: 'PHOTO_NOT_READABLE' });
}

/** The first bytes of a HEIC file after its length. Some programs save such files with the name and type of a JPEG. */
const HEIC_START = /^ftyphe(?:ic|ix|im|is|vc|vx|vm|vs)/u;

async function hasAcceptedFormat(file: File): Promise<boolean> {
  const types: readonly string[] = PHOTO_CONTENT_TYPES;
  return types.includes(file.type) && !HEIC_START.test(await file.slice(4, 12).text());
}
