/**
 * The names of everything that the site stores in a browser. `getBrowserStorage` writes no other keys, so each new key
 * has to be added here. A name that ends in `:` or `.` is the beginning of several keys. The privacy page lists these
 * names.
 */

/** Keys of the local storage, which all tabs of a browser share. */
export const LOCAL_KEYS = {
  token: 'vpsAuthToken',
  user: 'user',
  ageConfirmed: 'age_ok',
  guidelinesAccepted: 'guidelines_accepted',
  cookieConsent: 'cookie_consent',
  /** The date and the text version of each consent. */
  consentTexts: 'consent_texts',
  /** A random id that assigns the consents of visitors without an account to this browser. */
  consentVisitor: 'consent_visitor',
  theme: 'theme',
  /** `LIVE_NOTICES_OFF` if the visitor has switched the notices of ad events off. */
  liveNotices: 'live_notices',
  /** The favorites of a user. The key ends with the e-mail address. */
  favorites: 'favorites:',
  /** The favorites that the server returned last. The key ends with the e-mail address. */
  serverFavorites: 'favorites-known:',
  guestFavorites: 'favorites:guest',
  guestCards: 'favorites-cards:guest',
  /** The cards of the favorites of a client, for the offline page. */
  clientCards: 'favorites-cards:client',
  /** The favorites that a logout could not send. The key ends with a hash of the user id. */
  unsentFavorites: 'favorites-unsent:',
  /** The key contains the id of the user. */
  drafts: 'alpenglow.draft.',
  /** Exists for a moment during a logout, so that other tabs notice it. */
  logout: 'alpenglow.logout',
  /** Exists until the files of drafts are deleted. It is no draft, so it has another prefix. */
  filesToClear: 'alpenglow.files-to-clear',
  /** The reasons that a moderator has saved, and the choice about keyboard shortcuts. */
  moderation: 'alpenglow.moderation',
  /** Exists only on localhost. */
  adsCache: 'ads_cache',
} as const;

/** Keys of the session storage of a tab. */
export const TAB_KEYS = {
  positions: 'alpenglow.positions',
  scroll: 'alpenglow.scroll',
  shownAds: 'shown-ads',
  /**
   * Exists after a quick exit. If the visitor then opens an earlier page of this tab with Back, the page leaves again
   * (shell/server/inline/first-state.ts).
   */
  left: 'left',
  /** The token of a statement of reasons. The key ends with the id of the statement. */
  statement: 'alpenglow.statement.',
  /** The token of the private page of a removal request. The key ends with the id of the request. */
  removal: 'alpenglow.removal.',
  /** Drafts that must not outlive the tab. The key contains the id of the user. */
  drafts: 'alpenglow.draft.',
} as const;

/** Databases of IndexedDB. */
export const DATABASES = {
  /** The chosen files of drafts, until their upload ends. */
  draftFiles: 'alpenglow.draft.files',
} as const;

export const COOKIES = {
  locale: 'locale',
  theme: 'theme',
  /** The server sets this cookie, and scripts cannot read it (decision 0056). */
  browser: 'alpenglow_browser',
  /** The server of the shell sets this cookie after the link of a preview (shell/server/previews.ts). */
  preview: 'alpenglow_preview',
  /** The server of the shell sets this cookie while a canary runs (shell/server/build-choice.ts). */
  bucket: 'alpenglow_bucket',
} as const;

/**
 * The keys of the local storage that stay after a logout, because they do not identify the user. All other keys are
 * deleted, except the drafts of other users. Unknown keys are deleted too, because a remote may be newer than the shell
 * (R-13.10).
 */
const RETAINED: readonly string[] = [
  LOCAL_KEYS.ageConfirmed,
  LOCAL_KEYS.guidelinesAccepted,
  LOCAL_KEYS.cookieConsent,
  LOCAL_KEYS.consentTexts,
  LOCAL_KEYS.consentVisitor,
  LOCAL_KEYS.theme,
  LOCAL_KEYS.liveNotices,
  LOCAL_KEYS.guestFavorites,
  LOCAL_KEYS.guestCards,
  LOCAL_KEYS.unsentFavorites,
  LOCAL_KEYS.filesToClear,
];

const includesKey = (names: readonly string[], key: string): boolean =>
  names.some((name) => (/[.:]$/u.test(name) ? key.startsWith(name) : key === name));

/** Returns true if one of the names is the key or its beginning. */
export const isDeclaredKey = (names: Readonly<Record<string, string>>, key: string): boolean =>
  includesKey(Object.values(names), key);

/** Returns true if the entry with this key in the local storage stays after a logout. */
export const isRetainedKey = (key: string): boolean => includesKey(RETAINED, key);

/**
 * Returns the storage key of a user's favorites, `favorites:<e-mail in lower case>`. If `email` is null, returns the
 * storage key of a guest's favorites.
 */
export function getFavoritesKey(email: string | null): string {
  const owner = toOwner(email);
  return owner === '' ? LOCAL_KEYS.guestFavorites : LOCAL_KEYS.favorites + owner;
}

/** Returns the storage key of the favorites that the server returned last for a user. */
export const getLastServerFavoritesKey = (email: string): string => LOCAL_KEYS.serverFavorites + toOwner(email);

const toOwner = (email: string | null) => email?.trim().toLowerCase() ?? '';

/** The value of `LOCAL_KEYS.liveNotices` if live notices are off. */
export const LIVE_NOTICES_OFF = 'off';
