/**
 * The texts of one package, based on Lingui. Every package contains its own copy of this module, and therefore its own
 * Lingui instance. Texts of independently deployed front ends thus cannot overwrite each other
 * (docs/decisions/0030-languages.md).
 */
import { setupI18n, type Messages } from '@lingui/core';
import uiTexts from '../locales/en.json';
import { FORMAT_LOCALES, SOURCE_LOCALE, type Locale } from './locales.ts';

/**
 * The texts of one language by text id, in ICU MessageFormat. They are stored in a file in `locales/`, which the build
 * compiles.
 */
export type Catalog = Readonly<Record<string, unknown>>;
/** Functions that load the catalogs of all languages except the source language. */
export type CatalogLoaders = Readonly<
  Record<Exclude<Locale, typeof SOURCE_LOCALE>, () => Promise<{ readonly default: Catalog }>>
>;
/** Values of the parameters in a text, such as `{count}`. */
export type TextValues = Readonly<Record<string, string | number>>;
/** A function that returns the text with the given id in the current language. */
export type Translate<Id extends string> = (id: Id, values?: TextValues) => string;
/** Ids of the texts of `ui`. Every package may use these texts. */
export type UiTextId = keyof typeof uiTexts;

/** All texts in the source language. `i18n` contains the other languages. */
const source: Record<string, unknown> = { ...uiTexts };
export const i18n = setupI18n({
  locale: SOURCE_LOCALE,
  locales: FORMAT_LOCALES[SOURCE_LOCALE],
  messages: { [SOURCE_LOCALE]: {} },
});

/**
 * Functions that load catalogs, which are sets of texts. All imports of one language have the same chunk name, so that
 * the build creates one file per package and language.
 */
const loaders: CatalogLoaders[] = [
  {
    de: () => import(/* webpackChunkName: "de" */ '../locales/de.json'),
    fr: () => import(/* webpackChunkName: "fr" */ '../locales/fr.json'),
    it: () => import(/* webpackChunkName: "it" */ '../locales/it.json'),
  },
  {
    de: () => import(/* webpackChunkName: "de" */ '../locales/server/de.json'),
    fr: () => import(/* webpackChunkName: "fr" */ '../locales/server/fr.json'),
    it: () => import(/* webpackChunkName: "it" */ '../locales/server/it.json'),
  },
];
/**
 * For each language, the number of `loaders` that were called. `addTexts` may add loaders later. `loadLocale` then
 * calls only the added loaders.
 */
const loaded = new Map<Locale, number>();

/** Adds the texts of a package or of a lazily loaded page. Call this function only once for each catalog. */
export function addTexts(texts: Catalog, catalogLoaders: CatalogLoaders): void {
  Object.assign(source, texts);
  loaders.push(catalogLoaders);
  const { alpenglowHydration: hydration } = globalThis;
  hydration?.loaders.push(() => loadLocale(hydration.locale));
}

/** Checks whether all texts of a language are loaded. */
export const isLoaded = (locale: Locale): boolean => locale === SOURCE_LOCALE || loaded.get(locale) === loaders.length;

/** Loads the missing texts of a language. Rejects if a file cannot be loaded. The next call then tries again. */
export async function loadLocale(locale: Locale): Promise<void> {
  if (locale === SOURCE_LOCALE) return;
  const from = loaded.get(locale) ?? 0;
  const upTo = loaders.length;
  const catalogs = await Promise.all(loaders.slice(from, upTo).map((load) => load[locale]()));
  i18n.load(locale, Object.assign({}, ...catalogs.map((catalog) => catalog.default)) as Messages);
  loaded.set(locale, Math.max(upTo, loaded.get(locale) ?? 0));
}

/** Switches to a language. Texts that could not be loaded are shown in the source language. */
export function activateLocale(locale: Locale): void {
  i18n.load(locale, {});
  i18n.activate(locale, FORMAT_LOCALES[locale]);
}

/** Returns the text of an id in the source language. This text replaces a missing translation. */
export const getSourceText = (id: string): string => source[id] as string;

/**
 * Translates a text outside of React. Components call `useText` instead, because it renders them again when the
 * language changes.
 */
export const t: Translate<UiTextId> = (id, values) => i18n._(id, values, { message: getSourceText(id) });
