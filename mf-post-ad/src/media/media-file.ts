import { MAX_FILE_bytes } from '@alpenglow/domain/contracts';
import { t } from '../text.ts';
import type { MediaKind } from './media-item.ts';

type Checked = Pick<File, 'name' | 'type' | 'size'>;

/** For files whose type the system does not know, AVI above all. */
const VIDEO_NAME = /\.(?:mp4|m4v|mov|avi|webm)$/iu;

/** What a file is meant to be, where nobody said: whatever is no video is judged as a photo. */
export function kindOf({ name, type }: Pick<File, 'name' | 'type'>): MediaKind {
  return type.startsWith('video/') || (type === '' && VIDEO_NAME.test(name)) ? 'video' : 'photo';
}

/** What is wrong with a file before anything is sent; null when nothing is (specification, section 5, "Photos" and "Video"). */
export function faultOf(kind: MediaKind, file: Checked): string | null {
  switch (kind) {
    case 'photo':
      if (!file.type.startsWith('image/')) return t('notAnImage');
      return file.size > MAX_FILE_bytes ? t('imageTooLarge') : null;
    case 'video':
      if (kindOf(file) !== 'video') return t('notAVideo');
      return file.size > MAX_FILE_bytes ? t('videoTooLarge') : null;
  }
}
