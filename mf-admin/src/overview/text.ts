import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

export const { useText, t, RichText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "panel-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "panel-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "panel-it" */ './locales/it.json'),
});
