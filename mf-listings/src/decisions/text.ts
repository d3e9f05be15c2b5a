import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** Texts of the pages about decisions, fetched with the first of them. */
export const { useText, RichText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "decisions-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "decisions-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "decisions-it" */ './locales/it.json'),
});
