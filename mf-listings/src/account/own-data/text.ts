import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** Texts of what is held about a person, fetched with the profile. */
export const { useText, RichText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "own-data-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "own-data-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "own-data-it" */ './locales/it.json'),
});
