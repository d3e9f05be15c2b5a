import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** The texts about sessions. They are loaded together with the profile page. */
export const { useText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "sessions-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "sessions-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "sessions-it" */ './locales/it.json'),
});
