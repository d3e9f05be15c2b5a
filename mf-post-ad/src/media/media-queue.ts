import { createChosenFiles } from './chosen-files.ts';
import { isPending } from './media-item.ts';
import { createMediaStore, type Media } from './media-state.ts';
import type { PendingFiles } from './pending-files.ts';
import { createQueueFiles } from './queue-files.ts';
import { createUploadRunner } from './upload-runner.ts';
import { createUploader, type UploaderDependencies } from './uploader.ts';

/** The URLs of the uploaded photos and video of a form. */
export interface MediaUrls {
  readonly photos: readonly string[];
  /** Null if the ad must have no video. Undefined if the upload failed, so that the ad's video stays unchanged. */
  readonly video?: string | null;
  readonly isComplete: boolean;
}

export interface MediaQueueDependencies extends UploaderDependencies {
  readonly preview: (file: File) => string;
  /** Keeps files until their upload ends, so that a reload does not lose them. */
  readonly pending?: PendingFiles | undefined;
}

export type MediaQueue = ReturnType<typeof createMediaQueue>;

const NO_MEDIA: Media = { photos: [], video: null };

/**
 * Creates the queue that uploads a form's photos and video one after another. It owns no state.
 * The modules that it combines own the items, the files and the uploads.
 */
export function createMediaQueue(deps: MediaQueueDependencies, initial: Media = NO_MEDIA) {
  const media = createMediaStore(initial);
  const files = createQueueFiles(media, deps.pending);
  const uploader = createUploader(deps, media, files);
  const runner = createUploadRunner(media, files, uploader.send);
  const chosenFiles = createChosenFiles({
    media,
    files,
    uploader,
    runner,
    preview: deps.preview,
    dropPreview: deps.dropPreview,
    pending: deps.pending,
  });

  return {
    ...chosenFiles,
    state: media.state,
    subscribe: media.subscribe,
    sendBy: uploader.sendBy,
    cancel: uploader.cancel,
    moveTo: media.moveTo,
    progress: runner.progress,
    /** Returns true if an upload is running or waiting. */
    isUploading: runner.isRunning,
    idle: runner.idle,
    /** Cancels all uploads that are running or waiting. */
    cancelAll(): void {
      for (const item of media.all().filter(isPending)) uploader.cancel(item.key);
    },
    retry(key: string): void {
      media.change(key, { state: 'waiting', problem: null });
      files.keep(key);
      runner.start();
    },
    /** Stores the duration of a video, which this browser has determined. */
    measured(key: string, duration_s: number): void {
      if (Number.isFinite(duration_s)) media.change(key, { duration_s });
    },
    /**
     * Uploads all waiting items, and repeats failed uploads that the server has not rejected. An item that still has no
     * URL after this call could not be uploaded.
     */
    async finish(): Promise<void> {
      await runner.idle();
      media.changeAll((item) => (item.state === 'failed' && item.mayPass ? { ...item, state: 'waiting' } : item));
      await runner.run();
    },
    urls: (): MediaUrls => getMediaUrls(media.state()),
    /** Returns true if an upload has failed and can be repeated. */
    hasFailed: (): boolean => media.all().some((item) => item.state === 'failed' && item.mayPass),
    /** Cancels all uploads and releases the memory of the previews. */
    stop(): void {
      runner.stop();
      deps.pending?.close();
      media.stop();
      uploader.abortAll();
      for (const { preview } of media.all()) if (preview !== null) deps.dropPreview(preview);
    },
  };
}

/** Returns the URLs of all photos and videos that have been uploaded. */
export function getMediaUrls({ photos, video }: Media): MediaUrls {
  const isWhole = photos.every(({ url }) => url !== null) && (video === null || video.url !== null);
  return {
    photos: photos.flatMap(({ url }) => url ?? []),
    ...(video === null ? { video: null } : video.url !== null && { video: video.url }),
    isComplete: isWhole,
  };
}
