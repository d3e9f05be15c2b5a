import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** The texts of the pages about removal requests. */
export const { useText, RichText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "removal-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "removal-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "removal-it" */ './locales/it.json'),
});
