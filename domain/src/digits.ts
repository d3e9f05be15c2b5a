const DIGIT = /\p{Nd}/u;
const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu;

/** Returns the value of a decimal digit of any script. The digits of a script follow each other. */
function valueOfDigit(codePoint: number): number {
  let value = 0;
  while (value < 9 && DIGIT.test(String.fromCodePoint(codePoint - value - 1))) value += 1;
  return value;
}

/** Returns a text with ASCII digits instead of the decimal digits of other scripts. */
export const toAsciiDigits = (text: string): string =>
  text.replaceAll(OTHER_DIGITS, (digit) => String(valueOfDigit(digit.codePointAt(0) ?? 0)));
