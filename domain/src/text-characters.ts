/** Characters that change text outside of their field, and characters without a visible form. */

/**
 * Maximum number of combining marks on one character. No language needs more, and hundreds would cover adjacent lines.
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

/** Creates a limiter of combining marks on one character. It also counts across several parts of a text. */
export function createMarkLimiter() {
  let marks = 0;
  return {
    limit(part: string): string {
      if (marks === 0 && !/\p{M}/u.test(part)) return part;
      let result = '';
      for (const character of part) {
        if (/\p{M}/u.test(character)) marks += 1;
        // A format character between two marks does not reset the count, because it is not a visible character.
        else if (!/\p{Cf}/u.test(character)) marks = 0;
        if (marks <= MAX_MARKS || !/\p{M}/u.test(character)) result += character;
      }
      return result;
    },
    /** Starts a new text, so that its marks do not count for a character of the previous text. */
    reset(): void {
      marks = 0;
    },
  };
}
