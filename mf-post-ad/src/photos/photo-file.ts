import { MAX_FILE_bytes, RESIZE_JPEG_QUALITY, RESIZE_MAX_px, RESIZE_THRESHOLD_bytes } from '@alpenglow/domain/contracts';
import { postAdMessages as text } from '@alpenglow/ui';

/** What is wrong with a file before anything is sent; null when nothing is (specification, section 5, "Photos"). */
export function photoFault(file: Pick<File, 'type' | 'size'>): string | null {
  if (!file.type.startsWith('image/')) return text.notAnImage;
  if (file.size > MAX_FILE_bytes) return text.imageTooLarge;
  return null;
}

/** The size a photo is sent in: at most 1600 px on its longest side, never enlarged. */
export function fitted(width: number, height: number): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, RESIZE_MAX_px / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * A photo over 2,621,440 bytes made smaller, as a JPEG; any other as it is. One this browser cannot decode is left to the server.
 * The right way up: the camera's orientation is applied, as the JPEG made here no longer carries it.
 */
export async function prepared(file: File): Promise<File> {
  if (file.size <= RESIZE_THRESHOLD_bytes) return file;
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const { width, height } = fitted(bitmap.width, bitmap.height);
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    if (!context) return file;
    context.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: RESIZE_JPEG_QUALITY });
    return new File([blob], file.name.replace(/\.\w+$/u, '') + '.jpg', { type: 'image/jpeg' });
  } catch {
    return file;
  }
}
