import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/**
 * The texts of this package in all languages. The chunk names are the same as in the package `ui`. The build therefore
 * creates one file per language, which contains the texts of both packages.
 */
export const { useText, t } = textsOf(en, {
  de: () => import(/* webpackChunkName: "de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "it" */ './locales/it.json'),
});
