import { DRAFT_LIFETIME_ms, draftKeys, draftPrefix } from '@alpenglow/ui';
import { EMPTY_VALUES, type FormValues } from './form-values.ts';

/**
 * Lifetime of the uploads in a draft. The server deletes unused uploads after one day. One hour of this day is reserved
 * for sending the form.
 */
export const DRAFT_MEDIA_LIFETIME_ms = 23 * 60 * 60_000;

/** The unsent content of a form. Photos and video are URLs of uploaded files. */
export interface DraftContent {
  readonly values: FormValues;
  readonly photos: readonly string[];
  readonly video: string | null;
}

export interface Draft extends DraftContent {
  readonly savedAt_ms: number;
  /** The revision of the ad that is being edited. It is null for a new ad. */
  readonly revision: string | null;
  readonly hasLostMedia: boolean;
}

interface StoredDraft extends DraftContent {
  readonly savedAt_ms: number;
  readonly mediaSince_ms: number;
  readonly revision: string | null;
}

type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

export interface DraftOptions {
  readonly storage: DraftStorage;
  /**
   * The id of the user, or null for a guest. When a user signs in, the draft of a guest becomes the user's draft. The
   * draft of a user is not available to others.
   */
  readonly viewer: string | null;
  /** The id of the ad that is being edited. It is null for a new ad. */
  readonly adId: string | null;
  readonly now_ms?: () => number;
}

/** Stores the draft of one form in this browser. A reload, a closed tab or a login therefore loses no input. */
export function createDraftStore({ storage, viewer, adId, now_ms = Date.now }: DraftOptions) {
  const name = adId === null ? 'new' : `edit.${adId}`;
  const key = draftPrefix(viewer) + name;
  const guestKey = draftPrefix(null) + name;

  function read(draftKey: string): StoredDraft | null {
    const stored = parse(storage.getItem(draftKey));
    return stored && now_ms() - stored.savedAt_ms < DRAFT_LIFETIME_ms ? stored : null;
  }

  function takeOverGuestDraft(): void {
    const guestDraft = viewer === null || adId !== null ? null : read(guestKey);
    if (!guestDraft) return;
    storage.removeItem(guestKey);
    if (guestDraft.savedAt_ms > (read(key)?.savedAt_ms ?? 0)) storage.setItem(key, JSON.stringify(guestDraft));
  }

  /** Deletes expired and invalid drafts of all users. This happens whenever a form is opened. */
  function removeExpired(): void {
    for (const otherKey of draftKeys(storage)) if (!read(otherKey)) storage.removeItem(otherKey);
  }

  return {
    /** The storage key of the draft. */
    key,

    load(): Draft | null {
      try {
        removeExpired();
        takeOverGuestDraft();
      } catch {
        // The browser denies access to the storage, so there are no drafts to delete or to take over.
      }
      const stored = read(key);
      if (!stored) return null;
      const { values, photos, video, savedAt_ms, revision, mediaSince_ms } = stored;
      const hasLostMedia = now_ms() - mediaSince_ms >= DRAFT_MEDIA_LIFETIME_ms && (photos.length > 0 || video !== null);
      return { values, photos, video, savedAt_ms, revision, hasLostMedia };
    },

    /** Stores the draft. Returns false if the storage is full or denied. */
    save(content: DraftContent, revision: string | null = null): boolean {
      try {
        const before = read(key);
        const isSameMedia = [...content.photos, content.video].some(
          (url) => url !== null && before !== null && [...before.photos, before.video].includes(url),
        );
        const stored: StoredDraft = {
          ...content,
          revision,
          savedAt_ms: now_ms(),
          mediaSince_ms: isSameMedia && before ? before.mediaSince_ms : now_ms(),
        };
        storage.setItem(key, JSON.stringify(stored));
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

/** Parses a stored draft, which may have any content. Replaces invalid parts with empty values. */
function parse(text: string | null): StoredDraft | null {
  try {
    const { values, photos, video, savedAt_ms, mediaSince_ms, revision } = JSON.parse(text ?? 'null') as Partial<
      Record<keyof StoredDraft, unknown>
    >;
    if (typeof values !== 'object' || values === null || typeof savedAt_ms !== 'number') return null;
    return {
      values: textsIn(EMPTY_VALUES, values as Readonly<Record<string, unknown>>),
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

function textsIn<Texts extends object>(blank: Texts, stored: Readonly<Record<string, unknown>>): Texts {
  const filled = Object.entries(blank).map(([field, value]) => {
    const storedValue = stored[field];
    if (typeof value === 'string') return [field, typeof storedValue === 'string' ? storedValue : value];
    return [
      field,
      textsIn(
        value as object,
        typeof storedValue === 'object' && storedValue !== null ? (storedValue as Record<string, unknown>) : {},
      ),
    ];
  });
  return Object.fromEntries(filled) as Texts;
}
