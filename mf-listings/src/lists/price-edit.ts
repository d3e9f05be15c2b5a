/** The state of two price fields while the visitor types. This module does not use React. */
import { parsePrice, toPriceRange, type ListFilter } from './filters.ts';

export type Prices = Pick<ListFilter, 'minPrice' | 'maxPrice'>;

/**
 * The texts of the two fields. They exist from the first typed character until the visitor has left the fields and the
 * typed prices are the value of the fields.
 */
export interface PriceEdit {
  readonly from: string;
  readonly to: string;
  /** The prices that were reported but have not yet become the value of the fields. */
  readonly reported: readonly Prices[];
  /**
   * True after the focus has left the fields. The fields then show the typed texts only until the reported prices have
   * become the value of the fields. After that, they show the value.
   */
  readonly isDone: boolean;
}

const isSame = (one: Prices, other: Prices) => one.minPrice === other.minPrice && one.maxPrice === other.maxPrice;
const toText = (price: number | null) => (price === null ? '' : String(price));

/** Returns the texts of the fields for a price range. */
export function toPriceTexts({ minPrice, maxPrice }: Prices): Pick<PriceEdit, 'from' | 'to'> {
  return { from: toText(minPrice), to: toText(maxPrice) };
}

/** Returns the typed prices. They are in the right order, although the texts may not be. */
function getTypedPrices({ from, to }: Pick<PriceEdit, 'from' | 'to'>): Prices {
  return toPriceRange(parsePrice(from), parsePrice(to));
}

/**
 * Returns the edit after the visitor has typed, and the prices to report, or null if they have not changed. `value` is
 * the current value of the fields.
 */
export function typePrice(
  edit: PriceEdit | null,
  value: Prices,
  typed: Partial<Pick<PriceEdit, 'from' | 'to'>>,
): { readonly edit: PriceEdit; readonly prices: Prices | null } {
  const reported = edit?.reported ?? [];
  const texts = { ...(edit ?? toPriceTexts(value)), ...typed };
  const prices = getTypedPrices(texts);
  const isKnown = isSame(prices, reported.at(-1) ?? value);
  return {
    edit: { from: texts.from, to: texts.to, reported: isKnown ? reported : [...reported, prices], isDone: false },
    prices: isKnown ? null : prices,
  };
}

/**
 * Returns the edit after the value of the fields has changed. If the visitor has typed the value, the texts stay. Any
 * other value ends the edit, e.g. after the Back button.
 */
export function followPrices(edit: PriceEdit, value: Prices): PriceEdit | null {
  const index = edit.reported.findLastIndex((prices) => isSame(prices, value));
  if (index < 0) return null;
  const reported = edit.reported.slice(index + 1);
  return edit.isDone && reported.length === 0 ? null : { ...edit, reported };
}

/** Returns the edit after the visitor has left the fields. */
export function finishPrices(edit: PriceEdit | null): PriceEdit | null {
  return edit && edit.reported.length > 0 ? { ...edit, isDone: true } : null;
}
