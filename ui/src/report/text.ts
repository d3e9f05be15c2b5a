import { registerTexts } from '../i18n/text.tsx';
import en from './locales/en.json';

/** The texts of the report dialog. They are loaded together with the dialog. */
export const { useText, RichText } = registerTexts(en, {
  de: () => import(/* webpackChunkName: "report-de" */ './locales/de.json'),
  fr: () => import(/* webpackChunkName: "report-fr" */ './locales/fr.json'),
  it: () => import(/* webpackChunkName: "report-it" */ './locales/it.json'),
});
