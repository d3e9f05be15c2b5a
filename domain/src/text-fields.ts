import * as z from 'zod/mini';

/** Functions that create the schemas of text fields. */

export const REQUIRED_FIELDS_MESSAGE = 'Please fill in all required fields';

const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/u;
const isDisplayable = (text: string) => !CONTROL_CHARACTERS.test(text) && text.isWellFormed();

/**
 * Returns a schema for trimmed text of `min` to `max` characters. It rejects control characters, because Postgres
 * cannot store U+0000 and people cannot see the others.
 */
export function requiredText(label: string, max: number, min = 1) {
  return z
    .string(REQUIRED_FIELDS_MESSAGE)
    .check(
      z.trim(),
      z.minLength(1, REQUIRED_FIELDS_MESSAGE),
      z.minLength(min, `${label} must be at least ${min} characters`),
      z.maxLength(max, `${label} must be at most ${max} characters`),
      z.refine(isDisplayable, `${label} contains characters that cannot be displayed`),
    );
}

/** Returns a schema for optional, trimmed text of at most `max` characters. Null and blank text both become null. */
export function optionalText(label: string, max: number) {
  return z.nullable(
    z.pipe(
      z
        .string(`${label} must be text`)
        .check(
          z.trim(),
          z.maxLength(max, `${label} must be at most ${max} characters`),
          z.refine(isDisplayable, `${label} contains characters that cannot be displayed`),
        ),
      z.transform((text) => (text === '' ? null : text)),
    ),
  );
}

/** Characters that change the direction of the following text. They also affect text outside of their field. */
const DIRECTION_OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Removes direction overrides from text that is shown in a line with other text. A page isolates the text, but U+2069
 * ends this isolation.
 */
export const removeDirectionOverrides = (text: string): string => text.replaceAll(DIRECTION_OVERRIDES, '');

/**
 * Returns a schema for trimmed text on one line. Line breaks become spaces, because lists and URLs contain the text.
 */
export function requiredLine(label: string, max: number, min = 1) {
  const onOneLine = z.transform((text: unknown) =>
    typeof text === 'string' ? removeDirectionOverrides(text).replaceAll(/\s+/gu, ' ') : text,
  );
  return z.pipe(onOneLine, requiredText(label, max, min));
}
