import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/**
 * The texts of this package in all languages. The webpack chunk of a language has the same name as in the package `ui`,
 * so that one file contains the texts of both packages.
 */
export const { useText, t } = textsOf(en, {
  de: () => import(/* webpackChunkName: "de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "it" */ './locales/it.json'),
});

/** A function that translates the texts of a part of this package, which `Own` translates, and those of all pages. */
export type TranslateWith<Own extends (...call: never[]) => string> = (
  ...call: Parameters<Own> | Parameters<typeof t>
) => string;
