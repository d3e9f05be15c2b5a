import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** The texts about reviews. They are loaded with the page of an ad, in one file with its own texts. */
export const { useText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "ad-page-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "ad-page-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "ad-page-it" */ './locales/it.json'),
});
