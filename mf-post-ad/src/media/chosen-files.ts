import { MAX_PHOTOS } from '@alpenglow/domain/contracts';
import { t } from '../text.ts';
import { findFileError, getMediaKind } from './media-file.ts';
import { createItem, isPending, type MediaItem, type MediaKind } from './media-item.ts';
import type { MediaState, MediaStore } from './media-state.ts';
import type { PendingFiles } from './pending-files.ts';
import type { QueueFiles } from './queue-files.ts';
import type { UploadRunner } from './upload-runner.ts';
import type { Uploader } from './uploader.ts';

interface ChosenFilesOptions {
  readonly media: MediaStore;
  readonly files: QueueFiles;
  readonly uploader: Pick<Uploader, 'abort' | 'canSend'>;
  readonly runner: Pick<UploadRunner, 'isStopped' | 'run' | 'start'>;
  readonly preview: (file: File) => string;
  readonly dropPreview: (url: string) => void;
  readonly pending: PendingFiles | undefined;
}

/**
 * Creates the functions that add files to the form and remove them. They own the keys of new items, and whether the
 * stored files were restored.
 */
export function createChosenFiles(options: ChosenFilesOptions) {
  const { media, files, uploader, runner, preview, dropPreview, pending } = options;
  let nextKey = 1;
  let isRestored = false;

  const findRejection = (kind: MediaKind, file: File) => rejectionOf(kind, file, media.state(), uploader.canSend());
  const createNewItem = (kind: MediaKind, file: File) => createItem(`new-${nextKey++}`, kind, file.name, preview(file));
  const release = ({ key, preview: url }: MediaItem) => {
    if (url !== null) dropPreview(url);
    files.remove(key);
  };

  return {
    /**
     * Adds files and shows why invalid files are rejected. `kind` is the accepted kind of file, or null if photos and
     * videos are accepted.
     */
    add(chosen: readonly File[], kind: MediaKind | null = null): void {
      const rejections = new Set<string>();
      for (const file of chosen) {
        const fileKind = kind ?? getMediaKind(file);
        const rejection = findRejection(fileKind, file);
        if (rejection !== null) rejections.add(rejection);
        else {
          const { photos, video } = media.state();
          if (fileKind === 'video' && video) release(video);
          const item = createNewItem(fileKind, file);
          files.add(item.key, file);
          media.insert(item, photos.length);
          files.keep(item.key);
        }
      }
      if (media.all().some(({ state }) => state === 'waiting')) runner.start();
      media.setRejection(rejections.size > 0 ? [...rejections].join(' ') : null);
    },
    /** Adds the files whose upload has not ended before a reload, and uploads them again. */
    async restore(): Promise<void> {
      if (isRestored || !pending) return;
      isRestored = true;
      const stored = await pending.load();
      // Without a session, the files stay stored for the next time.
      if (runner.isStopped() || !uploader.canSend()) return;
      const known = files.storedIds();
      for (const found of stored) {
        const { id, kind, file, index } = found;
        if (known.has(id)) continue;
        if (findRejection(kind, file) !== null) {
          pending.remove(id);
          continue;
        }
        const item = createNewItem(kind, file);
        files.addStored(item.key, found);
        media.insert(item, Math.min(index, media.state().photos.length));
      }
      await runner.run();
    },
    remove(key: string): void {
      const item = media.find(key);
      if (!item) return;
      release(item);
      media.setRejection(null);
      media.remove(key);
      uploader.abort(key);
    },
  };
}

/** Returns the reason why a file cannot be added, or null. */
function rejectionOf(kind: MediaKind, file: File, { photos, video }: MediaState, canSend: boolean): string | null {
  if (!canSend) return t(kind === 'photo' ? 'loginToUpload' : 'loginToUploadVideo');
  const fileError = findFileError(kind, file);
  if (fileError !== null) return fileError;
  if (kind === 'photo') return photos.length >= MAX_PHOTOS ? t('tooManyPhotos') : null;
  // The form accepts one video. A failed or canceled video can be replaced.
  return video && (isPending(video) || video.state === 'done') ? t('oneVideo') : null;
}
