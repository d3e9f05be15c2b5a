import { MAX_PHOTOS, UPLOAD_RETRY_WAITS_ms, UPLOAD_STATUS_LIFETIME_ms, type PhotoView, type UploadAnswer } from '@alpenglow/domain/contracts';
import { fill, isApiError, postAdMessages as text, type UploadOptions } from '@alpenglow/ui';
import { photoFault } from './photo-file.ts';
import { withRetries } from './with-retries.ts';

/** One photo of the form (specification, section 3, "Uploaded media item"). */
export interface PhotoItem {
  readonly key: string;
  readonly name: string;
  /** Where the server keeps it; null until it is sent. */
  readonly url: string | null;
  /** As the server knows it; null for a photo chosen just now. */
  readonly photo: PhotoView | null;
  /** A local preview, as an object URL. */
  readonly preview: string | null;
  /** It was on the ad before. */
  readonly isExisting: boolean;
  readonly state: 'waiting' | 'uploading' | 'done' | 'failed';
  /** Share sent, from 0 to 1. */
  readonly progress: number;
  /** Why it failed, in words; null otherwise. */
  readonly problem: string | null;
}

export interface PhotosState {
  readonly items: readonly PhotoItem[];
  /** Said once, gone after 3 s. */
  readonly status: string | null;
}

export type Upload = (file: File, options: UploadOptions) => Promise<UploadAnswer>;

export interface PhotoQueueDependencies {
  /** Makes a file ready to be sent, e.g. smaller. */
  readonly prepare: (file: File) => Promise<File>;
  readonly preview: (file: File) => string;
  readonly dropPreview: (url: string) => void;
  readonly wait: (time_ms: number) => Promise<void>;
}

export type PhotoQueue = ReturnType<typeof createPhotoQueue>;

/** The photos of one form: chosen, ordered, sent one after another (specification, section 4, "Upload flow"). */
export function createPhotoQueue(deps: PhotoQueueDependencies, initial: readonly PhotoItem[] = []) {
  let state: PhotosState = { items: initial, status: null };
  let upload: Upload | null = null;
  let running: Promise<void> | null = null;
  let statusTimer: ReturnType<typeof setTimeout> | undefined;
  let nextKey = 1;
  const files = new Map<string, File>();
  const senders = new Map<string, AbortController>();
  const listeners = new Set<() => void>();

  const set = (next: Partial<PhotosState>) => {
    state = { ...state, ...next };
    listeners.forEach((listener) => listener());
  };
  const change = (key: string, changes: Partial<PhotoItem>) => set({ items: state.items.map((item) => (item.key === key ? { ...item, ...changes } : item)) });
  const itemOf = (key: string) => state.items.find((item) => item.key === key);

  const say = (status: string) => {
    clearTimeout(statusTimer);
    set({ status });
    statusTimer = setTimeout(() => set({ status: null }), UPLOAD_STATUS_LIFETIME_ms);
  };

  async function attempt(key: string, file: File, signal: AbortSignal): Promise<string> {
    if (!upload) throw new Error(text.loginToUpload);
    const { urls } = await upload(file, { signal, onProgress: (progress) => change(key, { progress }) });
    const url = urls[0];
    if (!url) throw new Error(text.noUrl);
    return url;
  }

  async function send(key: string): Promise<void> {
    const file = files.get(key);
    if (!file) return;
    const sender = new AbortController();
    senders.set(key, sender);
    change(key, { state: 'uploading', progress: 0, problem: null });
    say(text.uploading);
    try {
      const ready = await deps.prepare(file);
      const url = await withRetries(() => attempt(key, ready, sender.signal), {
        waits_ms: UPLOAD_RETRY_WAITS_ms,
        wait: deps.wait,
        onRetry: (number, error, wait_ms) => say(fill(text.uploadRetry, { n: number, message: reasonOf(error), s: wait_ms / 1000 })),
      });
      files.delete(key);
      change(key, { state: 'done', progress: 1, url });
      say(text.uploaded);
    } catch (error) {
      // A photo that was taken away while it was being sent has no problem to tell of.
      if (itemOf(key)) {
        const problem = fill(text.photoUploadFailed, { message: reasonOf(error) });
        change(key, { state: 'failed', problem });
        say(state.items.some((item) => item.state === 'done') ? problem : text.photoUploadFailedAll);
      }
    } finally {
      senders.delete(key);
    }
  }

  /** Sends what waits, one after another: uploads cannot overlap. */
  function run(): Promise<void> {
    running ??= (async () => {
      for (let next = nextWaiting(); next; next = nextWaiting()) await send(next.key);
    })().finally(() => {
      running = null;
    });
    return running;
  }
  const nextWaiting = () => state.items.find((item) => item.state === 'waiting');

  return {
    state: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    /** Says how to send as whoever the visitor is now; null while nobody is signed in. */
    sendBy(how: Upload | null): void {
      upload = how;
    },

    /** Takes in files, refusing each that breaks a rule with the rule's words. */
    add(chosen: readonly File[]): void {
      if (!upload) {
        say(text.loginToUpload);
        return;
      }
      const faults = new Set<string>();
      const added: PhotoItem[] = [];
      for (const file of chosen) {
        const fault = photoFault(file) ?? (state.items.length + added.length >= MAX_PHOTOS ? text.tooManyPhotos : null);
        if (fault !== null) {
          faults.add(fault);
          continue;
        }
        const key = `new-${nextKey++}`;
        files.set(key, file);
        added.push({ key, name: file.name, url: null, photo: null, preview: deps.preview(file), isExisting: false, state: 'waiting', progress: 0, problem: null });
      }
      if (added.length > 0) {
        set({ items: [...state.items, ...added] });
        void run();
      }
      if (faults.size > 0) say([...faults].join(' '));
    },

    remove(key: string): void {
      const item = itemOf(key);
      if (!item) return;
      if (item.preview !== null) deps.dropPreview(item.preview);
      files.delete(key);
      set({ items: state.items.filter((one) => one.key !== key) });
      senders.get(key)?.abort();
    },

    /** Puts a photo at another place; the first one is the cover. */
    moveTo(key: string, index: number): void {
      const item = itemOf(key);
      if (!item) return;
      const others = state.items.filter((one) => one.key !== key);
      const at = Math.min(others.length, Math.max(0, index));
      set({ items: [...others.slice(0, at), item, ...others.slice(at)] });
    },

    retry(key: string): void {
      change(key, { state: 'waiting', problem: null });
      void run();
    },

    /** Sends what is not sent yet, failed ones once more. Afterwards whatever has no URL could not be sent. */
    async finish(): Promise<void> {
      await running;
      set({ items: state.items.map((item) => (item.state === 'failed' ? { ...item, state: 'waiting' as const } : item)) });
      await run();
    },

    /** Lets go of previews and of what is being sent. */
    stop(): void {
      clearTimeout(statusTimer);
      senders.forEach((sender) => sender.abort());
      for (const { preview } of state.items) if (preview !== null) deps.dropPreview(preview);
    },
  };
}

function reasonOf(error: unknown): string {
  return (isApiError(error) || error instanceof Error) && error.message !== '' ? error.message : text.unknownError;
}

/** Photos that are at the server already, as items of the form. */
export function itemsOf(media: readonly PhotoView[], isExisting: boolean): readonly PhotoItem[] {
  return media.map((photo) => ({ key: photo.id, name: photo.id, url: photo.url, photo, preview: null, isExisting, state: 'done', progress: 1, problem: null }));
}
