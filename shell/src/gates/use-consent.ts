import { useMemo, useSyncExternalStore } from 'react';
import type { ConsentChoice, ConsentKind } from '@alpenglow/domain/contracts';
import type { PageStorage } from '@alpenglow/ui';
import { pageStorage } from '../storage/page-storage.ts';
import { createStorageWatchers } from '../storage/storage-watchers.ts';
import { acceptGuidelines, chooseCookies, confirmAge, forgetCookies, readConsent, type Consent } from './consent.ts';
import { recordConsent } from './record-consent.ts';

const { watch, notify } = createStorageWatchers();

/** Calls a function after each change of a consent, also in other tabs. Returns a function that stops the calls. */
export const watchConsent = watch;

/** The question that the visitor must accept next. */
export type Question = 'age' | 'guidelines';

const readText = () => JSON.stringify(readConsent(pageStorage));

/** Removes the choice about cookies and shows the cookie banner again. Until the next choice, nothing is measured. */
export function forgetCookieChoice(): void {
  forgetCookies(pageStorage);
  notify();
}

const choose = (write: (store: PageStorage, now: Date) => void, kind: ConsentKind, choice: ConsentChoice) => () => {
  write(pageStorage, new Date());
  notify();
  recordConsent(kind, choice);
};

const actions = {
  confirmAge: choose(confirmAge, 'age_gate', 'accepted'),
  acceptGuidelines: choose(acceptGuidelines, 'guidelines', 'accepted'),
  acceptEssentialCookies: choose((store, now) => chooseCookies(store, false, now), 'cookies', 'essential'),
  acceptAllCookies: choose((store, now) => chooseCookies(store, true, now), 'cookies', 'all'),
} as const;

/**
 * Returns the visitor's consents and the functions that give consent. The consents are null during the first render of
 * server-rendered HTML, because the server does not know them.
 */
export function useConsent() {
  const text = useSyncExternalStore(watchConsent, readText, () => '');
  const consent = useMemo(() => (text === '' ? null : (JSON.parse(text) as Consent)), [text]);
  return { ...actions, consent, question: consent && nextQuestion(consent) };
}

/** Returns the question that covers the page, or null if the visitor has accepted all of them. */
export const readQuestion = (): Question | null => nextQuestion(readConsent(pageStorage));

function nextQuestion({ ageConfirmed, guidelinesAccepted }: Consent): Question | null {
  if (!ageConfirmed) return 'age';
  return guidelinesAccepted ? null : 'guidelines';
}
