import { IDENTITY_FILE_MAX_bytes, IDENTITY_FILES_MAX, PHOTO_CONTENT_TYPES } from '@alpenglow/domain/contracts';

type PictureFile = Pick<File, 'name' | 'type' | 'size'>;

/**
 * The accepted content types of pictures, for the `accept` attribute of the file input. The list contains JPEG but not
 * HEIC, so that phones convert HEIC photos to JPEG.
 */
export const PICTURE_TYPES = PHOTO_CONTENT_TYPES.join(',');
export const PICTURE_MAX_MB = IDENTITY_FILE_MAX_bytes / 1_000_000;

/** A problem with the selected pictures: the id of the error text and the name of the affected file. */
export interface PictureError {
  readonly text: 'identity.tooMany' | 'identity.notAPicture' | 'identity.tooLarge';
  readonly name: string;
}

/** Returns the first problem with the selected pictures. Returns null if all pictures are valid. */
export function findPictureError(pictures: readonly PictureFile[]): PictureError | null {
  if (pictures.length > IDENTITY_FILES_MAX) return { text: 'identity.tooMany', name: '' };
  const types: readonly string[] = PHOTO_CONTENT_TYPES;
  for (const { name, type, size } of pictures) {
    if (!types.includes(type)) return { text: 'identity.notAPicture', name };
    if (size > IDENTITY_FILE_MAX_bytes) return { text: 'identity.tooLarge', name };
  }
  return null;
}

/** Returns the size of a file as text, e.g. `13 kB`. It is at least 1 kB, because smaller units help no reader. */
export function formatSize(size_bytes: number, locale: string): string {
  const isSmall = size_bytes < 1_000_000;
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: isSmall ? 'kilobyte' : 'megabyte',
    maximumSignificantDigits: 2,
  }).format(isSmall ? Math.max(1, size_bytes / 1_000) : size_bytes / 1_000_000);
}
