import { isLocale, LOCALE_COOKIE, negotiateLocale, type Locale } from '@alpenglow/ui/locales';
import type { Request } from 'express';
import { parseTheme, THEME_COOKIE, type Theme } from '../src/theme/theme-choice.ts';

/** The properties of a visitor that change the HTML of a page. */
export interface Visitor {
  readonly locale: Locale;
  readonly theme: Theme;
}

/** Names of the request headers from which a `Visitor` is read. The `Vary` header of pages lists these names. */
export const VISITOR_HEADERS = ['Accept-Language', 'Cookie'];

/** Returns a visitor's language and theme. A choice in a cookie has priority over the preference of the browser. */
export function readVisitor(req: Request): Visitor {
  const cookies = req.headers.cookie ?? '';
  const chosen = cookieIn(cookies, LOCALE_COOKIE);
  return {
    locale: isLocale(chosen) ? chosen : negotiateLocale(req.acceptsLanguages()),
    theme: parseTheme(cookieIn(cookies, THEME_COOKIE)),
  };
}

/** Returns the value of a cookie in a `Cookie` header, or null if it is missing. */
export function cookieIn(cookies: string, name: string): string | null {
  for (const pair of cookies.split(';')) {
    const [key, value] = pair.split('=', 2);
    if (key?.trim() === name) return value?.trim() ?? '';
  }
  return null;
}
