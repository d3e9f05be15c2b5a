import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** This package's texts, in the languages of the site. One chunk name a language: ui's texts of it come in the same file. */
export const { useText, t, RichText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "it" */ './locales/it.json'),
});
