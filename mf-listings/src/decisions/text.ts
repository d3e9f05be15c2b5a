import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/**
 * The texts of the pages about moderation decisions. They are loaded when the visitor opens the first of these pages.
 */
export const { useText, RichText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "decisions-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "decisions-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "decisions-it" */ './locales/it.json'),
});
