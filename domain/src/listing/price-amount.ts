/** Maximum amount of a price, which is the largest value of the Postgres type `integer`. */
export const PRICE_AMOUNT_MAX = 2_147_483_647;

/**
 * The values by which ads without a price are sorted, by sort order. Ads without a price come last in both sort orders.
 */
export const MISSING_PRICE_SORT_VALUES = { price: PRICE_AMOUNT_MAX, price_desc: -1 } as const;

const FIRST_NUMBER = /\d{1,3}(?:[,'’]\d{3})+(?!\d)|\d+/u;

/**
 * Returns the first whole number in a price (`$1,200 / night` → 1200), for filters and sorting. Returns null if the
 * price contains no number.
 */
export function parsePriceAmount(price: string | null): number | null {
  const digits = price === null ? undefined : FIRST_NUMBER.exec(price)?.[0].replaceAll(/\D/gu, '');
  return digits === undefined ? null : Math.min(PRICE_AMOUNT_MAX, Number(digits));
}
