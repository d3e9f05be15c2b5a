import { toWaitUnit } from '@alpenglow/domain/contracts';
import { i18n } from './i18n.ts';
import { SOURCE_LOCALE } from './locales.ts';

/**
 * Translates a message of the server or of a domain rule to the visitor's language. The English message serves as the
 * id of its translation. A message without a translation is returned unchanged.
 * @param left_s remaining waiting time, which replaces the English value of the parameter `{left}`
 */
export function translateServerText(text: string, left_s: number | null = null): string {
  if (i18n.locale === SOURCE_LOCALE) return text;
  if (text in i18n.messages) return i18n._(text);
  for (const id of Object.keys(i18n.messages)) {
    if (!id.includes('{') || !id.includes(' ')) continue;
    const values = extractParameters(text, id);
    if (!values) continue;
    return i18n._(id, left_s === null ? values : { ...values, left: formatWait(left_s) });
  }
  return text;
}

/** Returns the parameters of a text that matches a pattern such as `Wait {seconds} seconds`, otherwise null. */
export function extractParameters(text: string, pattern: string): Readonly<Record<string, string>> | null {
  const parts = pattern
    .split(/\{(\w+)\}/u)
    .map((part, index) => (index % 2 === 0 ? escapeRegExp(part) : `(?<${part}>.+?)`));
  return new RegExp(`^${parts.join('')}$`, 'u').exec(text)?.groups ?? null;
}

const escapeRegExp = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, '\\$&');

function formatWait(left_s: number): string {
  const [value, unit] = toWaitUnit(left_s);
  return new Intl.NumberFormat(i18n.locales, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
