import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** The texts of the pages about decisions. They are loaded with the first page that is opened. */
export const { useText, RichText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "decisions-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "decisions-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "decisions-it" */ './locales/it.json'),
});
