import { browserStorage, draftKeys, draftPrefix, type BrowserStorage } from '@alpenglow/ui';

/** A draft that nobody came back to is deleted. Forms of ads have the same shape and time: whichever form is opened tidies up for all. */
const DRAFT_LIFETIME_ms = 7 * 24 * 60 * 60_000;

/** What was typed, by field. */
export type DraftValues = Readonly<Record<string, string>>;

export interface DraftStore {
  load(): DraftValues | null;
  /** Blank values are no draft: what was kept goes. Storage that is full or refused costs the draft, not the form. */
  save(values: DraftValues): void;
  clear(): void;
}

export interface DraftOptions {
  readonly viewer: string;
  /** What is written: `thread`, or `reply.` and the thread's id. */
  readonly name: string;
  readonly storage?: BrowserStorage;
  readonly now_ms?: () => number;
}

/** Keeps what a member writes in this browser, so that a reload or a closed tab loses nothing. */
export function createDraftStore({
  viewer,
  name,
  storage = browserStorage(),
  now_ms = Date.now,
}: DraftOptions): DraftStore {
  const key = `${draftPrefix(viewer)}community.${name}`;
  const read = (at: string): DraftValues | null => {
    try {
      const { values, savedAt_ms } = JSON.parse(storage.getItem(at) ?? 'null') as {
        readonly values?: unknown;
        readonly savedAt_ms?: unknown;
      };
      if (
        typeof values !== 'object' ||
        values === null ||
        typeof savedAt_ms !== 'number' ||
        now_ms() - savedAt_ms >= DRAFT_LIFETIME_ms
      )
        return null;
      return Object.fromEntries(
        Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      );
    } catch {
      return null;
    }
  };
  return {
    load() {
      for (const one of draftKeys(storage, `${draftPrefix(viewer)}community.`)) if (!read(one)) storage.removeItem(one);
      return read(key);
    },
    save(values) {
      if (Object.values(values).every((value) => value.trim() === '')) return storage.removeItem(key);
      try {
        storage.setItem(key, JSON.stringify({ values, savedAt_ms: now_ms() }));
      } catch {
        // The form itself still holds it.
      }
    },
    clear: () => storage.removeItem(key),
  };
}
