import { DomainError, LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '@alpenglow/domain';
import * as z from 'zod/mini';

export const NOT_SINGLE = 'Each filter can be given only once';
export const BAD_FILTER = 'This filter is invalid';
export const BAD_CURSOR = 'This cursor is invalid';
const TOO_LONG = 'This filter is too long';

/** Creates the validation schema of a page size from 1 to `max`. The default is `fallback`. */
export function limitUpTo(max: number, fallback: number) {
  const reason = `limit must be a whole number from 1 to ${max}`;
  const text = z.string(reason).check(
    z.regex(/^[0-9]{1,3}$/u, reason),
    z.refine((digits) => Number(digits) >= 1 && Number(digits) <= max, reason),
  );
  return z.pipe(z._default(text, String(fallback)), z.transform(Number));
}

/** The validation schema of the page size of a list. */
export const listLimit = limitUpTo(LIST_LIMIT_MAX, LIST_LIMIT_DEFAULT);

/**
 * Creates the validation schema of an optional text filter of at most `max` characters. Surrounding spaces are removed.
 */
export const filterUpTo = (max: number) => z.optional(z.string(NOT_SINGLE).check(z.trim(), z.maxLength(max, TOO_LONG)));

/**
 * Creates the validation schema of an optional search text of at most `max` characters. The text must match the pattern
 * `characters`.
 */
export const wordsUpTo = (max: number, characters = /^\P{Cc}*$/u) =>
  z.optional(
    z
      .string(NOT_SINGLE)
      .check(z.trim(), z.maxLength(max, TOO_LONG), z.regex(characters, 'The search contains unsupported characters')),
  );

/** Creates the validation schema of an optional filter, which must be empty or one of the allowed values. */
export const choice = <T extends string>(name: string, allowed: readonly T[]) =>
  z.optional(z.union([z.literal(''), z.enum(allowed)], `${name} must be one of ${allowed.join(', ')}`));

/** Creates the validation schema of an optional filter, which must be true, false or empty. */
export const flag = (name: string) =>
  z.optional(z.union([z.literal(''), z.enum(['true', '1', 'false', '0'])], `${name} must be true or 1`));

/** Returns the error for an invalid query parameter. */
export function createFieldError(field: string, reason: string): DomainError {
  return new DomainError('INVALID_FIELDS', { reason }, null, { [field]: reason });
}

/** Creates the error for a page cursor that does not belong to the requested list. */
export function createCursorError(): DomainError {
  return createFieldError('cursor', 'This cursor belongs to a different list');
}
