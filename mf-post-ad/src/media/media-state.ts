import { UPLOAD_STATUS_LIFETIME_ms } from '@alpenglow/domain/contracts';
import { t } from '../text.ts';
import type { MediaItem } from './media-item.ts';

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

export type MediaStore = ReturnType<typeof createMediaStore>;

/**
 * Owns what a form displays: the photos, the video, and the texts about them. Invariant: the listeners are called after
 * each change.
 */
export function createMediaStore(initial: Media) {
  let state: MediaState = { ...initial, status: null, rejection: null };
  let statusTimer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();

  const set = (next: Partial<MediaState>) => {
    state = { ...state, ...next };
    listeners.forEach((listener) => listener());
  };
  const all = () => (state.video === null ? state.photos : [...state.photos, state.video]);
  /** Applies `changed` to all photos and the video. Removes an item if `changed` returns null for it. */
  const changeAll = (changed: (item: MediaItem) => MediaItem | null) =>
    set({ photos: state.photos.flatMap((item) => changed(item) ?? []), video: state.video && changed(state.video) });
  /** Shows a text about an upload for 3 s. */
  const showStatus = (status: string) => {
    clearTimeout(statusTimer);
    set({ status });
    statusTimer = setTimeout(() => set({ status: null }), UPLOAD_STATUS_LIFETIME_ms);
  };

  return {
    state: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Returns the photos and the video. */
    all,
    find: (key: string) => all().find((item) => item.key === key),
    change: (key: string, changes: Partial<MediaItem>) =>
      changeAll((item) => (item.key === key ? { ...item, ...changes } : item)),
    changeAll,
    /** Adds a photo at a position, or the video. */
    insert(item: MediaItem, index: number): void {
      if (item.kind === 'video') set({ video: item });
      else set({ photos: [...state.photos.slice(0, index), item, ...state.photos.slice(index)] });
    },
    remove: (key: string) => changeAll((item) => (item.key === key ? null : item)),
    setRejection: (rejection: string | null) => set({ rejection }),
    showStatus,
    /** Moves a photo to another position. The photo at the first position is the cover. */
    moveTo(key: string, index: number): void {
      const item = state.photos.find((photo) => photo.key === key);
      if (!item) return;
      const others = state.photos.filter((photo) => photo.key !== key);
      const position = Math.min(others.length, Math.max(0, index));
      set({ photos: [...others.slice(0, position), item, ...others.slice(position)] });
      showStatus(t('photoMoved', { number: position + 1, count: state.photos.length }));
    },

    stop: () => clearTimeout(statusTimer),
  };
}
