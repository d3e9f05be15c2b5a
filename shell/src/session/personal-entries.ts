/** Deletes what users leave in this browser, because other people may use it too. */
import {
  clearDrafts,
  getFavoritesKey,
  getLastServerFavoritesKey,
  isRetainedKey,
  listKeys,
  LOCAL_KEYS,
  parseStoredIds,
  type BrowserStorage,
} from '@alpenglow/ui';
import type { UserView } from '@alpenglow/domain/contracts';

/** The user who leaves. Properties are missing if this browser has stored no valid user. */
export interface FormerUser {
  readonly id?: UserView['id'] | undefined;
  readonly email?: UserView['email'] | undefined;
  readonly isProvider?: UserView['isProvider'] | undefined;
}

type EntryStorage = Pick<BrowserStorage, 'getItem' | 'removeItem' | 'key' | 'length'>;

/**
 * Returns the favorites that would be lost with the entries of a user, oldest first: those that the server has not
 * confirmed, and those of an earlier guest, which belong to a client since the login. Deletes the latter.
 */
export function collectUnconfirmedFavorites(
  storage: EntryStorage,
  { email, isProvider }: FormerUser,
): readonly string[] {
  if (email === undefined || isProvider === true) return [];
  const read = (key: string) => parseStoredIds(storage.getItem(key));
  const known = read(getLastServerFavoritesKey(email));
  const local = read(getFavoritesKey(email)).filter((adId) => !known.includes(adId));
  const guest = read(getFavoritesKey(null));
  for (const key of [LOCAL_KEYS.guestFavorites, LOCAL_KEYS.guestCards]) storage.removeItem(key);
  return [...new Set([...local, ...guest])].reverse();
}

/**
 * Deletes the personal entries of the local storage. Drafts stay, because they would be lost, and only their owner can
 * open them. `clearDrafts` deletes them.
 */
export function deletePersonalEntries(storage: EntryStorage): void {
  for (const key of listKeys(storage))
    if (!isRetainedKey(key) && !key.startsWith(LOCAL_KEYS.drafts)) storage.removeItem(key);
}

/** Does the same as `deletePersonalEntries`, and also deletes the drafts of the user and of guests. */
export function deleteAllEntries(storage: EntryStorage, { id }: FormerUser): void {
  deletePersonalEntries(storage);
  if (id !== undefined) clearDrafts(storage, id);
}

/**
 * Deletes the entries that name a user, if there is no session. A request that was running at the end of a session may
 * have stored them, or the page was closed before it could delete them. Entries of guests stay.
 */
export function deleteEntriesWithoutSession(storage: EntryStorage): void {
  if ((storage.getItem(LOCAL_KEYS.token) ?? '') !== '') return;
  for (const key of listKeys(storage)) if (namesUser(key)) storage.removeItem(key);
}

const namesUser = (key: string) =>
  key === LOCAL_KEYS.user ||
  key === LOCAL_KEYS.clientCards ||
  [LOCAL_KEYS.favorites, LOCAL_KEYS.serverFavorites].some((prefix) => key.startsWith(prefix) && !isRetainedKey(key));
