import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** The texts of the page of an ad. They are loaded with this page, in one file with the texts about reviews. */
export const { useText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "ad-page-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "ad-page-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "ad-page-it" */ './locales/it.json'),
});
