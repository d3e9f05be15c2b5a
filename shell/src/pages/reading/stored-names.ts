import { COOKIES, LOCAL_KEYS, TAB_KEYS } from '@alpenglow/ui';

/**
 * The names of all entries that this site stores in a browser. `…` represents the variable part of a name. A test
 * checks that no name is missing.
 */
export const STORED_NAMES = {
  locale: [COOKIES.locale],
  theme: [COOKIES.theme],
  /** The server sets this cookie (decision 0056). */
  browser: [COOKIES.browser],
  /** The server of the shell sets these cookies (decisions 0121 and 0122). */
  builds: [COOKIES.preview, COOKIES.bucket],
  session: [LOCAL_KEYS.token, LOCAL_KEYS.user, LOCAL_KEYS.logout],
  gates: [LOCAL_KEYS.ageConfirmed, LOCAL_KEYS.guidelinesAccepted, LOCAL_KEYS.consentTexts, LOCAL_KEYS.consentVisitor],
  cookies: [LOCAL_KEYS.cookieConsent],
  liveNotices: [LOCAL_KEYS.liveNotices],
  favorites: [`${LOCAL_KEYS.favorites}…`, LOCAL_KEYS.guestCards, LOCAL_KEYS.clientCards],
  sentFavorites: [`${LOCAL_KEYS.serverFavorites}…`, `${LOCAL_KEYS.unsentFavorites}…`],
  draft: [`${LOCAL_KEYS.drafts}…`, LOCAL_KEYS.filesToClear],
  place: [TAB_KEYS.positions, TAB_KEYS.scroll, TAB_KEYS.shownAds, TAB_KEYS.left],
  moderation: [LOCAL_KEYS.moderation],
  statement: [`${TAB_KEYS.statement}…`, `${TAB_KEYS.removal}…`],
  /** This entry exists only on localhost, so the privacy page does not show it (decision 0069). */
  development: [LOCAL_KEYS.adsCache],
} as const;
