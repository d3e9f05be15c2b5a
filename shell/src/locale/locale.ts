/**
 * The language of the page. The server determines it from the language cookie or the browser's settings. The visitor
 * may choose another language.
 */
import { isLocale, LOCALE_COOKIE, localeFor, type Locale } from '@alpenglow/ui';
import { useSyncExternalStore } from 'react';

const YEAR_s = 31_536_000;
const watchers = new Set<() => void>();
const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

const documentLocale = document.documentElement.lang;
let current: Locale = isLocale(documentLocale) ? documentLocale : localeFor(navigator.languages);

export const currentLocale = (): Locale => current;

/** Switches the page's language. Stores it in a cookie, so that the server renders later pages in this language. */
export function chooseLocale(locale: Locale): void {
  current = locale;
  document.documentElement.lang = locale;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  document.cookie = `${LOCALE_COOKIE}=${locale}; Path=/; Max-Age=${YEAR_s}; SameSite=Lax${secure}`;
  for (const watcher of watchers) watcher();
}

export function useCurrentLocale(): Locale {
  return useSyncExternalStore(watch, currentLocale);
}
