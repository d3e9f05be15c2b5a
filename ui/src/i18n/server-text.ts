import { i18n } from './i18n.ts';
import { SOURCE_LOCALE } from './locales.ts';

/**
 * What the server, or a field rule of the domain, says, in the visitor's language. Both speak English (specification, section 8); the
 * English text is the id of its translation. A text nobody has translated, e.g. another server's, stays as it is.
 * @param left_s how long to wait, where a text has `{left}`: its English words are replaced by the visitor's
 */
export function serverText(text: string, left_s: number | null = null): string {
  if (i18n.locale === SOURCE_LOCALE) return text;
  if (text in i18n.messages) return i18n._(text);
  for (const id of Object.keys(i18n.messages)) {
    if (!id.includes('{') || !id.includes(' ')) continue;
    const values = valuesIn(text, id);
    if (!values) continue;
    return i18n._(id, left_s === null ? values : { ...values, left: waitInWords(left_s) });
  }
  return text;
}

/** The values of a text that was made from a pattern such as `Try again in {seconds} seconds`; null when it was not. */
export function valuesIn(text: string, pattern: string): Readonly<Record<string, string>> | null {
  const parts = pattern.split(/\{(\w+)\}/u).map((part, index) => (index % 2 === 0 ? escaped(part) : `(?<${part}>.+?)`));
  return new RegExp(`^${parts.join('')}$`, 'u').exec(text)?.groups ?? null;
}

const escaped = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, '\\$&');

function waitInWords(left_s: number): string {
  const [value, unit] = left_s < 60 ? [left_s, 'second'] : [Math.ceil(left_s / 60), 'minute'];
  return new Intl.NumberFormat(i18n.locales, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
