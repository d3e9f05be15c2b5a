/**
 * The language of the page. The server determines it from the language cookie or the browser's settings. The visitor
 * may choose another language.
 */
import {
  isLocale,
  LOCALE_COOKIE,
  localeFor,
  parseLocalePath,
  SOURCE_LOCALE,
  toLocalePath,
  type Locale,
} from '@alpenglow/ui';
import { useSyncExternalStore } from 'react';

const YEAR_s = 31_536_000;
const watchers = new Set<() => void>();
const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

let current: Locale = SOURCE_LOCALE;

export const currentLocale = (): Locale => current;

/** Sets the language of the page before the first render. */
export function startLocale(locale: Locale): void {
  current = locale;
}

/** Returns the language in which the server has rendered the page. */
export function readDocumentLocale(): Locale {
  const { lang } = document.documentElement;
  return isLocale(lang) ? lang : localeFor(navigator.languages);
}

/**
 * Loads a page again if Back or Forward leads to its URL in another language. It is called once, before the router
 * listens to the event, because the language in the URL is part of all paths of the router.
 */
export function followLocaleOfUrl(): void {
  addEventListener(
    'popstate',
    (event) => {
      if ((parseLocalePath(location.pathname).locale ?? SOURCE_LOCALE) === current) return;
      event.stopImmediatePropagation();
      location.reload();
    },
    { capture: true },
  );
}

/**
 * Switches the page's language and the URL of the page, without a reload. Stores the language in a cookie, so that the
 * server uses it for URLs without a language.
 */
export function chooseLocale(locale: Locale): void {
  current = locale;
  document.documentElement.lang = locale;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  document.cookie = `${LOCALE_COOKIE}=${locale}; Path=/; Max-Age=${YEAR_s}; SameSite=Lax${secure}`;
  const { pathname, search, hash } = location;
  history.replaceState(history.state, '', toLocalePath(locale, parseLocalePath(pathname).path) + search + hash);
  for (const watcher of watchers) watcher();
  // The router reads the new URL when it receives this event. React then renders both changes together.
  dispatchEvent(new PopStateEvent('popstate', { state: history.state as unknown }));
}

/**
 * Returns the URL that opens a page in a chosen language without scripts. For the source language, the server stores
 * the choice, because the URL of such a page contains no language.
 */
export function toChosenLocalePath(locale: Locale, path: string): string {
  return locale === SOURCE_LOCALE ? `/${SOURCE_LOCALE}${path}` : toLocalePath(locale, path);
}

export function useCurrentLocale(): Locale {
  return useSyncExternalStore(watch, currentLocale, currentLocale);
}
