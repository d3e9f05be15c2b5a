import { isLocale, LOCALE_COOKIE, localeFor, type Locale } from '@alpenglow/ui/locales';
import type { Request } from 'express';
import { parseTheme, THEME_COOKIE, type Theme } from '../src/theme/theme-choice.ts';

/** What a page depends on beside its address. */
export interface Visitor {
  readonly locale: Locale;
  readonly theme: Theme;
}

/** The headers it is read from, for `Vary`. */
export const VISITOR_HEADERS = ['Accept-Language', 'Cookie'];

/** A visitor's language and colours: what they chose, else what their browser asks for. */
export function visitorOf(req: Request): Visitor {
  const cookies = req.headers.cookie ?? '';
  const chosen = cookieIn(cookies, LOCALE_COOKIE);
  return {
    locale: isLocale(chosen) ? chosen : localeFor(req.acceptsLanguages()),
    theme: parseTheme(cookieIn(cookies, THEME_COOKIE)),
  };
}

function cookieIn(cookies: string, name: string): string | null {
  for (const pair of cookies.split(';')) {
    const [key, value] = pair.split('=', 2);
    if (key?.trim() === name) return value?.trim() ?? '';
  }
  return null;
}
