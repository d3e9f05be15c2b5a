import { textsOf } from '../i18n/text.tsx';
import en from './locales/en.json';

/** The texts of reporting, fetched with the dialog. */
export const { useText, RichText } = textsOf(en, {
  de: () => import(/* webpackChunkName: "report-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "report-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "report-it" */ './locales/it.json'),
});
