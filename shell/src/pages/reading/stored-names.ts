import { LOCALE_COOKIE } from '@alpenglow/ui';
import { TOKEN_KEY, USER_KEY } from '../../session/stored-session.ts';
import { THEME_COOKIE } from '../../theme/theme-choice.ts';

/**
 * The names of all entries that this site stores in a browser. `…` represents the variable part of a name. A test
 * checks that no name is missing.
 */
export const STORED_NAMES = {
  locale: [LOCALE_COOKIE],
  theme: [THEME_COOKIE],
  /** The server sets this cookie (decision 0056). */
  browser: ['alpenglow_browser'],
  session: [TOKEN_KEY, USER_KEY],
  gates: ['age_ok', 'guidelines_accepted', 'consent_texts', 'consent_visitor'],
  cookies: ['cookie_consent'],
  favorites: ['favorites:…', 'favorites-known:…', 'favorites-cards:…'],
  draft: ['alpenglow.draft.…', 'alpenglow.files-to-clear'],
  place: ['alpenglow.positions', 'alpenglow.scroll', 'shown-ads'],
  statement: ['alpenglow.statement.…'],
  /** This entry exists only on localhost, so the privacy page does not show it (decision 0069). */
  development: ['ads_cache'],
} as const;
