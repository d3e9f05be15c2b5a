import * as z from 'zod/mini';
import { createMarkLimiter, isVisibleText, removeDirectionControls } from './text-characters.ts';

/** Functions that create the schemas of text fields. */

export const REQUIRED_FIELDS_MESSAGE = 'Please fill in all required fields';

/** Line and page breaks of word processors and mainframes. */
const OTHER_BREAKS = /[\u000b\u000c\u0085]/gu;

/** Control characters except white space, and halves of a surrogate pair. */
const UNUSABLE = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\p{Cs}]/u;

/**
 * Returns a check that rejects a text with an unusable character, because Postgres cannot store U+0000 and the others
 * are invisible. The message says where the character is. The check must be the first one, so that it counts the
 * characters of the text as entered.
 */
export const isDisplayable = (label: string) =>
  z.refine<string>((text) => !UNUSABLE.test(text), {
    abort: true,
    error: ({ input }) => {
      const before = String(input).slice(0, String(input).search(UNUSABLE));
      return `${label} contains a character that cannot be displayed at position ${[...before].length + 1}`;
    },
  });

/**
 * Removes characters that change the display of text outside of their own field: direction controls, and excess
 * combining marks. Breaks of word processors become line breaks. Pages isolate the text direction of each field, but
 * the character U+2069 (pop directional isolate) would end this isolation.
 */
const removeDisturbingCharacters = (text: string): string =>
  createMarkLimiter().limit(removeDirectionControls(text).replaceAll(OTHER_BREAKS, '\n'));

/** Returns a text without disturbing characters, in which white space is one space, for display on one line. */
export const toOneLine = (text: string): string => removeDisturbingCharacters(text).replaceAll(/\s+/gu, ' ');

/**
 * Returns a schema for trimmed text of `min` to `max` characters. The schema rejects text without a visible character.
 * @param tidy changes the text before it is checked, and removes disturbing characters
 */
export function requiredText(label: string, max: number, min = 1, tidy = removeDisturbingCharacters) {
  return z
    .string(REQUIRED_FIELDS_MESSAGE)
    .check(
      isDisplayable(label),
      z.overwrite(tidy),
      z.trim(),
      z.refine(isVisibleText, REQUIRED_FIELDS_MESSAGE),
      z.minLength(min, `${label} must be at least ${min} characters`),
      z.maxLength(max, `${label} must be at most ${max} characters`),
    );
}

/**
 * Returns a schema for optional, trimmed text of at most `max` characters. Null and text without a visible character
 * both become null.
 * @param tidy changes the text before it is checked, and removes disturbing characters
 * @param tooLong returns the message about a tidied text that is too long
 */
export function optionalText(
  label: string,
  max: number,
  tidy = removeDisturbingCharacters,
  tooLong: (text: string) => string = () => `${label} must be at most ${max} characters`,
) {
  return z.nullable(
    z.pipe(
      z
        .string(`${label} must be text`)
        .check(
          isDisplayable(label),
          z.overwrite(tidy),
          z.trim(),
          z.maxLength(max, { error: ({ input }) => tooLong(typeof input === 'string' ? input : '') }),
        ),
      z.transform((text) => (isVisibleText(text) ? text : null)),
    ),
  );
}

/**
 * Returns a schema for trimmed text on one line. Line breaks become spaces, because the text is shown in lists and is
 * part of URLs.
 */
export const requiredLine = (label: string, max: number, min = 1) => requiredText(label, max, min, toOneLine);

/** Returns a schema for optional text on one line, as `requiredLine`. */
export const optionalLine = (label: string, max: number) => optionalText(label, max, toOneLine);
