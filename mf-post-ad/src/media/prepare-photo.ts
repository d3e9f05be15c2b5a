import { RESIZE_JPEG_QUALITY, RESIZE_MAX_px, RESIZE_THRESHOLD_bytes } from '@alpenglow/domain/contracts';
import { shrinkImage, type ShrinkRequest } from './shrink.ts';
import { shrinkInWorker } from './shrink-in-worker.ts';

export interface ImageResizers {
  readonly inWorker: (order: ShrinkRequest, signal: AbortSignal) => Promise<Blob | null>;
  readonly onMainThread: (order: ShrinkRequest) => Promise<Blob | null>;
}
const SHRINKERS: ImageResizers = { inWorker: shrinkInWorker, onMainThread: shrinkImage };

/**
 * Reduces a photo of more than 2,621,440 bytes to a JPEG of 1600 px or less. Other photos are returned
 * unchanged. The reduction runs in a worker, or on the main thread if the worker fails. A photo that this browser
 * cannot decode is returned unchanged, so that the server checks it.
 * @throws if `signal` aborts
 */
export async function preparePhoto(
  file: File,
  signal: AbortSignal,
  { inWorker, onMainThread }: ImageResizers = SHRINKERS,
): Promise<File> {
  if (file.size <= RESIZE_THRESHOLD_bytes) return file;
  const order: ShrinkRequest = { file, max_px: RESIZE_MAX_px, quality: RESIZE_JPEG_QUALITY };
  const blob = await inWorker(order, signal).catch(() => {
    signal.throwIfAborted();
    return onMainThread(order);
  });
  return blob === null ? file : new File([blob], `${file.name.replace(/\.\w+$/u, '')}.jpg`, { type: 'image/jpeg' });
}
