import {
  MAX_PHOTOS,
  UPLOAD_RETRY_WAITS_ms,
  UPLOAD_STATUS_LIFETIME_ms,
  type PhotoView,
  type UploadAnswer,
  type VideoUploadAnswer,
  type VideoView,
} from '@alpenglow/domain/contracts';
import { ApiError, isApiError, type UploadOptions } from '@alpenglow/ui';
import { t } from '../text.ts';
import { faultOf, kindOf } from './media-file.ts';
import { chosenItem, isUnderWay, type MediaItem, type MediaKind } from './media-item.ts';
import { isFinal, withRetries } from './with-retries.ts';

export interface Media {
  /** In order; the first one is the cover. */
  readonly photos: readonly MediaItem[];
  readonly video: MediaItem | null;
}

export interface MediaState extends Media {
  /** Said once, gone after 3 s. */
  readonly status: string | null;
}

/** What of a form's media goes into the ad. */
export interface MediaUrls {
  readonly photos: readonly string[];
  /** Null: the ad has none. Absent: there is one that could not be sent, and nothing is said of it. */
  readonly video?: string | null;
  /** Whether everything chosen is in it. */
  readonly isWhole: boolean;
}

/** The calls that send a file. */
export interface Uploads {
  readonly photo: (file: File, options: UploadOptions) => Promise<UploadAnswer>;
  readonly video: (file: File, options: UploadOptions) => Promise<VideoUploadAnswer>;
}

export interface MediaQueueDependencies {
  /** Makes a photo ready to be sent, e.g. smaller. */
  readonly prepare: (file: File, signal: AbortSignal) => Promise<File>;
  readonly preview: (file: File) => string;
  readonly dropPreview: (url: string) => void;
  readonly wait: (time_ms: number, signal: AbortSignal) => Promise<void>;
}

interface Sent {
  readonly url: string;
  readonly view: PhotoView | VideoView | null;
}

export type MediaQueue = ReturnType<typeof createMediaQueue>;

const NOTHING: Media = { photos: [], video: null };

/** The photos and the video of one form: chosen, ordered, sent one after another (specification, section 4, "Upload flow"). */
export function createMediaQueue(deps: MediaQueueDependencies, initial: Media = NOTHING) {
  let state: MediaState = { ...initial, status: null };
  let uploads: Uploads | null = null;
  let running: Promise<void> | null = null;
  let statusTimer: ReturnType<typeof setTimeout> | undefined;
  let nextKey = 1;
  const files = new Map<string, File>();
  const senders = new Map<string, AbortController>();
  const listeners = new Set<() => void>();

  const set = (next: Partial<MediaState>) => {
    state = { ...state, ...next };
    listeners.forEach((listener) => listener());
  };
  const all = () => (state.video === null ? state.photos : [...state.photos, state.video]);
  const itemOf = (key: string) => all().find((item) => item.key === key);
  /** Applies changes to items; null takes one away. */
  const changeAll = (changed: (item: MediaItem) => MediaItem | null) =>
    set({ photos: state.photos.flatMap((item) => changed(item) ?? []), video: state.video && changed(state.video) });
  const change = (key: string, changes: Partial<MediaItem>) =>
    changeAll((item) => (item.key === key ? { ...item, ...changes } : item));

  const say = (status: string) => {
    clearTimeout(statusTimer);
    set({ status });
    statusTimer = setTimeout(() => set({ status: null }), UPLOAD_STATUS_LIFETIME_ms);
  };

  async function attempt({ key, kind }: MediaItem, file: File, signal: AbortSignal): Promise<Sent> {
    if (!uploads)
      throw new ApiError(t(kind === 'photo' ? 'loginToUpload' : 'loginToUploadVideo'), { status: 0, code: 'NO_TOKEN' });
    const options: UploadOptions = { signal, onProgress: (progress) => change(key, { progress }) };
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
    const sender = new AbortController();
    const { signal } = sender;
    senders.set(key, sender);
    change(key, { state: 'uploading', progress: 0, problem: null });
    say(t('uploading'));
    try {
      const ready = kind === 'photo' ? await deps.prepare(file, signal) : file;
      const sent = await withRetries(() => attempt(item, ready, signal), {
        waits_ms: UPLOAD_RETRY_WAITS_ms,
        wait: (time_ms) => deps.wait(time_ms, signal),
        onRetry(number, error, wait_ms) {
          change(key, { progress: 0 });
          say(t('uploadRetry', { n: number, message: reasonOf(error), s: wait_ms / 1000 }));
        },
      });
      files.delete(key);
      change(key, { state: 'done', progress: 1, ...sent });
      replacePreview(key);
      say(t(kind === 'photo' ? 'uploaded' : 'videoUploaded'));
    } catch (error) {
      // What was taken away while it was being sent has no problem to tell of.
      if (!itemOf(key)) return;
      if (signal.aborted) tellCancelled(key);
      else tellFailed(item, error);
    } finally {
      senders.delete(key);
    }
  }

  /** The temporary preview of a photo gives way to what the server keeps, once that can be shown (specification, section 4, "Upload flow"). */
  function replacePreview(key: string): void {
    const item = itemOf(key);
    if (item?.kind !== 'photo' || item.view?.status !== 'ready' || item.preview === null) return;
    deps.dropPreview(item.preview);
    change(key, { preview: null });
  }

  function tellCancelled(key: string): void {
    change(key, { state: 'cancelled', progress: 0, problem: t('api.cancelled') });
    say(t('api.cancelled'));
  }

  function tellFailed({ key, kind }: MediaItem, error: unknown): void {
    const problem = t(kind === 'photo' ? 'photoUploadFailed' : 'videoUploadFailed', { message: reasonOf(error) });
    change(key, { state: 'failed', progress: 0, problem, mayPass: !isFinal(error) });
    say(kind === 'video' || state.photos.some((item) => item.state === 'done') ? problem : t('photoUploadFailedAll'));
  }

  /** Sends what waits, one after another: uploads cannot overlap. */
  function run(): Promise<void> {
    running ??= (async () => {
      for (let next = nextWaiting(); next; next = nextWaiting()) await send(...next);
    })().finally(() => {
      running = null;
    });
    return running;
  }
  function nextWaiting(): [MediaItem, File] | null {
    for (const item of all()) {
      const file = item.state === 'waiting' ? files.get(item.key) : undefined;
      if (file) return [item, file];
    }
    return null;
  }

  function takeIn(kind: MediaKind, file: File): MediaItem {
    const key = `new-${nextKey++}`;
    files.set(key, file);
    return chosenItem(key, kind, file.name, deps.preview(file));
  }

  /** Why a file is not taken in, in words; null when it is. */
  function refusalOf(kind: MediaKind, file: File, photos: number): string | null {
    if (!uploads) return t(kind === 'photo' ? 'loginToUpload' : 'loginToUploadVideo');
    const fault = faultOf(kind, file);
    if (fault !== null) return fault;
    if (kind === 'photo') return photos >= MAX_PHOTOS ? t('tooManyPhotos') : null;
    // One that failed or was cancelled makes room for another.
    const { video } = state;
    return video && (isUnderWay(video) || video.state === 'done') ? t('oneVideo') : null;
  }

  const letGo = ({ key, preview }: MediaItem) => {
    if (preview !== null) deps.dropPreview(preview);
    files.delete(key);
  };

  return {
    state: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    /** Says how to send as whoever the visitor is now; null while nobody is signed in. */
    sendBy(how: Uploads | null): void {
      uploads = how;
    },

    /** Takes in files, refusing each that breaks a rule with the rule's words. `kind` is what was asked for; null: both were. */
    add(chosen: readonly File[], kind: MediaKind | null = null): void {
      const refusals = new Set<string>();
      for (const file of chosen) {
        const as = kind ?? kindOf(file);
        const refusal = refusalOf(as, file, state.photos.length);
        if (refusal !== null) refusals.add(refusal);
        else if (as === 'photo') set({ photos: [...state.photos, takeIn(as, file)] });
        else {
          if (state.video) letGo(state.video);
          set({ video: takeIn(as, file) });
        }
      }
      if (all().some(({ state: at }) => at === 'waiting')) {
        if (running) say(t('uploading'));
        void run();
      }
      if (refusals.size > 0) say([...refusals].join(' '));
    },

    remove(key: string): void {
      const item = itemOf(key);
      if (!item) return;
      letGo(item);
      changeAll((one) => (one.key === key ? null : one));
      senders.get(key)?.abort();
    },

    /** Stops sending one, be it under way, waiting for its turn or for its next attempt. It can be tried again. */
    cancel(key: string): void {
      const sender = senders.get(key);
      if (sender) sender.abort();
      else if (itemOf(key)?.state === 'waiting') tellCancelled(key);
    },

    /** Puts a photo at another place; the first one is the cover. */
    moveTo(key: string, index: number): void {
      const item = state.photos.find((one) => one.key === key);
      if (!item) return;
      const others = state.photos.filter((one) => one.key !== key);
      const at = Math.min(others.length, Math.max(0, index));
      set({ photos: [...others.slice(0, at), item, ...others.slice(at)] });
      say(t('photoMoved', { number: at + 1, count: state.photos.length }));
    },

    retry(key: string): void {
      change(key, { state: 'waiting', problem: null });
      if (running) say(t('uploading'));
      void run();
    },

    /** This browser has read how long a video is. */
    measured(key: string, duration_s: number): void {
      if (Number.isFinite(duration_s)) change(key, { duration_s });
    },

    /** Sends what is not sent yet, failed ones that may pass once more. Afterwards whatever has no URL could not be sent. */
    async finish(): Promise<void> {
      await running;
      changeAll((item) => (item.state === 'failed' && item.mayPass ? { ...item, state: 'waiting' } : item));
      await run();
    },

    urls: (): MediaUrls => urlsOf(state),

    /** Lets go of previews and of what is being sent. */
    stop(): void {
      clearTimeout(statusTimer);
      senders.forEach((sender) => sender.abort());
      for (const { preview } of all()) if (preview !== null) deps.dropPreview(preview);
    },
  };
}

function reasonOf(error: unknown): string {
  return (isApiError(error) || error instanceof Error) && error.message !== '' ? error.message : t('unknownError');
}

/** What was sent of a form's media. */
export function urlsOf({ photos, video }: Media): MediaUrls {
  const isWhole = photos.every(({ url }) => url !== null) && (video === null || video.url !== null);
  return {
    photos: photos.flatMap(({ url }) => url ?? []),
    ...(video === null ? { video: null } : video.url !== null && { video: video.url }),
    isWhole,
  };
}
