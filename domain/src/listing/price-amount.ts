import { toAsciiDigits } from '../digits.ts';
import { EARLY_TIME_SOURCE, NUMBER_SOURCE, parseAmount } from './amounts.ts';

/** Maximum amount of a price, which is the largest value of the Postgres type `integer`. */
export const PRICE_AMOUNT_MAX = 2_147_483_647;

/**
 * The values by which ads without a price are sorted, by sort order. Ads without a price come last in both sort orders.
 */
export const MISSING_PRICE_SORT_VALUES = { price: PRICE_AMOUNT_MAX, price_desc: -1 } as const;

const TIME_OR_NUMBER = new RegExp(String.raw`${EARLY_TIME_SOURCE}|(${NUMBER_SOURCE}(?:\s?k(?![\p{L}\d]))?)`, 'giu');

/**
 * Returns the first number in a price without its decimals (`$1,200 / night` → 1200, `1.500,50 €` → 1500), for filters
 * and sorting. Times do not count: `24/7 200` → 200. Returns null if the price contains no number.
 */
export function parsePriceAmount(price: string | null): number | null {
  const found = [...toAsciiDigits(price ?? '').matchAll(TIME_OR_NUMBER)].find(([, number]) => number !== undefined);
  const amount = parseAmount(found?.[1] ?? '');
  return amount === null ? null : Math.min(PRICE_AMOUNT_MAX, Math.floor(amount));
}
