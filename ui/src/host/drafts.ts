/**
 * Form drafts that are stored in this browser. Remotes write the drafts. The shell deletes them at logout, even if the
 * remote is not loaded.
 */

import { listKeys } from './browser-storage.ts';
import { DATABASES, LOCAL_KEYS } from './stored-keys.ts';

type Store = Pick<Storage, 'key' | 'length' | 'removeItem'>;

/** Maximum age of a draft. Opening a form deletes older drafts. */
export const DRAFT_LIFETIME_ms = 7 * 24 * 60 * 60_000;

/** The IndexedDB database with the chosen files of drafts, until their upload ends. */
export const DRAFT_FILES = { database: DATABASES.draftFiles, store: 'files' } as const;

const CLEAR_TIMEOUT_ms = 1_000;
const GUEST = 'guest';

/** Returns the storage key prefix of a visitor's drafts. `viewer` is the id of the user, or null for a guest. */
export const getDraftPrefix = (viewer: string | null): string => `${LOCAL_KEYS.drafts}${viewer ?? GUEST}.`;

/** Returns the storage keys of all drafts, or of the drafts whose key starts with `prefix`. */
export function getDraftKeys(
  store: Pick<Store, 'key' | 'length'>,
  prefix: string = LOCAL_KEYS.drafts,
): readonly string[] {
  return listKeys(store).filter((key) => key.startsWith(prefix));
}

/**
 * Deletes the drafts of a user and of guests from this browser. Drafts contain phone numbers, and other people may use
 * the same computer.
 */
export function clearDrafts(store: Store, viewer: string): void {
  for (const key of [...getDraftKeys(store, getDraftPrefix(viewer)), ...getDraftKeys(store, getDraftPrefix(null))])
    store.removeItem(key);
}

/**
 * Deletes the files of all drafts from this browser. Resolves when they are deleted, or after one second, and never
 * rejects, because a logout must not depend on the storage. If the page ends before the deletion, the browser discards
 * the deletion, and `resumeClearingDraftFiles` repeats it.
 */
export function clearDraftFiles(storage: Pick<Storage, 'setItem' | 'removeItem'>): Promise<void> {
  try {
    storage.setItem(LOCAL_KEYS.filesToClear, 'yes');
  } catch {
    // The storage is full or denied. The files are nevertheless deleted if this takes less than a second.
  }
  const cleared = new Promise<void>((resolve) => {
    const request = indexedDB.open(DRAFT_FILES.database);
    request.onupgradeneeded = () => {
      // The database does not exist, so it contains nothing and is not created.
      request.transaction?.abort();
      storage.removeItem(LOCAL_KEYS.filesToClear);
    };
    request.onerror = () => resolve();
    request.onsuccess = () => {
      const database = request.result;
      const transaction = database.transaction(DRAFT_FILES.store, 'readwrite');
      transaction.objectStore(DRAFT_FILES.store).clear();
      transaction.oncomplete = transaction.onabort = ({ type }) => {
        if (type === 'complete') storage.removeItem(LOCAL_KEYS.filesToClear);
        database.close();
        resolve();
      };
    };
  });
  return Promise.race([
    cleared.catch(() => undefined),
    new Promise<void>((resolve) => setTimeout(resolve, CLEAR_TIMEOUT_ms)),
  ]);
}

/**
 * Repeats `clearDraftFiles` if an earlier page was closed or left before the files were deleted. Otherwise does
 * nothing.
 */
export async function resumeClearingDraftFiles(
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
): Promise<void> {
  let mustClear = false;
  try {
    mustClear = storage.getItem(LOCAL_KEYS.filesToClear) !== null;
  } catch {
    // Access to the storage is denied, so it contains no files either.
  }
  if (mustClear) await clearDraftFiles(storage);
}
