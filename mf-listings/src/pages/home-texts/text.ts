import { textsOf } from '@alpenglow/ui';
import type { TranslateWith } from '../../text.ts';
import en from './locales/en.json';

/** The texts of the home page. They are loaded with this page. */
const texts = textsOf(en, {
  de: () => import(/* webpackChunkName: "home-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "home-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "home-it" */ './locales/it.json'),
});

/** Returns the function that translates the texts of this page and those of all pages. */
export const useText = texts.useText as () => TranslateWith<typeof texts.t>;
