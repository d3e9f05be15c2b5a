import { textsOf } from '@alpenglow/ui';
import type { TranslateWith } from '../../text.ts';
import en from './locales/en.json';

/**
 * The texts of the page of a city. They are loaded with this page.
 * Their translations are in the file of the language, so that no further file is requested.
 */
const texts = textsOf(en, {
  de: () => import(/* webpackChunkName: "de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "it" */ './locales/it.json'),
});

/** Returns the function that translates these texts and those of all pages. */
export const useText = texts.useText as () => TranslateWith<typeof texts.t>;
