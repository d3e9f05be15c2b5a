import { isPermanentError, messageOf } from '@alpenglow/ui';
import { t } from '../text.ts';
import type { MediaItem } from './media-item.ts';
import type { MediaStore } from './media-state.ts';
import type { QueueFiles } from './queue-files.ts';

/** Creates the functions that show how an upload has ended, and release what it no longer needs. They own no state. */
export function createUploadResults(media: MediaStore, files: QueueFiles, dropPreview: (url: string) => void) {
  return {
    /**
     * Shows an uploaded item. The preview of a photo is removed once the server's version can be displayed.
     */
    markDone({ key, kind }: MediaItem, uploaded: Pick<MediaItem, 'url' | 'view'>): void {
      files.remove(key);
      media.change(key, { state: 'done', progress: 1, isWaiting: false, ...uploaded });
      const item = media.find(key);
      if (kind === 'photo' && item?.view?.status === 'ready' && item.preview !== null) {
        dropPreview(item.preview);
        media.change(key, { preview: null });
      }
      media.showStatus(t(kind === 'photo' ? 'uploaded' : 'videoUploaded'));
    },
    markCancelled(key: string): void {
      files.forget(key);
      media.change(key, { state: 'cancelled', progress: 0, isWaiting: false, problem: t('api.cancelled') });
      media.showStatus(t('api.cancelled'));
    },
    markFailed({ key, kind }: MediaItem, error: unknown): void {
      const problem = t(kind === 'photo' ? 'photoUploadFailed' : 'videoUploadFailed', { message: reasonOf(error) });
      const mayPass = !isPermanentError(error);
      if (!mayPass) files.forget(key);
      media.change(key, { state: 'failed', progress: 0, isWaiting: false, problem, mayPass });
      const hasUploaded = media.state().photos.some((item) => item.state === 'done');
      media.showStatus(kind === 'video' || hasUploaded ? problem : t('photoUploadFailedAll'));
    },
  };
}

/** Returns the text of an error for visitors. */
export function reasonOf(error: unknown): string {
  return messageOf(error, (error instanceof Error && error.message) || t('unknownError'));
}
