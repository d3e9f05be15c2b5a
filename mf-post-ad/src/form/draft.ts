import { createDraftStore as createDrafts, type BrowserStorage } from '@alpenglow/ui';
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

/** The content of a stored draft. `mediaSince_ms` is the time of its first upload. */
interface StoredContent extends DraftContent {
  readonly mediaSince_ms: number | null;
  readonly revision: string | null;
}

export interface DraftOptions {
  readonly storage: BrowserStorage;
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
  const createFor = (owner: string | null) =>
    createDrafts<StoredContent>({ storage, viewer: owner, name, parse, now_ms });
  const own = createFor(viewer);

  function takeOverGuestDraft(): void {
    if (viewer === null || adId !== null) return;
    const guest = createFor(null);
    const guestDraft = guest.load();
    if (!guestDraft) return;
    guest.clear();
    if (guestDraft.savedAt_ms > (own.read()?.savedAt_ms ?? 0)) own.restore(guestDraft);
  }

  return {
    /** The storage key of the draft. */
    key: own.key,

    load(): Draft | null {
      takeOverGuestDraft();
      const stored = own.load();
      if (!stored) return null;
      const { values, photos, video, savedAt_ms, revision, mediaSince_ms } = stored;
      const hasLostMedia =
        now_ms() - (mediaSince_ms ?? savedAt_ms) >= DRAFT_MEDIA_LIFETIME_ms && (photos.length > 0 || video !== null);
      return { values, photos, video, savedAt_ms, revision, hasLostMedia };
    },

    /** Stores the draft. Returns false if the storage is full or denied. */
    save(content: DraftContent, revision: string | null = null): boolean {
      const before = own.read();
      const isSameMedia = [...content.photos, content.video].some(
        (url) => url !== null && before !== null && [...before.photos, before.video].includes(url),
      );
      const mediaSince_ms = isSameMedia && before ? (before.mediaSince_ms ?? before.savedAt_ms) : now_ms();
      const { values, photos, video } = content;
      return own.save({ values, photos, video, revision, mediaSince_ms });
    },

    clear: own.clear,
  };
}

/** Converts a stored draft, which may have any content. Replaces invalid parts with empty values. */
function parse({ values, photos, video, mediaSince_ms, revision }: Readonly<Record<string, unknown>>): StoredContent {
  return {
    values: textsIn(EMPTY_VALUES, values as Readonly<Record<string, unknown>>),
    photos: Array.isArray(photos) ? photos.filter((url) => typeof url === 'string') : [],
    video: textOrNull(video),
    mediaSince_ms: typeof mediaSince_ms === 'number' ? mediaSince_ms : null,
    revision: textOrNull(revision),
  };
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
