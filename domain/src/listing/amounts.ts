/** The signs that separate thousands, except spaces. A dot and a comma also separate decimals. */
const SEPARATOR = String.raw`[.,'’‘´\x60]`;
/** Marks in place of decimals: `150.-`. */
const NO_CENTS = '[-–—]+';

const NEXT_GROUP = String.raw`${SEPARATOR}\d{3}`;
/**
 * Thousands with separators: `1.500`, `12'500` or `1,500,000`. Three digits after a dot or a comma are thousands.
 * Groups that all have three digits, such as `150,200,300`, are several prices.
 */
const WITH_SEPARATORS = String.raw`(?:[1-9](?:${NEXT_GROUP})+|[1-9]\d{1,2}${NEXT_GROUP})(?!${NEXT_GROUP})`;
/**
 * Thousands with spaces: `1 500`. After three digits, a space separates two prices: `150 200`. So it does in a list of
 * durations and prices: `30 150 60 250` and `15 100/30 150`.
 */
const WITH_SPACES = String.raw`(?:[1-9](?:\s\d{3})+(?!\s\d{3})|[1-9]\d\s\d{3}(?!\s*\/?\s*\d))`;
const DECIMALS = String.raw`(?:[.,](?:\d{1,2}(?!\d)|${NO_CENTS}(?!\d)))?`;

/**
 * The source of a pattern, without groups that capture, that matches one number of a text as people write it: `1500`,
 * `1.500,50`, `1 500`, `1'500.-` or `150,50`.
 */
export const NUMBER_SOURCE = String.raw`(?:(?:${WITH_SEPARATORS}|${WITH_SPACES})(?!\d)|\d+)${DECIMALS}`;

/** The source of a pattern that matches the names of currencies. */
export const CURRENCY_NAME_SOURCE =
  '(?:aud|cad|chf|euros?|eur|francs?|franken|franchi|gbp|nzd|pesos?|pounds?|usd|d[oó]ll?ar[ei]?s?)';
const CURRENCY = String.raw`(?:\p{Sc}|${CURRENCY_NAME_SOURCE}|s?frs?\.?)`;

/** Hours and days of service, e.g. `24/7` or `24h/24`. */
const SERVICE = String.raw`(?:(?:24|7)\s?[hjt]?\s?[/x×]\s?(?:24|7)|h\s?24)(?:\s?[jth])?(?![\p{L}\d])`;
const HOURS = String.raw`(?:1?\d|2[0-4])(?:[.,]5)?\s?(?:h(?:rs?|ours?|eures?)?|std|stunden?|or[ae])`;
const DURATION = String.raw`(?:${HOURS}|\d\d\s?min\p{L}*)(?!\p{L})`;

/** The source of a pattern that matches hours of service, such as `24/7`, and durations, such as `30 min`. */
export const TIME_SOURCE = `(?:${SERVICE}|${DURATION})`;
/** As `TIME_SOURCE`, but matches a duration only if a number follows in the text: `1h 200`, not `200 2h`. */
export const EARLY_TIME_SOURCE = String.raw`(?:${SERVICE}|${DURATION}(?=\D*\d))`;

/** The separator at the end is of an amount that is not typed to the end. */
const AMOUNT = new RegExp(String.raw`^${CURRENCY}?\s*(${NUMBER_SOURCE})[.,]?\s*(k)?\s*${CURRENCY}?$`, 'iu');
const CENTS = /[.,](?:(\d{1,2})|[-–—]+)$/u;

/** The parts of an amount, as ASCII digits. */
export interface AmountParts {
  readonly whole: string;
  /** The digits after the decimal separator: none, one or two. */
  readonly cents: string;
  /** True if the amount is in thousands: `2k`. */
  readonly isInThousands: boolean;
}

/**
 * Splits a text that is one amount, with or without a currency: `1.500`, `$1,500.50`, `1 500 €`, `1'500.-` or `2k`.
 * Returns null for any other text. `1.500` and `1,500` are 1500, because three digits follow the sign. With one or two
 * digits after it, they are decimals.
 */
export function splitAmount(text: string): AmountParts | null {
  const match = AMOUNT.exec(text.trim());
  if (!match) return null;
  const [, number = '', thousands] = match;
  const [decimals = '', cents = ''] = CENTS.exec(number) ?? [];
  return {
    whole: number.slice(0, number.length - decimals.length).replaceAll(/\D/gu, ''),
    cents,
    isInThousands: thousands !== undefined,
  };
}

/** Returns the value of a text that is one amount, as for `splitAmount`. Returns null for any other text. */
export function parseAmount(text: string): number | null {
  const parts = splitAmount(text);
  return parts && Number(`${parts.whole}.${parts.cents}`) * (parts.isInThousands ? 1_000 : 1);
}
