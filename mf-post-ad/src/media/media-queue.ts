import {
  MAX_PHOTOS,
  UPLOAD_CONNECTION_WAITS_ms,
  UPLOAD_RETRY_WAITS_ms,
  UPLOAD_STATUS_LIFETIME_ms,
  type PhotoView,
  type VideoView,
} from '@alpenglow/domain/contracts';
import {
  ApiError,
  isApiError,
  isPermanentError,
  withRetries,
  type ResumableOptions,
  type Uploads,
} from '@alpenglow/ui';
import { t } from '../text.ts';
import { findFileError, getMediaKind } from './media-file.ts';
import { createItem, isPending, type MediaItem, type MediaKind } from './media-item.ts';
import type { PendingFiles } from './pending-files.ts';

export interface Media {
  /** The photos in the order of the ad. The first photo is the cover of the ad. */
  readonly photos: readonly MediaItem[];
  readonly video: MediaItem | null;
}

export interface MediaState extends Media {
  /** A text about the latest upload. It disappears after 3 s. */
  readonly status: string | null;
  /** The reasons why chosen files were not added. The text stays until the visitor adds or removes a file. */
  readonly rejection: string | null;
}

/** The URLs of the uploaded photos and video of a form. */
export interface MediaUrls {
  readonly photos: readonly string[];
  /** Null if the ad must have no video. Undefined if the upload failed, so that the ad's video stays unchanged. */
  readonly video?: string | null;
  readonly isComplete: boolean;
}

export interface MediaQueueDependencies {
  /** Returns false if this browser no longer stores the session. Uploads are then rejected. */
  readonly hasStoredSession?: (() => boolean) | undefined;
  /** Prepares a photo for the upload, for example by reducing its size. */
  readonly prepare: (file: File, signal: AbortSignal) => Promise<File>;
  readonly preview: (file: File) => string;
  readonly dropPreview: (url: string) => void;
  readonly wait: (time_ms: number, signal: AbortSignal) => Promise<void>;
  /** Keeps files until their upload ends, so that a reload does not lose them. */
  readonly pending?: PendingFiles | undefined;
}

/** The progress of all uploads of a queue. */
interface QueueProgress {
  /** Number of files whose upload has not ended. */
  readonly files: number;
  /** The uploaded fraction, from 0 to 1, of the files that the queue has uploaded since it was last idle. */
  readonly share: number;
  /** True while the running upload waits until the server can be reached again. */
  readonly isWaiting: boolean;
}

interface UploadResult {
  readonly url: string;
  readonly view: PhotoView | VideoView | null;
}

export type MediaQueue = ReturnType<typeof createMediaQueue>;

const NO_MEDIA: Media = { photos: [], video: null };

/** Creates the queue that uploads a form's photos and video one after another. */
export function createMediaQueue(deps: MediaQueueDependencies, initial: Media = NO_MEDIA) {
  let state: MediaState = { ...initial, status: null, rejection: null };
  let uploads: Uploads | null = null;
  const { hasStoredSession = () => true } = deps;
  let running: Promise<void> | null = null;
  let statusTimer: ReturnType<typeof setTimeout> | undefined;
  let nextKey = 1;
  const files = new Map<string, File>();
  /** The ids of stored files by the key of their item. */
  const pendingIds = new Map<string, string>();
  /** The ids of uploads that have begun on the server and can be resumed, by the key of their item. */
  const uploadIds = new Map<string, string>();
  let isRestored = false;
  let isStopped = false;
  const abortControllers = new Map<string, AbortController>();
  /** The keys of the items whose upload has started since the queue was last idle. */
  const started = new Set<string>();
  const listeners = new Set<() => void>();

  const set = (next: Partial<MediaState>) => {
    state = { ...state, ...next };
    listeners.forEach((listener) => listener());
  };
  const all = () => (state.video === null ? state.photos : [...state.photos, state.video]);
  const itemOf = (key: string) => all().find((item) => item.key === key);
  /** Applies `changed` to all photos and the video. Removes an item if `changed` returns null for it. */
  const changeAll = (changed: (item: MediaItem) => MediaItem | null) =>
    set({ photos: state.photos.flatMap((item) => changed(item) ?? []), video: state.video && changed(state.video) });
  const change = (key: string, changes: Partial<MediaItem>) =>
    changeAll((item) => (item.key === key ? { ...item, ...changes } : item));

  const showStatus = (status: string) => {
    clearTimeout(statusTimer);
    set({ status });
    statusTimer = setTimeout(() => set({ status: null }), UPLOAD_STATUS_LIFETIME_ms);
  };

  async function attempt({ key, kind }: MediaItem, file: File, signal: AbortSignal): Promise<UploadResult> {
    if (!uploads || !hasStoredSession())
      throw new ApiError(t(kind === 'photo' ? 'loginToUpload' : 'loginToUploadVideo'), { status: 0, code: 'NO_TOKEN' });
    const options: ResumableOptions = {
      signal,
      onProgress: (progress) => change(key, { progress, isWaiting: false }),
      uploadId: uploadIds.get(key) ?? null,
      onUploadId(uploadId) {
        // The item was removed in the meantime.
        if (!itemOf(key)) return;
        if (uploadId === null) uploadIds.delete(key);
        else uploadIds.set(key, uploadId);
        // A resumed upload must send the same bytes, so the prepared photo replaces the chosen one.
        files.set(key, file);
        storePending(key);
      },
    };
    if (kind === 'video') {
      const { url, media } = await uploads.video(file, options);
      if (!url) throw new Error(t('noVideoUrl'));
      return { url, view: media ?? null };
    }
    const { urls, media } = await uploads.photo(file, options);
    const url = urls?.[0];
    if (!url) throw new Error(t('noUrl'));
    return { url, view: media?.[0] ?? null };
  }

  async function send(item: MediaItem, file: File): Promise<void> {
    const { key, kind } = item;
    const abortController = new AbortController();
    const { signal } = abortController;
    abortControllers.set(key, abortController);
    started.add(key);
    change(key, { state: 'uploading', progress: 0, problem: null });
    showStatus(t('uploading'));
    try {
      const isPrepared = kind === 'video' || uploadIds.has(key);
      const ready = isPrepared ? file : await deps.prepare(file, signal);
      const sent = await withRetries(() => attempt(item, ready, signal), {
        waits_ms: UPLOAD_RETRY_WAITS_ms,
        connectionWaits_ms: UPLOAD_CONNECTION_WAITS_ms,
        getProgress: () => itemOf(key)?.progress ?? 0,
        wait: (time_ms) => deps.wait(time_ms, signal),
        onRetry(number, error, wait_ms) {
          change(key, { progress: 0, isWaiting: false });
          showStatus(t('uploadRetry', { n: number, message: reasonOf(error), s: wait_ms / 1000 }));
        },
        onDisconnected() {
          change(key, { isWaiting: true });
          showStatus(t('waitingForConnection'));
        },
      });
      files.delete(key);
      forget(key);
      change(key, { state: 'done', progress: 1, isWaiting: false, ...sent });
      replacePreview(key);
      showStatus(t(kind === 'photo' ? 'uploaded' : 'videoUploaded'));
    } catch (error) {
      // The item was removed during its upload, so no error is shown.
      if (!itemOf(key)) return;
      if (signal.aborted) markCancelled(key);
      else markFailed(item, error);
    } finally {
      abortControllers.delete(key);
    }
  }

  /** Removes the local preview of a photo once the server's version can be displayed. */
  function replacePreview(key: string): void {
    const item = itemOf(key);
    if (item?.kind !== 'photo' || item.view?.status !== 'ready' || item.preview === null) return;
    deps.dropPreview(item.preview);
    change(key, { preview: null });
  }

  function markCancelled(key: string): void {
    forget(key);
    change(key, { state: 'cancelled', progress: 0, isWaiting: false, problem: t('api.cancelled') });
    showStatus(t('api.cancelled'));
  }

  function markFailed({ key, kind }: MediaItem, error: unknown): void {
    const problem = t(kind === 'photo' ? 'photoUploadFailed' : 'videoUploadFailed', { message: reasonOf(error) });
    const mayPass = !isPermanentError(error);
    if (!mayPass) forget(key);
    change(key, { state: 'failed', progress: 0, isWaiting: false, problem, mayPass });
    showStatus(
      kind === 'video' || state.photos.some((item) => item.state === 'done') ? problem : t('photoUploadFailedAll'),
    );
  }

  function cancel(key: string): void {
    const abortController = abortControllers.get(key);
    if (abortController) abortController.abort();
    else if (itemOf(key)?.state === 'waiting') markCancelled(key);
  }

  /** Uploads the waiting items one after another. */
  function run(): Promise<void> {
    running ??= (async () => {
      for (let next = nextWaiting(); next; next = nextWaiting()) await send(...next);
    })().finally(() => {
      started.clear();
      running = null;
    });
    return running;
  }
  function nextWaiting(): [MediaItem, File] | null {
    if (isStopped) return null;
    for (const item of all()) {
      const file = item.state === 'waiting' ? files.get(item.key) : undefined;
      if (file) return [item, file];
    }
    return null;
  }

  function addFile(kind: MediaKind, file: File): MediaItem {
    const key = `new-${nextKey++}`;
    files.set(key, file);
    return createItem(key, kind, file.name, deps.preview(file));
  }

  /** Stores the file of an item until its upload ends. */
  function keep(key: string): void {
    if (pendingIds.has(key)) return;
    // Does not use `randomUUID`, because browsers offer it on secure origins only.
    pendingIds.set(key, `${Date.now()}-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`);
    storePending(key);
  }
  function storePending(key: string): void {
    const item = itemOf(key);
    const file = files.get(key);
    const id = pendingIds.get(key);
    if (!item || !file || id === undefined) return;
    const { kind } = item;
    deps.pending?.save({ id, kind, file, index: state.photos.indexOf(item), uploadId: uploadIds.get(key) ?? null });
  }
  function forget(key: string): void {
    const id = pendingIds.get(key);
    pendingIds.delete(key);
    uploadIds.delete(key);
    if (id !== undefined) deps.pending?.remove(id);
  }
  function place(item: MediaItem, index: number): void {
    if (item.kind === 'video') set({ video: item });
    else set({ photos: [...state.photos.slice(0, index), item, ...state.photos.slice(index)] });
  }

  function rejectionOf(kind: MediaKind, file: File, photos: number): string | null {
    if (!uploads || !hasStoredSession()) return t(kind === 'photo' ? 'loginToUpload' : 'loginToUploadVideo');
    const fileError = findFileError(kind, file);
    if (fileError !== null) return fileError;
    if (kind === 'photo') return photos >= MAX_PHOTOS ? t('tooManyPhotos') : null;
    // The form accepts one video. A failed or canceled video can be replaced.
    const { video } = state;
    return video && (isPending(video) || video.state === 'done') ? t('oneVideo') : null;
  }

  const release = ({ key, preview }: MediaItem) => {
    if (preview !== null) deps.dropPreview(preview);
    files.delete(key);
    forget(key);
  };

  return {
    state: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    /** Sets the functions that upload files for the current user. They are null while the visitor is signed out. */
    sendBy(newUploads: Uploads | null): void {
      // The text "please log in" is outdated after a login.
      if (newUploads && !uploads) set({ rejection: null });
      uploads = newUploads;
    },

    /**
     * Adds files and shows why invalid files are rejected. `kind` is the accepted kind of file, or null if photos and
     * videos are accepted.
     */
    add(chosen: readonly File[], kind: MediaKind | null = null): void {
      const rejections = new Set<string>();
      for (const file of chosen) {
        const fileKind = kind ?? getMediaKind(file);
        const rejection = rejectionOf(fileKind, file, state.photos.length);
        if (rejection !== null) rejections.add(rejection);
        else {
          if (fileKind === 'video' && state.video) release(state.video);
          const item = addFile(fileKind, file);
          place(item, state.photos.length);
          keep(item.key);
        }
      }
      if (all().some(({ state: itemState }) => itemState === 'waiting')) {
        if (running) showStatus(t('uploading'));
        void run();
      }
      set({ rejection: rejections.size > 0 ? [...rejections].join(' ') : null });
    },

    /** Adds the files whose upload has not ended before a reload, and uploads them again. */
    async restore(): Promise<void> {
      if (isRestored || !deps.pending) return;
      isRestored = true;
      const stored = await deps.pending.load();
      // Without a session, the files stay stored for the next time.
      if (isStopped || !uploads || !hasStoredSession()) return;
      const known = new Set(pendingIds.values());
      for (const { id, kind, file, index, uploadId } of stored) {
        if (known.has(id)) continue;
        if (rejectionOf(kind, file, state.photos.length) !== null) {
          deps.pending.remove(id);
          continue;
        }
        const item = addFile(kind, file);
        pendingIds.set(item.key, id);
        if (uploadId !== null) uploadIds.set(item.key, uploadId);
        place(item, Math.min(index, state.photos.length));
      }
      await run();
    },

    remove(key: string): void {
      const item = itemOf(key);
      if (!item) return;
      release(item);
      set({ rejection: null });
      changeAll((other) => (other.key === key ? null : other));
      abortControllers.get(key)?.abort();
    },

    /** Cancels all uploads that are running or waiting. */
    cancelAll(): void {
      for (const item of all().filter(isPending)) cancel(item.key);
    },

    /**
     * Cancels the upload of an item. The item may be uploading, waiting in the queue or waiting for a retry. The
     * visitor can upload it again later.
     */
    cancel,

    /** Moves a photo to another position. The photo at the first position is the cover. */
    moveTo(key: string, index: number): void {
      const item = state.photos.find((photo) => photo.key === key);
      if (!item) return;
      const others = state.photos.filter((photo) => photo.key !== key);
      const position = Math.min(others.length, Math.max(0, index));
      set({ photos: [...others.slice(0, position), item, ...others.slice(position)] });
      showStatus(t('photoMoved', { number: position + 1, count: state.photos.length }));
    },

    retry(key: string): void {
      change(key, { state: 'waiting', problem: null });
      keep(key);
      if (running) showStatus(t('uploading'));
      void run();
    },

    /** Stores the duration of a video, which this browser has determined. */
    measured(key: string, duration_s: number): void {
      if (Number.isFinite(duration_s)) change(key, { duration_s });
    },

    /**
     * Uploads all waiting items, and repeats failed uploads that the server has not rejected. An item that still has no
     * URL after this call could not be uploaded.
     */
    async finish(): Promise<void> {
      await running;
      changeAll((item) => (item.state === 'failed' && item.mayPass ? { ...item, state: 'waiting' } : item));
      await run();
    },

    urls: (): MediaUrls => getMediaUrls(state),

    /** Returns true if an upload has failed and can be repeated. */
    hasFailed: (): boolean => all().some((item) => item.state === 'failed' && item.mayPass),

    progress(): QueueProgress {
      const items = all().filter((item) => isPending(item) || (item.state === 'done' && started.has(item.key)));
      const uploaded = items.reduce((sum, { progress }) => sum + progress, 0);
      return {
        files: items.filter(isPending).length,
        share: items.length === 0 ? 1 : uploaded / items.length,
        isWaiting: items.some((item) => item.isWaiting),
      };
    },

    /** Returns true if an upload is running or waiting. */
    isUploading: (): boolean => running !== null,

    /** Resolves when no upload is running or waiting. */
    idle: (): Promise<void> => running ?? Promise.resolve(),

    /** Cancels all uploads and releases the memory of the previews. */
    stop(): void {
      isStopped = true;
      deps.pending?.close();
      clearTimeout(statusTimer);
      abortControllers.forEach((abortController) => abortController.abort());
      for (const { preview } of all()) if (preview !== null) deps.dropPreview(preview);
    },
  };
}

function reasonOf(error: unknown): string {
  return (isApiError(error) || error instanceof Error) && error.message !== '' ? error.message : t('unknownError');
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
