import { useEffect, useState } from 'react';
import { acceptGuidelines, chooseCookies, confirmAge, readConsent } from './consent.ts';

/** The visitor's choices and how to make them. A choice made in another tab counts here too. */
export function useConsent() {
  const [consent, setConsent] = useState(() => readConsent(localStorage));
  const refresh = () => setConsent(readConsent(localStorage));
  useEffect(() => {
    addEventListener('storage', refresh);
    return () => removeEventListener('storage', refresh);
  }, []);
  const choose = (write: (store: Storage, now: Date) => void) => () => {
    write(localStorage, new Date());
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
