import * as z from 'zod/mini';
import { createMarkLimiter, isVisibleText, removeDirectionControls } from './text-characters.ts';

/** Functions that create the schemas of text fields. */

export const REQUIRED_FIELDS_MESSAGE = 'Please fill in all required fields';

const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/u;
const isDisplayable = (text: string) => !CONTROL_CHARACTERS.test(text) && text.isWellFormed();

/**
 * Removes characters that change the display of text outside of their own field: direction controls, and excess
 * combining marks. Pages isolate the text direction of each field, but the character U+2069 (pop directional isolate)
 * would end this isolation.
 */
export const removeDisturbingCharacters = (text: string): string =>
  createMarkLimiter().limit(removeDirectionControls(text));

/**
 * Returns a schema for trimmed text of `min` to `max` characters. The schema rejects text without a visible character.
 * The schema also rejects control characters, because Postgres cannot store U+0000 and the others are invisible.
 */
export function requiredText(label: string, max: number, min = 1) {
  return z
    .string(REQUIRED_FIELDS_MESSAGE)
    .check(
      z.overwrite(removeDisturbingCharacters),
      z.trim(),
      z.refine(isVisibleText, REQUIRED_FIELDS_MESSAGE),
      z.minLength(min, `${label} must be at least ${min} characters`),
      z.maxLength(max, `${label} must be at most ${max} characters`),
      z.refine(isDisplayable, `${label} contains characters that cannot be displayed`),
    );
}

/**
 * Returns a schema for optional, trimmed text of at most `max` characters. Null and text without a visible character
 * both become null.
 */
export function optionalText(label: string, max: number) {
  return z.nullable(
    z.pipe(
      z
        .string(`${label} must be text`)
        .check(
          z.overwrite(removeDisturbingCharacters),
          z.trim(),
          z.maxLength(max, `${label} must be at most ${max} characters`),
          z.refine(isDisplayable, `${label} contains characters that cannot be displayed`),
        ),
      z.transform((text) => (isVisibleText(text) ? text : null)),
    ),
  );
}

/**
 * Returns a schema for trimmed text on one line. Line breaks become spaces, because the text is shown in lists and is
 * part of URLs.
 */
export function requiredLine(label: string, max: number, min = 1) {
  const onOneLine = z.transform((text: unknown) => (typeof text === 'string' ? text.replaceAll(/\s+/gu, ' ') : text));
  return z.pipe(onOneLine, requiredText(label, max, min));
}
