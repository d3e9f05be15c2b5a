import { useEffect, useState } from 'react';
import type { ConsentChoice, ConsentKind } from '@alpenglow/domain/contracts';
import type { PageStorage } from '@alpenglow/ui';
import { pageStorage } from '../storage/page-storage.ts';
import { acceptGuidelines, chooseCookies, confirmAge, readConsent } from './consent.ts';
import { recordConsent } from './record-consent.ts';

/** Returns the visitor's consents and the functions to give them. Consents that are given in other tabs also count. */
export function useConsent() {
  const [consent, setConsent] = useState(() => readConsent(pageStorage));
  const refresh = () => setConsent(readConsent(pageStorage));
  useEffect(() => {
    addEventListener('storage', refresh);
    return () => removeEventListener('storage', refresh);
  }, []);
  const choose = (write: (store: PageStorage, now: Date) => void, kind: ConsentKind, choice: ConsentChoice) => () => {
    write(pageStorage, new Date());
    refresh();
    recordConsent(kind, choice);
  };
  return {
    ...consent,
    confirmAge: choose(confirmAge, 'age_gate', 'accepted'),
    acceptGuidelines: choose(acceptGuidelines, 'guidelines', 'accepted'),
    acceptEssentialCookies: choose((store, now) => chooseCookies(store, false, now), 'cookies', 'essential'),
    acceptAllCookies: choose((store, now) => chooseCookies(store, true, now), 'cookies', 'all'),
  };
}
