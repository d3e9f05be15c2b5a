/** Reads and stores the visitor's consents in this browser. */
import { CONSENT_TEXT_VERSIONS } from '@alpenglow/domain/contracts';
import { parseObject } from '@alpenglow/ui';

/** Maps the names of consents in the browser's storage to their names in the API. */
const KINDS = { age: 'age_gate', guidelines: 'guidelines', cookies: 'cookies' } as const;
const AGE_KEY = 'age_ok';
const GUIDELINES_KEY = 'guidelines_accepted';
const COOKIES_KEY = 'cookie_consent';
/**
 * The storage key for the date and the text version of each consent choice. These values have a separate key, because
 * requirements define the content of the other keys.
 */
const TEXTS_KEY = 'consent_texts';

interface CookieConsent {
  readonly essential: true;
  readonly analytics: boolean;
  /** The time at which the visitor chose which cookies to accept, in ISO 8601 (UTC). */
  readonly date: string;
}

export interface Consent {
  readonly ageConfirmed: boolean;
  readonly guidelinesAccepted: boolean;
  readonly cookies: CookieConsent | null;
}

type Store = Pick<Storage, 'getItem' | 'setItem'>;

const readObject = (store: Store, key: string) => parseObject(store.getItem(key) ?? '');

function readCookies(store: Store): CookieConsent | null {
  const stored = readObject(store, COOKIES_KEY);
  if (typeof stored?.['analytics'] !== 'boolean') return null;
  return {
    essential: true,
    analytics: stored['analytics'],
    date: typeof stored['date'] === 'string' ? stored['date'] : '',
  };
}

export function readConsent(store: Store): Consent {
  return {
    ageConfirmed: store.getItem(AGE_KEY) === 'true',
    guidelinesAccepted: store.getItem(GUIDELINES_KEY) === 'true',
    cookies: readCookies(store),
  };
}

function recordText(store: Store, gate: keyof typeof KINDS, date: string): void {
  store.setItem(
    TEXTS_KEY,
    JSON.stringify({ ...readObject(store, TEXTS_KEY), [gate]: { version: CONSENT_TEXT_VERSIONS[KINDS[gate]], date } }),
  );
}

export function confirmAge(store: Store, now: Date): void {
  store.setItem(AGE_KEY, 'true');
  recordText(store, 'age', now.toISOString());
}

export function acceptGuidelines(store: Store, now: Date): void {
  store.setItem(GUIDELINES_KEY, 'true');
  recordText(store, 'guidelines', now.toISOString());
}

export function chooseCookies(store: Store, analytics: boolean, now: Date): void {
  const consent: CookieConsent = { essential: true, analytics, date: now.toISOString() };
  store.setItem(COOKIES_KEY, JSON.stringify(consent));
  recordText(store, 'cookies', consent.date);
}
