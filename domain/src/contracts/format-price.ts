/** Matches a price that names its currency, for example `€200`, `200 CHF` or `$200`. */
const HAS_CURRENCY = /\p{Sc}|\b(?:aud|btc|cad|chf|eur|euros?|francs?|gbp|usd|dollars?)\b/iu;
const SPACED_SLASH = /\s*\/\s*/gu;

/**
 * Returns the text that shows the price of an ad, e.g. `$200/h` for `200 / h`. A price without a currency is
 * in dollars. A price that does not begin with a number, such as `on request`, has no dollar sign. Returns null if
 * the ad has no price.
 */
export function formatPrice(price: string | null): string | null {
  const text = price?.trim() ?? '';
  if (text === '') return null;
  const compact = text.replaceAll(SPACED_SLASH, '/');
  return /^\d/u.test(compact) && !HAS_CURRENCY.test(compact) ? `$${compact}` : compact;
}
