/** The page's one session store, wired to this browser. */
import { createApi, type Session } from '@alpenglow/ui';
import { useSyncExternalStore } from 'react';
import { SessionStore } from './session-store.ts';

const LOGOUT_WAIT_ms = 3_000;

export const sessionStore = new SessionStore({
  storage: localStorage,
  verify: async (token) => (await createApi({ token }).verify()).user,
});
addEventListener('storage', (event) => {
  if (event.storageArea === localStorage) sessionStore.storageChanged(event.key);
});

export function useSession(): Session {
  return useSyncExternalStore(sessionStore.subscribe, sessionStore.current);
}

/** Ends the session here and on the server, then leaves by a full page load, so that nothing of the user stays in memory. */
export async function logOut(): Promise<void> {
  const session = sessionStore.current();
  if (session.state === 'authenticated') {
    const told = createApi({ token: session.token }).logout();
    // A server that does not answer keeps nobody signed in on this browser.
    await Promise.race([told.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, LOGOUT_WAIT_ms))]);
  }
  sessionStore.signOut();
  location.assign('/');
}
