/** Matches a price that names its currency, for example `€200`, `200 CHF` or `$200`. */
const HAS_CURRENCY = /\p{Sc}|\b(?:aud|btc|cad|chf|eur|euros?|francs?|gbp|usd|dollars?)\b/iu;
const SPACED_SLASH = /\s*\/\s*/gu;
/** The amounts at the beginning of a price: `200`, `$1,200`, `2k`, `200/350/500` or `$200 - $300`. */
const AMOUNTS = /^(?:\$\s?)?\d[\d.,’']*(?:k\b)?(?:\s?[/–-]\s?(?:\$\s?)?\d[\d.,’']*(?:k\b)?)*/iu;
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
 * German. A price without a currency is in dollars. A price that does not begin with an amount stays unchanged. Returns
 * null if the ad has no price.
 * @param locale a BCP 47 tag, such as `de-CH`
 */
export function formatPrice(price: string | null, locale: string): string | null {
  const compact = price?.trim().replaceAll(SPACED_SLASH, '/') ?? '';
  if (compact === '') return null;
  const language = locale.slice(0, 2);
  if (IS_ON_REQUEST.test(compact)) return ON_REQUEST[language] ?? compact;
  const [amounts = ''] = AMOUNTS.exec(compact) ?? [];
  const rest = compact.slice(amounts.length);
  if (amounts === '' || HAS_CURRENCY.test(rest)) return compact;
  const plain = amounts.replaceAll(/\$\s?/gu, '');
  return (language === 'en' ? `$${plain}` : `${plain}\u00A0$`) + rest;
}
