/**
 * The favorites that a logout could not send to the server, e.g. because it was not reachable. They stay in this
 * browser until the same user logs in again. The key contains a hash of the user id, and does not identify the user.
 * The server derives user ids from e-mail addresses with a secret. Another person who uses this browser therefore
 * cannot compute the key for an e-mail address (decision 0032).
 */
import { parseStoredIds } from './parse-stored-ids.ts';
import type { PageStorage } from './browser-storage.ts';
import { LOCAL_KEYS } from './stored-keys.ts';

/**
 * Stores the ids of ads, or deletes the entry if there are none. Never rejects. If the browser cannot store them, they
 * are lost.
 */
export async function storeUnsentFavorites(
  storage: Pick<PageStorage, 'setItem' | 'removeItem'>,
  userId: string,
  adIds: readonly string[],
): Promise<void> {
  try {
    const key = await toKey(userId);
    if (adIds.length === 0) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(adIds));
  } catch {
    // The storage is full or denied, or the page has no secure origin and cannot create a hash.
  }
}

/** Returns the ids that an earlier logout of the user could not send, and deletes the entry. Never rejects. */
export async function takeUnsentFavorites(
  storage: Pick<PageStorage, 'getItem' | 'removeItem'>,
  userId: string,
): Promise<readonly string[]> {
  try {
    const key = await toKey(userId);
    const adIds = parseStoredIds(storage.getItem(key));
    storage.removeItem(key);
    return adIds;
  } catch {
    return [];
  }
}

async function toKey(userId: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`favorites ${userId}`));
  const hex = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return LOCAL_KEYS.unsentFavorites + hex;
}
