import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** Texts of pages that are read, not of the first screen: their own files, fetched with the first of these pages. */
export const { useText, t, RichText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "pages-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "pages-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "pages-it" */ './locales/it.json'),
});
