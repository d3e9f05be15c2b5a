import {
  UPLOAD_CONNECTION_WAITS_ms,
  UPLOAD_RETRY_WAITS_ms,
  type PhotoView,
  type VideoView,
} from '@alpenglow/domain/contracts';
import { ApiError, withRetries, type ResumableOptions, type Uploads } from '@alpenglow/ui';
import { t } from '../text.ts';
import type { MediaItem, MediaKind } from './media-item.ts';
import type { MediaStore } from './media-state.ts';
import type { QueueFiles } from './queue-files.ts';
import { createUploadResults, reasonOf } from './upload-results.ts';

/** The functions that an upload calls. */
export interface UploaderDependencies {
  /** Returns false if this browser no longer stores the session. Uploads are then rejected. */
  readonly hasStoredSession?: (() => boolean) | undefined;
  /** Prepares a photo for the upload, for example by reducing its size. */
  readonly prepare: (file: File, signal: AbortSignal) => Promise<File>;
  readonly dropPreview: (url: string) => void;
  readonly wait: (time_ms: number, signal: AbortSignal) => Promise<void>;
}

interface UploadResult {
  readonly url: string;
  readonly view: PhotoView | VideoView | null;
}

export type Uploader = ReturnType<typeof createUploader>;

/**
 * Creates the upload of single items. Owns the functions that upload files for the current user, and the controllers
 * that cancel running uploads.
 */
export function createUploader(deps: UploaderDependencies, media: MediaStore, files: QueueFiles) {
  const { hasStoredSession = () => true } = deps;
  let uploads: Uploads | null = null;
  const abortControllers = new Map<string, AbortController>();
  const results = createUploadResults(media, files, deps.dropPreview);

  async function attempt({ key, kind }: MediaItem, file: File, signal: AbortSignal): Promise<UploadResult> {
    if (!uploads || !hasStoredSession())
      throw new ApiError(t(kind === 'photo' ? 'loginToUpload' : 'loginToUploadVideo'), { status: 0, code: 'NO_TOKEN' });
    const options: ResumableOptions = {
      signal,
      onProgress: (progress) => media.change(key, { progress, isWaiting: false }),
      uploadId: files.uploadId(key),
      onUploadId(uploadId) {
        // The item may have been removed in the meantime.
        if (media.find(key)) files.recordUpload(key, uploadId, file);
      },
    };
    return sendFile(uploads, kind, file, options);
  }

  async function send(item: MediaItem, file: File): Promise<void> {
    const { key, kind } = item;
    const abortController = new AbortController();
    const { signal } = abortController;
    abortControllers.set(key, abortController);
    media.change(key, { state: 'uploading', progress: 0, problem: null });
    media.showStatus(t('uploading'));
    try {
      const isPrepared = kind === 'video' || files.uploadId(key) !== null;
      const ready = isPrepared ? file : await deps.prepare(file, signal);
      const sent = await withRetries(() => attempt(item, ready, signal), {
        waits_ms: UPLOAD_RETRY_WAITS_ms,
        connectionWaits_ms: UPLOAD_CONNECTION_WAITS_ms,
        getProgress: () => media.find(key)?.progress ?? 0,
        wait: (time_ms) => deps.wait(time_ms, signal),
        onRetry(number, error, wait_ms) {
          media.change(key, { progress: 0, isWaiting: false });
          media.showStatus(t('uploadRetry', { n: number, message: reasonOf(error), s: wait_ms / 1000 }));
        },
        onDisconnected() {
          media.change(key, { isWaiting: true });
          media.showStatus(t('waitingForConnection'));
        },
      });
      results.markDone(item, sent);
    } catch (error) {
      // The item was removed during its upload, so no error is shown.
      if (!media.find(key)) return;
      if (signal.aborted) results.markCancelled(key);
      else results.markFailed(item, error);
    } finally {
      abortControllers.delete(key);
    }
  }

  return {
    send,
    /** Sets the functions that upload files for the current user. They are null while the visitor is signed out. */
    sendBy(newUploads: Uploads | null): void {
      // The text "please log in" is outdated after a login.
      if (newUploads && !uploads) media.setRejection(null);
      uploads = newUploads;
    },
    canSend: (): boolean => uploads !== null && hasStoredSession(),
    /**
     * Cancels the upload of an item. The item may be uploading, waiting in the queue or waiting for a retry. The
     * visitor can upload it again later.
     */
    cancel(key: string): void {
      const abortController = abortControllers.get(key);
      if (abortController) abortController.abort();
      else if (media.find(key)?.state === 'waiting') results.markCancelled(key);
    },
    /** Ends the upload of an item that was removed. */
    abort: (key: string) => abortControllers.get(key)?.abort(),
    abortAll: () => abortControllers.forEach((abortController) => abortController.abort()),
  };
}

/** Sends a file to the server. Returns its URL there. */
async function sendFile(
  uploads: Uploads,
  kind: MediaKind,
  file: File,
  options: ResumableOptions,
): Promise<UploadResult> {
  if (kind === 'video') {
    const { url, media: view } = await uploads.video(file, options);
    if (!url) throw new Error(t('noVideoUrl'));
    return { url, view: view ?? null };
  }
  const { urls, media: view } = await uploads.photo(file, options);
  const url = urls?.[0];
  if (!url) throw new Error(t('noUrl'));
  return { url, view: view?.[0] ?? null };
}
