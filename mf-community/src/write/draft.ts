import { browserStorage, DRAFT_LIFETIME_ms, draftKeys, draftPrefix, type BrowserStorage } from '@alpenglow/ui';

/** Typed values of a form. The keys are the names of the fields. */
export type DraftValues = Readonly<Record<string, string>>;

export interface DraftOptions {
  readonly viewer: string;
  /** Name of the draft. It is `thread` for a new thread, and `reply.` with the id of the thread for a reply. */
  readonly name: string;
  readonly storage?: BrowserStorage;
  readonly now_ms?: () => number;
}

/** Creates the store for a member's unsent text in this browser. The text survives a reload and a closed tab. */
export function createDraftStore({ viewer, name, storage = browserStorage(), now_ms = Date.now }: DraftOptions) {
  const key = `${draftPrefix(viewer)}community.${name}`;
  const read = (draftKey: string): DraftValues | null => {
    try {
      const { values, savedAt_ms } = JSON.parse(storage.getItem(draftKey) ?? 'null') as {
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
    load(): DraftValues | null {
      for (const otherKey of draftKeys(storage, `${draftPrefix(viewer)}community.`))
        if (!read(otherKey)) storage.removeItem(otherKey);
      return read(key);
    },
    /** Stores the values, or deletes the draft if all values are blank. A full or denied storage is ignored. */
    save(values: DraftValues): void {
      if (Object.values(values).every((value) => value.trim() === '')) return storage.removeItem(key);
      try {
        storage.setItem(key, JSON.stringify({ values, savedAt_ms: now_ms() }));
      } catch {
        // The error is ignored, because the form still contains the text.
      }
    },
    clear: (): void => storage.removeItem(key),
  };
}
