/** The only session store of the page. It uses the storage of this browser. */
import {
  browserStorage,
  clearDraftFiles,
  clearDrafts,
  createApi,
  resumeClearingDraftFiles,
  type Session,
} from '@alpenglow/ui';
import { useSyncExternalStore } from 'react';
import { pageStorage } from '../storage/page-storage.ts';
import { SessionStore } from './session-store.ts';

const LOGOUT_WAIT_ms = 3_000;
const LEAVE_TIMEOUT_ms = 8_000;

export const sessionStore = new SessionStore({
  storage: pageStorage,
  verify: async (token) => (await createApi({ token }).verify()).user,
});
addEventListener('storage', (event) => {
  if (event.storageArea === browserStorage()) sessionStore.storageChanged(event.key);
});
// Updates the session after the browser has restored the page from its page cache (e.g. with the Back button). A page
// in this cache receives no storage events from other tabs.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) sessionStore.resume();
});

// The page of the last logout may have ended before the files of the draft were deleted.
void resumeClearingDraftFiles(browserStorage());

export function useSession(): Session {
  return useSyncExternalStore(sessionStore.subscribe, sessionStore.current);
}

/**
 * Ends the session in this tab and on the server, and then loads a new page. The new page ensures that no user data
 * stays in memory. Until then, the visible page stays unchanged, so that it does not briefly show the login.
 */
export async function logOut(): Promise<void> {
  const session = sessionStore.current();
  const forgotten = forgetUser(session);
  if (session.state === 'authenticated') {
    const logout = createApi({ token: session.token }).logout();
    // The logout waits 3 s at most, so that it works even if the server does not respond.
    await Promise.race([logout.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, LOGOUT_WAIT_ms))]);
  }
  await forgotten;
  leaveFor('/');
}

/** Ends the session in this browser after the account was deleted, and then loads the path `to`. */
export function accountGone(to: string): void {
  void forgetUser(sessionStore.current()).then(() => leaveFor(to));
}

/**
 * Deletes the session, the drafts and other data of a user from this browser. The next person on this device must not
 * see this data. Resolves when the files of drafts are deleted too. The rest is deleted at once.
 */
function forgetUser(session: Session): Promise<void> {
  sessionStore.leave();
  clearTabStorage();
  if (session.state === 'authenticated') clearDrafts(browserStorage(), session.user.id);
  return clearDraftFiles(browserStorage());
}

function leaveFor(to: string): void {
  location.assign(to);
  // If the page has unsaved changes, the visitor may decide to stay. In this case, the page continues without a
  // session.
  setTimeout(() => sessionStore.resume(), LEAVE_TIMEOUT_ms);
}

function clearTabStorage(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Access to the storage is denied, so it contains no data to delete.
  }
}
