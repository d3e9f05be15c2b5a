import {
  CURRENCY_NAME_SOURCE,
  EARLY_TIME_SOURCE,
  NUMBER_SOURCE,
  splitAmount,
  TIME_SOURCE,
} from '../listing/amounts.ts';

/** These days after `Fr` mean that it is Friday, e.g. `Fr-So`. */
const NO_WEEKDAYS = String.raw`(?!\p{L}|\s?[-–/&+]\s?(?:sa|so|su|di))`;
/**
 * Matches the name or the sign of a currency, e.g. in `€200`, `200 CHF` or `$200`. `Fr` also means Friday. It counts as
 * francs only right after the amounts, where the searched text begins, or with a dot that follows no dash: `Mo.-Fr.`.
 */
const HAS_CURRENCY = new RegExp(
  String.raw`\p{Sc}|\b(?:btc|${CURRENCY_NAME_SOURCE})\b|^\s?s?frs?\.?${NO_WEEKDAYS}|` +
    String.raw`(?:[^\s–/&+-]\s+|[^\s\p{L}–/&+-])s?frs?\.${NO_WEEKDAYS}`,
  'iu',
);
/** Matches an amount with a mark in place of decimals, as prices in francs have it: `150.-`. */
const HAS_MARK = /\d[.,][-–—]+(?!\d)/u;
const SPACED_SLASH = /\s*\/\s*/gu;
/** Times, and runs of digits with separators. A run is one number or several: `1.500` or `150,200,300`. */
const RUNS = new RegExp(String.raw`${EARLY_TIME_SOURCE}|\d+(?:[.,'’‘´\x60\s]\d+)*(?:[.,][-–—]+(?!\d))?`, 'giu');
const WITH_THOUSANDS = /\d\D+\d{3}(?!\d)|[-–—]$/u;
/** The amounts at the beginning of a price: `200`, `$1,200`, `2k`, `200/350/500`, `150,200` or `$200 - $300`. */
const AMOUNTS = new RegExp(
  String.raw`^(?!${EARLY_TIME_SOURCE})(?:\$\s?)?${NUMBER_SOURCE}(?:k\b)?` +
    String.raw`(?:\s?[/–,-]\s?(?!${TIME_SOURCE})(?:\$\s?)?${NUMBER_SOURCE}(?:k\b)?)*`,
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
 * dollars, unless it is written like one in francs, e.g. `200.-`. The rest of a price that does not begin with an
 * amount stays unchanged. Returns null if the ad has no price.
 * @param locale a BCP 47 tag, such as `de-CH`
 */
export function formatPrice(price: string | null, locale: string): string | null {
  const compact = price?.trim().replaceAll(SPACED_SLASH, '/') ?? '';
  if (compact === '') return null;
  const language = locale.slice(0, 2);
  if (IS_ON_REQUEST.test(compact)) return ON_REQUEST[language] ?? compact;
  const [amounts = ''] = AMOUNTS.exec(compact) ?? [];
  const rest = compact.slice(amounts.length);
  const hasCurrency = HAS_CURRENCY.test(rest);
  const isInFrancs = HAS_MARK.test(compact) && !hasCurrency && !HAS_CURRENCY.test(compact);
  if (amounts === '' || hasCurrency || isInFrancs) return formatNumbers(compact, language, isInFrancs);
  // The text does not begin with an amount, but with another number, such as `0.500`.
  if (/^[.,'’‘´\x60]\d/u.test(rest)) return compact;
  const plain = formatNumbers(amounts.replaceAll(/\$\s?/gu, ''), language);
  // The rest may contain times and dates, in which a dot is no separator of decimals.
  const changed = rest.replaceAll(RUNS, (run) => (WITH_THOUSANDS.test(run) ? formatNumbers(run, language) : run));
  return (language === 'en' ? `$${plain}` : `${plain}\u00A0$`) + changed;
}

/**
 * Replaces the separators of the numbers in a text. Numbers without separators, and all others, stay as they are.
 * @param showsMarks true if marks in place of decimals stay, because nothing else shows the currency
 */
function formatNumbers(text: string, language: string, showsMarks = false): string {
  const [thousands, decimals] = SEPARATORS[language] ?? ENGLISH_SEPARATORS;
  return text.replaceAll(RUNS, (run) => {
    const { whole, cents } = splitAmount(run) ?? { whole: run, cents: '' };
    if (whole === run) return run;
    const [mark = ''] = (showsMarks && /[.,][-–—]+$/u.exec(run)) || [];
    return whole.replaceAll(BEFORE_THREE_DIGITS, thousands) + (cents && decimals + cents) + mark;
  });
}
