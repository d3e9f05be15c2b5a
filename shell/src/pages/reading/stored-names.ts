import { LOCALE_COOKIE } from '@alpenglow/ui';
import { TOKEN_KEY, USER_KEY } from '../../session/stored-session.ts';
import { THEME_COOKIE } from '../../theme/theme-choice.ts';

/** What this site keeps in a browser, by the names it has there; `…` stands for what differs. A test finds names that are missing here. */
export const STORED_NAMES = {
  locale: [LOCALE_COOKIE],
  theme: [THEME_COOKIE],
  session: [TOKEN_KEY, USER_KEY],
  gates: ['age_ok', 'guidelines_accepted', 'consent_texts', 'consent_visitor'],
  cookies: ['cookie_consent'],
  favorites: ['favorites:…', 'favorites-known:…', 'favorites-cards:…'],
  draft: ['alpenglow.draft.…'],
  place: ['alpenglow.position', 'alpenglow.scroll', 'shown-ads'],
  statement: ['alpenglow.statement.…'],
} as const;
