/** The page's one session store, wired to this browser. */
import { browserStorage, clearDrafts, createApi, type Session } from '@alpenglow/ui';
import { useSyncExternalStore } from 'react';
import { pageStorage } from '../storage/page-storage.ts';
import { SessionStore } from './session-store.ts';

const LOGOUT_WAIT_ms = 3_000;
/** Longer than it takes to leave. */
const STAYED_ms = 8_000;

export const sessionStore = new SessionStore({
  storage: pageStorage,
  verify: async (token) => (await createApi({ token }).verify()).user,
});
addEventListener('storage', (event) => {
  if (event.storageArea === browserStorage()) sessionStore.storageChanged(event.key);
});
// A page that the browser kept aside has heard of nothing meanwhile.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) sessionStore.comeBack();
});

export function useSession(): Session {
  return useSyncExternalStore(sessionStore.subscribe, sessionStore.current);
}

/**
 * Ends the session here and on the server, then leaves by a full page load, so that nothing of the user stays in memory. What stands
 * until then stays as it is: a page that needs an account would otherwise lead to the login on its last glimpse.
 */
export async function logOut(): Promise<void> {
  const session = sessionStore.current();
  forgetUser(session);
  if (session.state === 'authenticated') {
    const told = createApi({ token: session.token }).logout();
    // A server that does not answer keeps nobody signed in on this browser.
    await Promise.race([told.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, LOGOUT_WAIT_ms))]);
  }
  leaveFor('/');
}

/** Does the same where the account, and with it every session of the server, is gone; leaves for this path. */
export function accountGone(to: string): void {
  forgetUser(sessionStore.current());
  leaveFor(to);
}

/** Deletes what this browser keeps of a user: the session, drafts and the like, which the next person at it must not find. */
function forgetUser(session: Session): void {
  sessionStore.leave();
  clearTabStorage();
  if (session.state === 'authenticated') clearDrafts(browserStorage(), session.user.id);
}

function leaveFor(to: string): void {
  location.assign(to);
  // Whoever was asked about what is not saved, and chose to stay, stays as a guest.
  setTimeout(() => sessionStore.comeBack(), STAYED_ms);
}

function clearTabStorage(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Where storage is forbidden, nothing is in it.
  }
}
