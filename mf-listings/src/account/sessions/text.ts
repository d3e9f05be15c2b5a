import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** The texts about sessions. They are loaded together with the profile page. */
export const { useText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "account-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "account-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "account-it" */ './locales/it.json'),
});
