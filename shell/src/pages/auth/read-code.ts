const LENGTH = 6;
/** Six digits in a row. */
const WHOLE = /(?<!\d)\d{6}(?!\d)/u;
/** Six digits in groups of 1, 2 or 3, with a space, a dot or a dash between groups; not a piece of a date or a telephone number. */
const GROUPED =
  /(?<!\d[\s.\-\u2010-\u2015]?)(?:\d{3}[\s.\-\u2010-\u2015]\d{3}|\d\d(?:[\s.\-\u2010-\u2015]\d\d){2}|\d(?:[\s.\-\u2010-\u2015]\d){5})(?![\s.\-\u2010-\u2015]?\d)/u;

/** The 6-digit code in a text such as `Your code is 123 456`; null when there is none. */
export function readCode(text: string): string | null {
  const found = WHOLE.exec(text) ?? GROUPED.exec(text);
  return found ? digitsOf(found[0]) : null;
}

/** What the code field holds after something was typed, filled in or dropped there: the code in it, else its digits so far. */
export function typedCode(text: string): string {
  return readCode(text) ?? digitsOf(text).slice(0, LENGTH);
}

const digitsOf = (text: string) => text.replaceAll(/\D/gu, '');
