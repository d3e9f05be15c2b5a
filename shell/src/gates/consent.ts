/** Reads and stores the visitor's consents in this browser. */
import { CONSENT_TEXT_VERSIONS } from '@alpenglow/domain/contracts';
import { LOCAL_KEYS, parseObject } from '@alpenglow/ui';

/** Maps the names of consents in the browser's storage to their names in the API. */
const KINDS = { age: 'age_gate', guidelines: 'guidelines', cookies: 'cookies' } as const;
/** The first version of the text about cookies that describes the measurements. */
const MEASURING_TEXT_VERSION = 3;

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

const readObject = (store: Pick<Store, 'getItem'>, key: string) => parseObject(store.getItem(key) ?? '');

function readCookies(store: Pick<Store, 'getItem'>): CookieConsent | null {
  const stored = readObject(store, LOCAL_KEYS.cookieConsent);
  if (typeof stored?.['analytics'] !== 'boolean') return null;
  return {
    essential: true,
    analytics: stored['analytics'],
    date: typeof stored['date'] === 'string' ? stored['date'] : '',
  };
}

export function readConsent(store: Store): Consent {
  return {
    ageConfirmed: store.getItem(LOCAL_KEYS.ageConfirmed) === 'true',
    guidelinesAccepted: store.getItem(LOCAL_KEYS.guidelinesAccepted) === 'true',
    cookies: readCookies(store),
  };
}

/**
 * Checks whether the visitor has consented to reports about speed and errors. A consent to an earlier version of the
 * text does not count, because that text did not describe these reports.
 */
export function canMeasure(store: Pick<Store, 'getItem'>): boolean {
  const text = readObject(store, LOCAL_KEYS.consentTexts)?.['cookies'];
  const version = typeof text === 'object' && text !== null && 'version' in text ? text.version : 0;
  return readCookies(store)?.analytics === true && typeof version === 'number' && version >= MEASURING_TEXT_VERSION;
}

/**
 * Stores the date and the text version of a consent. They have a separate key, because requirements define the content
 * of the other keys.
 */
function recordText(store: Store, gate: keyof typeof KINDS, date: string): void {
  const texts = readObject(store, LOCAL_KEYS.consentTexts);
  const version = CONSENT_TEXT_VERSIONS[KINDS[gate]];
  store.setItem(LOCAL_KEYS.consentTexts, JSON.stringify({ ...texts, [gate]: { version, date } }));
}

export function confirmAge(store: Store, now: Date): void {
  store.setItem(LOCAL_KEYS.ageConfirmed, 'true');
  recordText(store, 'age', now.toISOString());
}

export function acceptGuidelines(store: Store, now: Date): void {
  store.setItem(LOCAL_KEYS.guidelinesAccepted, 'true');
  recordText(store, 'guidelines', now.toISOString());
}

export function chooseCookies(store: Store, analytics: boolean, now: Date): void {
  const consent: CookieConsent = { essential: true, analytics, date: now.toISOString() };
  store.setItem(LOCAL_KEYS.cookieConsent, JSON.stringify(consent));
  recordText(store, 'cookies', consent.date);
}

/** Removes the choice about cookies, so that the visitor can choose again. */
export function forgetCookies(store: Pick<Storage, 'removeItem'>): void {
  store.removeItem(LOCAL_KEYS.cookieConsent);
}
