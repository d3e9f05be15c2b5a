import * as z from 'zod/mini';
import { PRICE_AMOUNT_MAX } from '../listing/price-amount.ts';

/**
 * Schemas of query parameters. A schema parses the text of the query string, and the API document describes the same
 * schema. An absent filter becomes null. So does an empty one, if its pattern accepts an
 * empty text. A `refine` is not part of the document.
 */

const NOT_SINGLE = 'Each filter can be given only once';
const TOO_LONG = 'This filter is too long';

export const orNull = z.transform((text: string | undefined) => text || null);

/** A whole number from 1 to `max`. The default is `fallback`. */
export function limitUpTo(max: number, fallback: number) {
  const reason = `limit must be a whole number from 1 to ${max}`;
  const toNumber = (input: unknown) =>
    typeof input === 'string' && /^[0-9]{1,3}$/u.test(input) ? Number(input) : (input ?? fallback);
  return z.pipe(z.transform(toNumber), z.int(reason).check(z.minimum(1, reason), z.maximum(max, reason)));
}

/** A text of at most `max` characters. Surrounding spaces are removed. */
export const filterUpTo = (max: number) =>
  z.pipe(z.optional(z.string(NOT_SINGLE).check(z.trim(), z.maxLength(max, TOO_LONG))), orNull);

/** A search text of at most `max` characters, which are in `characters`. Surrounding spaces are removed. */
export const wordsUpTo = (max: number, characters = /^\P{Cc}*$/u) =>
  z.pipe(
    z.optional(
      z.string(NOT_SINGLE).check(
        z.trim(),
        z.maxLength(max, TOO_LONG),
        z.refine((text) => characters.test(text), 'The search contains unsupported characters'),
      ),
    ),
    orNull,
  );

/** A text that matches `pattern`. */
export const textLike = (pattern: RegExp, reason: string) =>
  z.pipe(z.optional(z.string(NOT_SINGLE).check(z.regex(pattern, reason))), orNull);

/** A text that matches `pattern` without its surrounding spaces. */
export const trimmedLike = (pattern: RegExp, reason: string) =>
  z.pipe(z.optional(z.string(NOT_SINGLE).check(z.trim(), z.regex(pattern, reason))), orNull);

/**
 * A price limit is always less than the largest possible price, because ads without a price are sorted by that price.
 */
const priceLimit = (name: string) =>
  z.pipe(
    trimmedLike(/^[0-9]{0,10}$/u, `${name} must be a whole number`),
    z.transform((text) => (text === null ? null : Math.min(PRICE_AMOUNT_MAX - 1, Number(text)))),
  );
export const minPrice = priceLimit('minPrice');
export const maxPrice = priceLimit('maxPrice');

/** One of the allowed values. The default is `fallback`, or null. */
export const choice = <const Value extends string, Fallback extends Value | null = null>(
  name: string,
  allowed: readonly Value[],
  fallback: Fallback = null as Fallback,
) =>
  z.pipe(
    optionalChoice(allowed, `${name} must be one of ${allowed.join(', ')}`),
    z.transform((value: Value | undefined): Value | Fallback => value ?? fallback),
  );

/** A filter that is true or false. */
export const flag = (name: string) =>
  z.pipe(
    optionalChoice(['true', '1', 'false', '0'], `${name} must be true or 1`),
    z.transform((text) => (text === undefined ? null : text === 'true' || text === '1')),
  );

function optionalChoice<const Value extends string>(allowed: readonly Value[], reason: string) {
  return z.pipe(
    z.transform((input: unknown) => (input === '' ? undefined : input)),
    z.optional(z.enum(allowed, reason)),
  );
}
