/** The only session store of the page. It uses the storage of this browser. */
import {
  browserStorage,
  clearDraftFiles,
  clearTabStorage,
  createApi,
  endSession,
  isApiError,
  isLocalStorageEvent,
  LOCAL_KEYS,
  resumeClearingDraftFiles,
  storeUnsentFavorites,
  tabStorage,
  toLocalePath,
  verifySession,
  type Api,
  type Session,
} from '@alpenglow/ui';
import { useSyncExternalStore } from 'react';
import { currentLocale } from '../locale/locale.ts';
import { pageStorage } from '../storage/page-storage.ts';
import {
  deleteAllEntries,
  deleteEntriesWithoutSession,
  deletePersonalEntries,
  collectUnconfirmedFavorites,
  type FormerUser,
} from './personal-entries.ts';
import { SessionStore } from './session-store.ts';

/** The maximum times that a logout waits for the server, so that it works even if the server does not respond. */
const SEND_WAIT_ms = 2_000;
const LOGOUT_WAIT_ms = 3_000;
const LEAVE_TIMEOUT_ms = 8_000;

export const sessionStore = new SessionStore({
  storage: pageStorage,
  verify: async (token) => (await verifySession(createApi({ token }))).user,
  onUserLeft(user) {
    deletePersonalEntries(tabStorage());
    // Another tab has ended the session, and deletes the entries that all tabs share.
    if (user === null) return;
    const unsent = collectUnconfirmedFavorites(browserStorage(), user);
    deletePersonalEntries(browserStorage());
    if (user.id !== undefined && unsent.length > 0) void storeUnsentFavorites(browserStorage(), user.id, unsent);
  },
});
/** Follows the sessions of other tabs. It is called once, before the first render. */
export function startSession(): void {
  addEventListener('storage', (event) => {
    if (!isLocalStorageEvent(event)) return;
    sessionStore.storageChanged(event.key);
    if (event.key === LOCAL_KEYS.logout && event.newValue !== null) followLogout();
  });
  // Updates the session after the browser has restored the page from its page cache (e.g. with the Back button). A page
  // in this cache receives no storage events from other tabs.
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    const wasSignedIn = sessionStore.current().state === 'authenticated';
    sessionStore.resume();
    if (wasSignedIn && sessionStore.current().state === 'anonymous') followLogout();
  });

  deleteEntriesWithoutSession(browserStorage());
  // The page of the last logout may have ended before the files of the draft were deleted.
  void resumeClearingDraftFiles(browserStorage());
}

/**
 * Informs other tabs about a logout. Without this, a tab only recognizes that the session is gone, and cannot
 * distinguish a logout from an expired session.
 */
function announceLogout(): void {
  try {
    browserStorage().setItem(LOCAL_KEYS.logout, 'yes');
    browserStorage().removeItem(LOCAL_KEYS.logout);
  } catch {
    // The storage is full or denied. A logout must not depend on it.
  }
}

/**
 * Loads the page again after a logout in another tab, because its memory and its forms contain data of the user
 * . The user has decided there, so the page does not ask about unsaved changes.
 */
function followLogout(): void {
  clearTabStorage();
  addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), { capture: true });
  location.reload();
}

const ANONYMOUS: Session = { state: 'anonymous' };

export function useSession(): Session {
  // The server knows no sessions, so its HTML is that of an anonymous visitor.
  return useSyncExternalStore(sessionStore.subscribe, sessionStore.current, () => ANONYMOUS);
}

/**
 * Ends the session in this tab and on the server, and then loads a new page. The new page ensures that no user data
 * stays in memory. Until then, the visible page stays unchanged, so that it does not briefly show the login.
 */
export async function logOut(): Promise<void> {
  const session = sessionStore.current();
  const user: FormerUser = session.state === 'authenticated' ? session.user : {};
  const unsent = collectUnconfirmedFavorites(browserStorage(), user);
  const forgotten = forgetUser(user);
  if (session.state === 'authenticated') {
    const api = createApi({ token: session.token });
    if (unsent.length > 0) await sendFavorites(api, session.user.id, unsent);
    await atMost(LOGOUT_WAIT_ms, endSession(api));
  }
  await forgotten;
  leaveFor('/');
}

/** Ends the session in this browser after the account was deleted, and then loads the path `to`. */
export function accountGone(to: string): void {
  const session = sessionStore.current();
  const user: FormerUser = session.state === 'authenticated' ? session.user : {};
  const forgotten = forgetUser(user);
  const deleted = user.id === undefined ? Promise.resolve() : storeUnsentFavorites(browserStorage(), user.id, []);
  void Promise.all([forgotten, deleted]).then(() => leaveFor(to));
}

/**
 * Deletes the session, the drafts and other data of a user from this browser. The next person on this device must not
 * see this data. Resolves when the files of drafts are deleted too. The rest is deleted at once.
 */
function forgetUser(user: FormerUser): Promise<void> {
  clearTabStorage();
  deleteAllEntries(browserStorage(), user);
  sessionStore.leave();
  announceLogout();
  return clearDraftFiles(browserStorage());
}

/**
 * Adds the favorites of a client that are stored only in this browser to the server. Those that the server does not
 * confirm in time stay in this browser without the name of their user.
 */
async function sendFavorites(api: Api, userId: string, adIds: readonly string[]): Promise<void> {
  const unsent = new Set(adIds);
  // The page may be closed during the requests.
  await storeUnsentFavorites(browserStorage(), userId, adIds);
  const sendAll = async () => {
    for (const adId of adIds) {
      const isSent = await api.addFavorite(adId).then(
        () => true,
        // The ad no longer exists.
        (error: unknown) => isApiError(error) && error.status === 404,
      );
      if (isSent) unsent.delete(adId);
    }
  };
  await atMost(SEND_WAIT_ms, sendAll());
  await storeUnsentFavorites(browserStorage(), userId, [...unsent]);
}

/** Waits until `work` has ended, whether it succeeds or not, but not longer than `limit_ms`. */
async function atMost(limit_ms: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, limit_ms))]);
}

function leaveFor(to: string): void {
  // Requests that have ended in the meantime may have stored something.
  clearTabStorage();
  deleteEntriesWithoutSession(browserStorage());
  location.assign(toLocalePath(currentLocale(), to));
  // If the page has unsaved changes, the visitor may decide to stay. In this case, the page continues without a
  // session.
  setTimeout(() => sessionStore.resume(), LEAVE_TIMEOUT_ms);
}
