import { IDENTITY_FILE_MAX_bytes, IDENTITY_FILES_MAX, PHOTO_CONTENT_TYPES } from '@alpenglow/domain/contracts';

type Checked = Pick<File, 'name' | 'type' | 'size'>;

/** What the API takes, for `accept`: phones then turn a HEIC into a JPEG by themselves. */
export const PICTURE_TYPES = PHOTO_CONTENT_TYPES.join(',');
export const PICTURE_MAX_MB = IDENTITY_FILE_MAX_bytes / 1_000_000;

/** What is wrong with pictures before anything is sent: the id of a text, and the name of the file it is about. */
export interface PictureFault {
  readonly text: 'identity.tooMany' | 'identity.notAPicture' | 'identity.tooLarge';
  readonly name: string;
}

/** The first thing wrong with what was chosen; null when nothing is. */
export function faultOf(pictures: readonly Checked[]): PictureFault | null {
  if (pictures.length > IDENTITY_FILES_MAX) return { text: 'identity.tooMany', name: '' };
  const types: readonly string[] = PHOTO_CONTENT_TYPES;
  for (const { name, type, size } of pictures) {
    if (!types.includes(type)) return { text: 'identity.notAPicture', name };
    if (size > IDENTITY_FILE_MAX_bytes) return { text: 'identity.tooLarge', name };
  }
  return null;
}
