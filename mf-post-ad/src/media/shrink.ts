/**
 * Makes a picture smaller. This file is a worker of its own, too: it imports nothing, and the build emits it as it stands
 * (shell/build/config.mjs, `?url`).
 */

export interface ShrinkOrder {
  readonly file: Blob;
  /** Of the longest side, at most. */
  readonly max_px: number;
  /** Of the JPEG, from 0 to 1. */
  readonly quality: number;
}

/** The size a picture gets: within the limit, never enlarged. */
export function fitted(
  width: number,
  height: number,
  max_px: number,
): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, max_px / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * The picture as a JPEG within the limit; null when this browser cannot decode it.
 * The right way up: the camera's orientation is applied, as the JPEG made here no longer carries it.
 */
export async function shrunk({ file, max_px, quality }: ShrinkOrder): Promise<Blob | null> {
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const { width, height } = fitted(bitmap.width, bitmap.height, max_px);
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    if (!context) return null;
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    return await canvas.convertToBlob({ type: 'image/jpeg', quality });
  } catch {
    return null;
  }
}

// True in workers alone: there the file answers each order with a message.
if ('importScripts' in globalThis) {
  addEventListener(
    'message',
    ({ data }: MessageEvent<ShrinkOrder>) => void shrunk(data).then((blob) => postMessage(blob)),
  );
}
