import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** The texts about reviews. They are loaded with the page of an ad. */
export const { useText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "reviews-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "reviews-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "reviews-it" */ './locales/it.json'),
});
