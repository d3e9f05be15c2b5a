/**
 * The URLs of the languages. Each page has one URL per language: `/de/listings`, and `/listings` in English. This
 * module uses no browser APIs, because the server imports it too.
 */
import { isLocale, SOURCE_LOCALE, type Locale } from './locales.ts';

export interface LocalePath {
  /** The language in the path. Null if the path names none, so that it is a URL of the source language. */
  readonly locale: Exclude<Locale, typeof SOURCE_LOCALE> | null;
  /** The path without the language. */
  readonly path: string;
}

/**
 * Splits a path such as `/de/listings` into its language and the path of the page. The path `/de//host` names no
 * language, because `//host` would be the URL of another site.
 */
export function parseLocalePath(pathname: string): LocalePath {
  const [, first = '', rest = ''] = /^\/([a-z]{2})(\/(?![/\\]).*)?$/u.exec(pathname) ?? [];
  if (!isLocale(first) || first === SOURCE_LOCALE) return { locale: null, path: pathname };
  return { locale: first, path: rest === '' ? '/' : rest };
}

/** Returns what precedes the path of each page in a language, e.g. `/de`. It is empty for the source language. */
export const getLocalePrefix = (locale: Locale): string => (locale === SOURCE_LOCALE ? '' : `/${locale}`);

/** Returns the URL of a page in a language. `path` starts with `/` and may contain a query. */
export function toLocalePath(locale: Locale, path: string): string {
  const prefix = getLocalePrefix(locale);
  if (prefix === '') return path;
  return path === '/' ? prefix : `${prefix}${path.startsWith('/?') || path.startsWith('/#') ? path.slice(1) : path}`;
}
