/**
 * The texts of one package, through Lingui. `ui` is compiled into every package, so each has an instance of its own: catalogs of
 * independently deployed front ends cannot overwrite one another (infra/decisions/0030-languages.md).
 */
import { setupI18n, type Messages } from '@lingui/core';
import uiTexts from '../locales/en.json';
import { FORMATS, SOURCE_LOCALE, type Locale } from './locales.ts';

/** Id → text in ICU MessageFormat, as a JSON file below `locales/`. The build compiles it. */
export type Catalog = Readonly<Record<string, unknown>>;
/** How to fetch each language but the source. */
export type CatalogLoaders = Readonly<
  Record<Exclude<Locale, typeof SOURCE_LOCALE>, () => Promise<{ readonly default: Catalog }>>
>;
/** Values of a text's `{parameters}`. */
export type TextValues = Readonly<Record<string, string | number>>;
/** The text of an id in the current language. */
export type Translate<Id extends string> = (id: Id, values?: TextValues) => string;
/** The ids of `ui`'s own texts, which every package may use. */
export type UiTextId = keyof typeof uiTexts;

/** The source language of all catalogs; `i18n` itself holds the others. */
const source: Record<string, unknown> = { ...uiTexts };
export const i18n = setupI18n({
  locale: SOURCE_LOCALE,
  locales: FORMATS[SOURCE_LOCALE],
  messages: { [SOURCE_LOCALE]: {} },
});

/** One chunk name a language, so that a package's texts of a language are one file. */
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
/** How many of the loaders each language has been through: texts that came later are fetched when they are needed. */
const loaded = new Map<Locale, number>();

/** Adds texts to those that are there: a package's own, or those of a page that is fetched late. Called once for each catalog. */
export function addTexts(texts: Catalog, others: CatalogLoaders): void {
  Object.assign(source, texts);
  loaders.push(others);
}

/** Whether every text is there in a language. */
export const isLoaded = (locale: Locale): boolean => locale === SOURCE_LOCALE || loaded.get(locale) === loaders.length;

/** Fetches what is missing of a language. @throws when it cannot be had; it is asked for again the next time */
export async function loadLocale(locale: Locale): Promise<void> {
  if (locale === SOURCE_LOCALE) return;
  const from = loaded.get(locale) ?? 0;
  const upTo = loaders.length;
  const catalogs = await Promise.all(loaders.slice(from, upTo).map((load) => load[locale]()));
  i18n.load(locale, Object.assign({}, ...catalogs.map((catalog) => catalog.default)) as Messages);
  loaded.set(locale, Math.max(upTo, loaded.get(locale) ?? 0));
}

/** Switches to a language. What could not be fetched of it is shown in the source language. */
export function activateLocale(locale: Locale): void {
  i18n.load(locale, {});
  i18n.activate(locale, FORMATS[locale]);
}

/** The source language's text of an id, as Lingui takes it: what is shown where a language lacks it. */
export const sourceText = (id: string): string => source[id] as string;

/** For code outside React. Components use `useText`, so that they are shown anew in another language. */
export const t: Translate<UiTextId> = (id, values) => i18n._(id, values, { message: sourceText(id) });
