const LENGTH = 6;
const WHOLE = /(?:^|\D)(\d{6})(?!\d)/u;
/** Matches a separator between digits, which is a space, a dot or a dash. */
const GAP_CHARACTERS = '\\s.\\-\\u2010-\\u2015';
const GAP = `[${GAP_CHARACTERS}]`;
/**
 * Six digits in groups of 1, 2 or 3. Further digits prevent a match, for example in a phone number. The digits before
 * are checked without a lookbehind, which not every supported browser has.
 */
const GROUPED = new RegExp(
  `(?:^|[^\\d${GAP_CHARACTERS}]|(?:^|\\D)${GAP})` +
    `(\\d{3}${GAP}\\d{3}|\\d\\d(?:${GAP}\\d\\d){2}|\\d(?:${GAP}\\d){5})(?!${GAP}?\\d)`,
  'u',
);

/** Returns the 6-digit code in a text such as `Your code is 123 456`. Returns null if there is none. */
export function extractCode(text: string): string | null {
  const match = WHOLE.exec(text) ?? GROUPED.exec(text);
  return match?.[1] === undefined ? null : digitsOf(match[1]);
}

/** Returns the new value of the code field. It is the 6-digit code in `text`, or else the first digits of `text`. */
export function cleanTypedCode(text: string): string {
  return extractCode(text) ?? digitsOf(text).slice(0, LENGTH);
}

const digitsOf = (text: string) => text.replaceAll(/\D/gu, '');
