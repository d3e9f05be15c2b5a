import { setupI18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import type { Locale } from '@alpenglow/ui/locales';
import de from './locales/de.json' with { type: 'json' };
import en from './locales/en.json' with { type: 'json' };
import fr from './locales/fr.json' with { type: 'json' };
import it from './locales/it.json' with { type: 'json' };

export type TextId = keyof typeof en;
/** A function that returns the text with the given id in one language. */
export type Text = (id: TextId, values?: Readonly<Record<string, string | number>>) => string;

const CATALOGS: Readonly<Record<Locale, Readonly<Record<TextId, string>>>> = { en, de, fr, it };

/** Compiles all texts of the first HTML in one language. This happens once, when the server starts. */
function textIn(locale: Locale): Text {
  const messages = Object.fromEntries(Object.entries(CATALOGS[locale]).map(([id, text]) => [id, compileMessage(text)]));
  const i18n = setupI18n({ locale, messages: { [locale]: messages } });
  return (id, values) => i18n._(id, values);
}

export const TEXTS: Readonly<Record<Locale, Text>> = {
  en: textIn('en'),
  de: textIn('de'),
  fr: textIn('fr'),
  it: textIn('it'),
};
