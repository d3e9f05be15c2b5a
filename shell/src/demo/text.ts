import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** The texts of the guide through the demo. They are loaded only in a demo. */
export const { useText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "demo-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "demo-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "demo-it" */ './locales/it.json'),
});
