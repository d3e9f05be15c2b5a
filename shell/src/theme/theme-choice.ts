import { COOKIES } from '@alpenglow/ui/stored-keys';

/**
 * The themes, and the cookie that stores the chosen theme. The server also imports this module, so it has no side
 * effects.
 */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/**
 * The cookie with the chosen theme, `light` or `dark`. Without the cookie, the theme of the visitor's system applies.
 * The cookie is strictly necessary, because it stores the visitor's own choice.
 */
export const THEME_COOKIE = COOKIES.theme;
const YEAR_s = 31_536_000;

/** Parses a stored theme. Returns `system` for an invalid value. */
export function parseTheme(value: string | null): Theme {
  return value === 'light' || value === 'dark' ? value : 'system';
}

/** Returns the text that sets the cookie when it is assigned to `document.cookie`. */
export function themeCookie(theme: Theme, isSecure: boolean): string {
  const [value, maxAge_s] = theme === 'system' ? ['', 0] : [theme, YEAR_s];
  return `${THEME_COOKIE}=${value}; Path=/; Max-Age=${maxAge_s}; SameSite=Lax${isSecure ? '; Secure' : ''}`;
}
