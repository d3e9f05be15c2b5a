/** The languages of the site. The operator is Swiss: English, and three of the national languages. Pure, because the shell's server reads it too. */
export const LOCALES = ['en', 'de', 'fr', 'it'] as const;
export type Locale = (typeof LOCALES)[number];

/** What texts are written in first, and what shows where another language cannot be loaded. */
export const SOURCE_LOCALE = 'en' satisfies Locale;

/** How numbers and dates are written, BCP 47: listings are in the United States, the other languages are those of Switzerland (`1’300`, not `1.300`). */
export const FORMATS: Readonly<Record<Locale, string>> = { en: 'en-US', de: 'de-CH', fr: 'fr-CH', it: 'it-CH' };

/** Each language in its own words, for whoever cannot read the current one. */
export const LOCALE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  it: 'Italiano',
};

/** The cookie that holds a visitor's choice: strictly necessary, since the first HTML is in the chosen language already. */
export const LOCALE_COOKIE = 'locale';

export function isLocale(value: unknown): value is Locale {
  return (LOCALES as readonly unknown[]).includes(value);
}

/** The first of a visitor's languages (BCP 47, best first) that the site speaks: `de-CH` is served by `de`. */
export function localeFor(wanted: readonly string[]): Locale {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split('-')[0];
    if (isLocale(language)) return language;
  }
  return SOURCE_LOCALE;
}
