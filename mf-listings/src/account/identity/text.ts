import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** Texts of a provider's request to be verified, fetched with the profile. */
export const { useText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "identity-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "identity-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "identity-it" */ './locales/it.json'),
});
