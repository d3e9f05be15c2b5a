/** The page's language: what the server chose from cookie and browser, until the visitor chooses another. */
import { isLocale, LOCALE_COOKIE, localeFor, type Locale } from '@alpenglow/ui';
import { useSyncExternalStore } from 'react';

const YEAR_s = 31_536_000;
const watchers = new Set<() => void>();
const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

const told = document.documentElement.lang;
let current: Locale = isLocale(told) ? told : localeFor(navigator.languages);

export const currentLocale = (): Locale => current;

/** Switches the whole page, and tells the server by a cookie, so that the next first HTML is in this language too. */
export function chooseLocale(locale: Locale): void {
  current = locale;
  document.documentElement.lang = locale;
  document.cookie = `${LOCALE_COOKIE}=${locale}; Path=/; Max-Age=${YEAR_s}; SameSite=Lax${location.protocol === 'https:' ? '; Secure' : ''}`;
  for (const watcher of watchers) watcher();
}

export function useCurrentLocale(): Locale {
  return useSyncExternalStore(watch, currentLocale);
}
