import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** Texts of two-step sign-in, fetched with the profile. */
export const { useText, RichText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "two-step-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "two-step-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "two-step-it" */ './locales/it.json'),
});
