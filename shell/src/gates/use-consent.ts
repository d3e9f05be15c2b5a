import { useEffect, useState } from 'react';
import { pageStorage, type PageStorage } from '../storage/page-storage.ts';
import { acceptGuidelines, chooseCookies, confirmAge, readConsent } from './consent.ts';

/** The visitor's choices and how to make them. A choice made in another tab counts here too. */
export function useConsent() {
  const [consent, setConsent] = useState(() => readConsent(pageStorage));
  const refresh = () => setConsent(readConsent(pageStorage));
  useEffect(() => {
    addEventListener('storage', refresh);
    return () => removeEventListener('storage', refresh);
  }, []);
  const choose = (write: (store: PageStorage, now: Date) => void) => () => {
    write(pageStorage, new Date());
    refresh();
  };
  return {
    ...consent,
    confirmAge: choose(confirmAge),
    acceptGuidelines: choose(acceptGuidelines),
    acceptEssentialCookies: choose((store, now) => chooseCookies(store, false, now)),
    acceptAllCookies: choose((store, now) => chooseCookies(store, true, now)),
  };
}
