import { textsOf } from '@alpenglow/ui';
import en from './locales/en.json';

/** The texts of the lazily loaded pages. They are loaded with the first page that is opened. */
export const { useText, t, RichText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "reading-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "reading-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "reading-it" */ './locales/it.json'),
});

export type TextId = Parameters<typeof t>[0];
