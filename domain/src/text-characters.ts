/**
 * Functions for characters that change the display of text outside of their own field, and for characters without a
 * visible form.
 */

/**
 * Maximum number of combining marks, such as accents, on one character. No language needs more. Hundreds of marks would
 * cover the lines above and below.
 */
const MAX_MARKS = 8;

/**
 * Matches characters that embed, override or isolate a text direction (U+202A–202E, U+2066–2069), because they could
 * reverse the rest of the page. Also matches deprecated format characters (U+206A–206F). The direction marks U+200E and
 * U+200F do not match, because they are harmless.
 */
const DIRECTION_CONTROLS = /[\u202A-\u202E\u2066-\u206F]/gu;

const VISIBLE = /[^\s\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Checks whether a text has at least one visible character. */
export const isVisibleText = (text: string): boolean => VISIBLE.test(text);

export const removeDirectionControls = (text: string): string => text.replace(DIRECTION_CONTROLS, '');

/**
 * Creates an object that removes excess combining marks from a text. The text may be passed to `limit` in several
 * parts, because the marks are counted across parts.
 */
export function createMarkLimiter() {
  let marks = 0;
  return {
    limit(part: string): string {
      if (marks === 0 && !/\p{M}/u.test(part)) return part;
      let result = '';
      for (const character of part) {
        if (/\p{M}/u.test(character)) marks += 1;
        // A format character is invisible, so it does not start a new count of marks.
        else if (!/\p{Cf}/u.test(character)) marks = 0;
        if (marks <= MAX_MARKS || !/\p{M}/u.test(character)) result += character;
      }
      return result;
    },
    /** Starts a new text. Its marks do not count for the last character of the previous text. */
    reset(): void {
      marks = 0;
    },
  };
}
