/** What the visitor has agreed to, kept in this browser (specification, section 3, "Local browser storage"). */
import { CONSENT_TEXT_VERSIONS } from '@alpenglow/domain/contracts';

/** What is kept in this browser has names of its own. */
const KINDS = { age: 'age_gate', guidelines: 'guidelines', cookies: 'cookies' } as const;
const AGE_KEY = 'age_ok';
const GUIDELINES_KEY = 'guidelines_accepted';
const COOKIES_KEY = 'cookie_consent';
/** When each choice was made and which text was shown then. The keys above are the specification's and hold no more than it says. */
const TEXTS_KEY = 'consent_texts';

export interface CookieConsent {
  readonly essential: true;
  readonly analytics: boolean;
  /** ISO 8601, UTC. */
  readonly date: string;
}

export interface Consent {
  readonly ageConfirmed: boolean;
  readonly guidelinesAccepted: boolean;
  /** Null until chosen. */
  readonly cookies: CookieConsent | null;
}

type Store = Pick<Storage, 'getItem' | 'setItem'>;

function readObject(store: Store, key: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(store.getItem(key) ?? 'null');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

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
