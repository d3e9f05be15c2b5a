import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** The texts about the own ad. They are loaded with the first page that shows it. */
export const { useText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "own-ad-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "own-ad-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "own-ad-it" */ './locales/it.json'),
});
