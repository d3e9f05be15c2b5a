import { draftKeys, draftPrefix } from '@alpenglow/ui';
import { EMPTY, type FormValues } from './form-values.ts';

/** A draft that nobody came back to is deleted. */
export const DRAFT_LIFETIME_ms = 7 * 24 * 60 * 60_000;
/** The server removes uploads that no ad shows after a day; an hour is left for sending the form. */
export const DRAFT_MEDIA_LIFETIME_ms = 23 * 60 * 60_000;

/** What was written but not sent. Of photos and video only addresses of what the server has: nothing of the files themselves. */
export interface DraftContent {
  readonly values: FormValues;
  /** In order. */
  readonly photos: readonly string[];
  readonly video: string | null;
}

export interface Draft extends DraftContent {
  readonly savedAt_ms: number;
  /** The state of the ad that was being changed; null for a new one. */
  readonly revision: string | null;
  /** Whether uploads were too old to be kept by the server. */
  readonly hasLostMedia: boolean;
}

interface Kept extends DraftContent {
  readonly savedAt_ms: number;
  /** When the first of its uploads was kept. */
  readonly mediaSince_ms: number;
  readonly revision: string | null;
}

export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;
export type DraftStore = ReturnType<typeof createDraftStore>;

export interface DraftOptions {
  readonly storage: DraftStorage;
  /** The user's id; null is a guest, whose draft is taken over by whoever signs in next. A user's draft is nobody else's. */
  readonly viewer: string | null;
  /** The ad that is being changed; null for a new one. */
  readonly adId: string | null;
  readonly now_ms?: () => number;
}

/** Keeps one form's draft in this browser, so that a reload, a closed tab or a login in between loses nothing. */
export function createDraftStore({ storage, viewer, adId, now_ms = Date.now }: DraftOptions) {
  const name = adId === null ? 'new' : `edit.${adId}`;
  const key = draftPrefix(viewer) + name;
  const guestKey = draftPrefix(null) + name;

  function read(at: string): Kept | null {
    const kept = parse(storage.getItem(at));
    return kept && now_ms() - kept.savedAt_ms < DRAFT_LIFETIME_ms ? kept : null;
  }

  function takeOver(): void {
    const guests = viewer === null || adId !== null ? null : read(guestKey);
    if (!guests) return;
    storage.removeItem(guestKey);
    if (guests.savedAt_ms > (read(key)?.savedAt_ms ?? 0)) storage.setItem(key, JSON.stringify(guests));
  }

  /** Drafts of anybody that are too old, or make no sense, go when the next form is opened. */
  function removeExpired(): void {
    for (const one of draftKeys(storage)) if (!read(one)) storage.removeItem(one);
  }

  return {
    load(): Draft | null {
      try {
        removeExpired();
        takeOver();
      } catch {
        // Storage that is refused has no draft.
      }
      const kept = read(key);
      if (!kept) return null;
      const { values, photos, video, savedAt_ms, revision, mediaSince_ms } = kept;
      const hasLostMedia = now_ms() - mediaSince_ms >= DRAFT_MEDIA_LIFETIME_ms && (photos.length > 0 || video !== null);
      return { values, photos, video, savedAt_ms, revision, hasLostMedia };
    },

    /** Whether it could be kept: storage that is full or refused costs the draft, not the form. */
    save(content: DraftContent, revision: string | null = null): boolean {
      try {
        const before = read(key);
        const isSameMedia = [...content.photos, content.video].some(
          (url) => url !== null && before !== null && [...before.photos, before.video].includes(url),
        );
        const kept: Kept = {
          ...content,
          revision,
          savedAt_ms: now_ms(),
          mediaSince_ms: isSameMedia && before ? before.mediaSince_ms : now_ms(),
        };
        storage.setItem(key, JSON.stringify(kept));
        return true;
      } catch {
        return false;
      }
    },

    clear(): void {
      storage.removeItem(key);
    },
  };
}

/** Whatever another version, or a hand, left there: only what fits is taken. */
function parse(text: string | null): Kept | null {
  try {
    const { values, photos, video, savedAt_ms, mediaSince_ms, revision } = JSON.parse(text ?? 'null') as Partial<
      Record<keyof Kept, unknown>
    >;
    if (typeof values !== 'object' || values === null || typeof savedAt_ms !== 'number') return null;
    return {
      values: textsIn(EMPTY, values as Readonly<Record<string, unknown>>),
      photos: Array.isArray(photos) ? photos.filter((url) => typeof url === 'string') : [],
      video: textOrNull(video),
      savedAt_ms,
      mediaSince_ms: typeof mediaSince_ms === 'number' ? mediaSince_ms : savedAt_ms,
      revision: textOrNull(revision),
    };
  } catch {
    return null;
  }
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);

/** `blank`, with those of its texts that are kept. */
function textsIn<Texts extends object>(blank: Texts, kept: Readonly<Record<string, unknown>>): Texts {
  const filled = Object.entries(blank).map(([field, value]) => {
    const found = kept[field];
    if (typeof value === 'string') return [field, typeof found === 'string' ? found : value];
    return [
      field,
      textsIn(value as object, typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {}),
    ];
  });
  return Object.fromEntries(filled) as Texts;
}
