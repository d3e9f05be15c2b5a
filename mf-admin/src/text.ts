import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/**
 * The texts of this package in the languages of the site. The webpack chunk of a language has the same name as in the
 * package `ui`, so that one file contains the texts of both packages.
 */
export const { useText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "it" */ './locales/it.json'),
});

/** Returns the text with an id, or `fallback` if there is no such text. */
export const translateOr = (t: ReturnType<typeof useText>, id: string, fallback: string): string =>
  id in en ? t(id as keyof typeof en) : fallback;
