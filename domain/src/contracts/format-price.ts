import { NUMBER_SOURCE, splitAmount } from '../listing/amounts.ts';

/** Matches a price that names its currency, for example `€200`, `200 CHF` or `$200`. */
const HAS_CURRENCY = /\p{Sc}|\b(?:aud|btc|cad|chf|eur|euros?|francs?|gbp|usd|dollars?)\b/iu;
const SPACED_SLASH = /\s*\/\s*/gu;
/** Runs of digits with separators. A run is one number or several: `1.500`, `1 500` or `150,200,300`. */
const RUNS = /\d+(?:[.,'’‘´\x60\s]\d+)*(?:[.,][-–—]+(?!\d))?/gu;
const WITH_THOUSANDS = /\d\D+\d{3}(?!\d)|[-–—]$/u;
/** The amounts at the beginning of a price: `200`, `$1,200`, `2k`, `200/350/500`, `150,200` or `$200 - $300`. */
const AMOUNTS = new RegExp(
  String.raw`^(?:\$\s?)?${NUMBER_SOURCE}(?:k\b)?(?:\s?[/–,-]\s?(?:\$\s?)?${NUMBER_SOURCE}(?:k\b)?)*`,
  'iu',
);
/**
 * The separators of thousands and decimals, by language. `Intl` is not used, because its separators differ between
 * browsers and servers, and the first HTML must be the same as in the browser.
 */
const SEPARATORS: Readonly<Record<string, readonly [string, string]>> = {
  de: ['’', '.'],
  fr: ['\u202F', ','],
  it: ['’', '.'],
};
const ENGLISH_SEPARATORS = [',', '.'] as const;
const BEFORE_THREE_DIGITS = /\B(?=(?:\d{3})+$)/gu;
/** The words for a price that is not stated, in the languages of the site. */
const ON_REQUEST: Readonly<Record<string, string>> = {
  en: 'on request',
  de: 'auf Anfrage',
  fr: 'sur demande',
  it: 'su richiesta',
};
/** These words alone, or after the word for a price. */
const IS_ON_REQUEST = new RegExp(
  `^(?:(?:price|preis|prix|prezz|rate|tari)\\p{L}*\\s?:?\\s)?(?:up)?(?:${Object.values(ON_REQUEST).join('|')})[.!]?$`,
  'iu',
);

/**
 * Returns the text that shows the price of an ad: for `200 / h` or `$200/h`, this is `$200/h`, or `200 $/h` in
 * German. Numbers have the separators of the language: `1.500` is `$1,500` in English. A price without a currency is in
 * dollars. The rest of a price that does not begin with an amount stays unchanged. Returns null if the ad has no price.
 * @param locale a BCP 47 tag, such as `de-CH`
 */
export function formatPrice(price: string | null, locale: string): string | null {
  const compact = price?.trim().replaceAll(SPACED_SLASH, '/') ?? '';
  if (compact === '') return null;
  const language = locale.slice(0, 2);
  if (IS_ON_REQUEST.test(compact)) return ON_REQUEST[language] ?? compact;
  const [amounts = ''] = AMOUNTS.exec(compact) ?? [];
  const rest = compact.slice(amounts.length);
  if (amounts === '' || HAS_CURRENCY.test(rest)) return formatNumbers(compact, language);
  // The text does not begin with an amount, but with another number, such as `0.500`.
  if (/^[.,'’‘´\x60]/u.test(rest)) return compact;
  const plain = formatNumbers(amounts.replaceAll(/\$\s?/gu, ''), language);
  // The rest may contain times and dates, in which a dot is no separator of decimals.
  const changed = formatNumbers(rest, language, (run) => WITH_THOUSANDS.test(run));
  return (language === 'en' ? `$${plain}` : `${plain}\u00A0$`) + changed;
}

/** Replaces the separators of the numbers in a text. Numbers without separators, and all others, stay as they are. */
function formatNumbers(text: string, language: string, isChanged: (run: string) => boolean = () => true): string {
  const [thousands, decimals] = SEPARATORS[language] ?? ENGLISH_SEPARATORS;
  return text.replaceAll(RUNS, (run) => {
    const { whole, cents } = splitAmount(run) ?? { whole: run, cents: '' };
    if (whole === run || !isChanged(run)) return run;
    return whole.replaceAll(BEFORE_THREE_DIGITS, thousands) + (cents && decimals + cents);
  });
}
