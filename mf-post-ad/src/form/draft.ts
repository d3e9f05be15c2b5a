import { EMPTY, type FormValues } from './form-values.ts';

const KEY = 'alpenglow.post-ad.draft';

/** What was written but not posted. */
export interface Draft {
  readonly values: FormValues;
  /** URLs of photos that were sent already, in order. */
  readonly photos: readonly string[];
}

type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Keeps a draft in this tab, so that a reload, or signing up in between, loses nothing. A guest's draft is taken over by whoever
 * signs in next; a user's draft is nobody else's.
 */
export function createDraftStore(storage: DraftStorage, viewer: string | null) {
  return {
    load(): Draft | null {
      const kept = read(storage);
      if (!kept || (kept.viewer !== null && kept.viewer !== viewer)) return null;
      return { values: { ...EMPTY, ...kept.values, socialMedia: { ...EMPTY.socialMedia, ...kept.values.socialMedia } }, photos: kept.photos };
    },
    save(draft: Draft): void {
      try {
        storage.setItem(KEY, JSON.stringify({ viewer, ...draft }));
      } catch {
        // Storage that is full or refused costs the draft, not the form.
      }
    },
    clear(): void {
      storage.removeItem(KEY);
    },
  };
}

function read(storage: DraftStorage): (Draft & { readonly viewer: string | null }) | null {
  try {
    const value = JSON.parse(storage.getItem(KEY) ?? 'null') as Partial<Draft & { viewer: string | null }> | null;
    return value && typeof value.values === 'object' && Array.isArray(value.photos) ? { viewer: value.viewer ?? null, values: value.values, photos: value.photos } : null;
  } catch {
    return null;
  }
}
