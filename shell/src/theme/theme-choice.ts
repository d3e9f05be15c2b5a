/** Pure, because the shell's server reads the cookie too. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Holds `light` or `dark` and nothing else; absent, the visitor's system decides. Strictly necessary: it carries a choice of theirs. */
export const THEME_COOKIE = 'theme';
const YEAR_s = 31_536_000;

/** What was stored, by this version or another; anything else is no choice. */
export function parseTheme(value: string | null): Theme {
  return value === 'light' || value === 'dark' ? value : 'system';
}

/** What to set as `document.cookie`. */
export function themeCookie(theme: Theme, isSecure: boolean): string {
  const [value, maxAge_s] = theme === 'system' ? ['', 0] : [theme, YEAR_s];
  return `${THEME_COOKIE}=${value}; Path=/; Max-Age=${maxAge_s}; SameSite=Lax${isSecure ? '; Secure' : ''}`;
}
