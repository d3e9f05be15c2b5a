/**
 * Reduces the size of a picture. This file must not import anything, because the build emits it as a separate worker
 * file (`?url` in shell/build/preset.mjs).
 */

export interface ShrinkRequest {
  readonly file: Blob;
  readonly max_px: number;
  readonly quality: number;
}

/** Returns the size of the reduced picture. Neither side is longer than `max_px`. Small pictures are not enlarged. */
export function fitSize(
  width: number,
  height: number,
  max_px: number,
): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, max_px / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * Returns the picture as a JPEG with sides of `max_px` or less. Returns null if this browser cannot decode it. Rotates
 * the picture as the camera requests, because the JPEG does not contain the orientation.
 */
export async function shrinkImage({ file, max_px, quality }: ShrinkRequest): Promise<Blob | null> {
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const { width, height } = fitSize(bitmap.width, bitmap.height, max_px);
    const canvas = createCanvas(width, height);
    const context = canvas.getContext('2d');
    if (!context) return null;
    context.imageSmoothingQuality = 'high';
    // A JPEG has no transparency. Without a background, transparent parts would be black.
    context.fillStyle = '#fff';
    context.fillRect(0, 0, width, height);
    context.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    if ('convertToBlob' in canvas) return await canvas.convertToBlob({ type: 'image/jpeg', quality });
    return await new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
  } catch {
    return null;
  }
}

/** Safari 15 has no canvas without an element, so only the main thread reduces pictures there. */
function createCanvas(width: number, height: number): OffscreenCanvas | HTMLCanvasElement {
  if ('OffscreenCanvas' in globalThis) return new OffscreenCanvas(width, height);
  return Object.assign(document.createElement('canvas'), { width, height });
}

// This condition is true in a worker only. The worker receives each request as a message and responds with the reduced
// picture.
if ('importScripts' in globalThis) {
  addEventListener(
    'message',
    ({ data }: MessageEvent<ShrinkRequest>) => void shrinkImage(data).then((blob) => postMessage(blob)),
  );
}
