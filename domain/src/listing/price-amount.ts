/** Of Postgres's `integer`. */
export const PRICE_AMOUNT_MAX = 2_147_483_647;

/** What an ad that names no price counts as where prices make the order: it comes last, whichever way they go. */
export const PRICE_LAST = { price: PRICE_AMOUNT_MAX, price_desc: -1 } as const;

const FIRST_NUMBER = /\d{1,3}(?:[,'’]\d{3})+(?!\d)|\d+/u;

/** The first whole number of a price as its poster wrote it (`$1,200 / night` → 1200), for filters and order; null when it names none. */
export function priceAmountOf(price: string | null): number | null {
  const digits = price === null ? undefined : FIRST_NUMBER.exec(price)?.[0].replaceAll(/\D/gu, '');
  return digits === undefined ? null : Math.min(PRICE_AMOUNT_MAX, Number(digits));
}
