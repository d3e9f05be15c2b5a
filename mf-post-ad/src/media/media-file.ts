import { MAX_FILE_bytes, PHOTO_CONTENT_TYPES, VIDEO_CONTENT_TYPES } from '@alpenglow/domain/contracts';
import { t } from '../text.ts';
import type { MediaKind } from './media-item.ts';

type CheckedFile = Pick<File, 'name' | 'type' | 'size'>;

/** Matches the name of a video file. The name is checked if the browser does not report a type, e.g. for AVI. */
const VIDEO_NAME = /\.(?:mp4|m4v|3gp|3g2|mov|avi|webm)$/iu;

/** Matches the name of a picture whose type some systems do not know. */
const PHOTO_NAME = /\.(?:jpe?g|png|gif|webp|avif|hei[cf]|jxl|bmp|tiff?)$/iu;

/**
 * The types for the `accept` attribute of the file fields. The attribute names exact types, because phones convert
 * their own formats (HEIC) only if they are not accepted.
 */
export const ACCEPTED_PHOTOS: Readonly<Record<string, string[]>> = Object.fromEntries(
  PHOTO_CONTENT_TYPES.map((type) => [type, []]),
);
export const ACCEPTED_VIDEOS = [
  ...VIDEO_CONTENT_TYPES,
  'video/3gpp',
  'video/3gpp2',
  '.mp4',
  '.m4v',
  '.3gp',
  '.3g2',
  '.mov',
  '.avi',
  '.webm',
].join(',');

/** Returns the kind of a file. Any file that is not a video counts as a photo. */
export function getMediaKind({ name, type }: Pick<File, 'name' | 'type'>): MediaKind {
  return type.startsWith('video/') || (type === '' && VIDEO_NAME.test(name)) ? 'video' : 'photo';
}

const isPicture = ({ name, type }: Pick<File, 'name' | 'type'>): boolean =>
  type.startsWith('image/') || (type === '' && PHOTO_NAME.test(name));

/** Returns the error text of a file that must not be uploaded. Returns null for a valid file. */
export function findFileError(kind: MediaKind, file: CheckedFile): string | null {
  if (kind === 'photo' && !isPicture(file)) return t('notAnImage');
  if (kind === 'video' && getMediaKind(file) !== 'video') return t('notAVideo');
  return file.size > MAX_FILE_bytes ? t(kind === 'photo' ? 'imageTooLarge' : 'videoTooLarge') : null;
}
