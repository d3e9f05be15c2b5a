import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** The texts of the pages for login and sign-up. They are loaded with the first of these pages. */
export const { useText, RichText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "auth-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "auth-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "auth-it" */ './locales/it.json'),
});
