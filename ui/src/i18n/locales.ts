import { COOKIES } from '../host/stored-keys.ts';

/**
 * The languages of the site. They are English and three national languages of Switzerland, where the operator is based.
 * This module uses no browser APIs, because the server imports it too.
 */
export const LOCALES = ['en', 'de', 'fr', 'it'] as const;
export type Locale = (typeof LOCALES)[number];

/** The language in which texts are written first. Its texts are shown if another language cannot be loaded. */
export const SOURCE_LOCALE = 'en' satisfies Locale;

/**
 * BCP 47 locales for numbers and dates. English uses the locale of the United States, because the ads are about places
 * there. The other languages use Swiss formats, for example `1’300` instead of `1.300`.
 */
export const FORMAT_LOCALES: Readonly<Record<Locale, string>> = { en: 'en-US', de: 'de-CH', fr: 'fr-CH', it: 'it-CH' };

/** The name of each language in the language itself, for visitors who do not understand the current language. */
export const LOCALE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  it: 'Italiano',
};

/**
 * The cookie that stores the chosen language. It is strictly necessary, because the server renders pages in this
 * language.
 */
export const LOCALE_COOKIE = COOKIES.locale;

export function isLocale(value: unknown): value is Locale {
  return (LOCALES as readonly unknown[]).includes(value);
}

/**
 * Returns the first preferred language that the site supports, or the source language. `preferred` contains BCP 47 tags
 * in order of preference. A region is ignored, so `de-CH` selects `de`.
 */
export function negotiateLocale(preferred: readonly string[]): Locale {
  for (const tag of preferred) {
    const language = tag.toLowerCase().split('-')[0];
    if (isLocale(language)) return language;
  }
  return SOURCE_LOCALE;
}
