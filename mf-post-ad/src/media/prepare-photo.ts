import { RESIZE_JPEG_QUALITY, RESIZE_MAX_px, RESIZE_THRESHOLD_bytes } from '@alpenglow/domain/contracts';
import { shrunk, type ShrinkOrder } from './shrink.ts';
import { shrunkInWorker } from './shrink-in-worker.ts';

export interface Shrinkers {
  readonly inWorker: (order: ShrinkOrder, signal: AbortSignal) => Promise<Blob | null>;
  readonly here: (order: ShrinkOrder) => Promise<Blob | null>;
}
const SHRINKERS: Shrinkers = { inWorker: shrunkInWorker, here: shrunk };

/**
 * A photo over 2,621,440 bytes made smaller, as a JPEG of at most 1600 px; any other as it is (specification, section 5, "Photos").
 * Off the main thread, or on it where no worker can be had. A photo this browser cannot decode is left to the server.
 * @throws when `signal` aborts
 */
export async function prepared(
  file: File,
  signal: AbortSignal,
  { inWorker, here }: Shrinkers = SHRINKERS,
): Promise<File> {
  if (file.size <= RESIZE_THRESHOLD_bytes) return file;
  const order: ShrinkOrder = { file, max_px: RESIZE_MAX_px, quality: RESIZE_JPEG_QUALITY };
  const blob = await inWorker(order, signal).catch(() => {
    signal.throwIfAborted();
    return here(order);
  });
  return blob === null ? file : new File([blob], `${file.name.replace(/\.\w+$/u, '')}.jpg`, { type: 'image/jpeg' });
}
