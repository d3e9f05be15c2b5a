/**
 * Drafts are unsent input of forms, which this browser stores. A draft is a JSON object with the property `values`.
 * This module does not depend on the kind of the form.
 */
import { parseObject } from '../api/parse-object.ts';
import type { BrowserStorage } from './browser-storage.ts';
import { DRAFT_LIFETIME_ms, getDraftKeys, getDraftPrefix } from './drafts.ts';

type Stored = Readonly<Record<string, unknown>> & { readonly values: Readonly<Record<string, unknown>> };

export interface DraftStoreOptions<Content> {
  readonly storage: BrowserStorage;
  /** The id of the user, or null for a guest. The drafts of a user are not available to others. */
  readonly viewer: string | null;
  /** The name of the form. Each form of a user needs its own name, for example `article.new`. */
  readonly name: string;
  /**
   * Converts a stored draft to the content of the form. Another version of the site may have stored the draft. Returns
   * null if the content cannot be used.
   */
  readonly parse: (stored: Stored) => Content | null;
  readonly now_ms?: (() => number) | undefined;
}

/** The content of a draft and the time of its last change. */
export type StoredDraft<Content> = Content & { readonly savedAt_ms: number };

/**
 * Creates the store for the draft of one form. The draft survives a reload. A draft in the local storage also survives
 * a closed tab.
 */
export function createDraftStore<Content extends { readonly values: object }>(options: DraftStoreOptions<Content>) {
  const { storage, viewer, name, parse, now_ms = Date.now } = options;
  const key = getDraftPrefix(viewer) + name;

  function parseDraft(draftKey: string): StoredDraft<Record<string, unknown> & Stored> | null {
    const stored = parseObject(storage.getItem(draftKey) ?? '');
    const savedAt_ms = stored?.['savedAt_ms'];
    const values = stored?.['values'];
    if (typeof savedAt_ms !== 'number' || now_ms() - savedAt_ms >= DRAFT_LIFETIME_ms || !isObject(values)) return null;
    return { ...stored, values, savedAt_ms };
  }

  function removeExpired(): void {
    for (const otherKey of getDraftKeys(storage)) if (!parseDraft(otherKey)) storage.removeItem(otherKey);
  }

  /** Returns the stored draft, or null if there is none. */
  function read(): StoredDraft<Content> | null {
    const stored = parseDraft(key);
    const content = stored && parse(stored);
    return stored && content ? { ...content, savedAt_ms: stored.savedAt_ms } : null;
  }

  return {
    /** The storage key of the draft. */
    key,
    read,

    /** Returns the stored draft when the form opens. Deletes expired and invalid drafts of all users. */
    load(): StoredDraft<Content> | null {
      removeExpired();
      return read();
    },

    /** Stores the draft. Returns false if the storage is full or denied. */
    save(content: Content): boolean {
      try {
        storage.setItem(key, JSON.stringify({ ...content, savedAt_ms: now_ms() }));
        return true;
      } catch {
        return false;
      }
    },

    /** Stores a draft that was loaded from another store, without a change of its time. */
    restore(draft: StoredDraft<Content>): void {
      try {
        storage.setItem(key, JSON.stringify(draft));
      } catch {
        // The storage is full or denied, so the draft is lost.
      }
    },

    clear(): void {
      storage.removeItem(key);
    },
  };
}

/** Typed texts of a form. The keys are the names of the fields. */
export type DraftTexts = Readonly<Record<string, string>>;

/** Creates the store for a draft that consists of texts only. Saving only blank texts deletes the draft. */
export function createTextDraftStore(options: Omit<DraftStoreOptions<unknown>, 'parse'>) {
  const store = createDraftStore({ ...options, parse: ({ values }) => ({ values: pickTexts(values) }) });
  return {
    ...store,
    save(values: DraftTexts): boolean {
      if (Object.values(values).some((value) => value.trim() !== '')) return store.save({ values });
      store.clear();
      return true;
    },
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const pickTexts = (values: Readonly<Record<string, unknown>>): DraftTexts =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
