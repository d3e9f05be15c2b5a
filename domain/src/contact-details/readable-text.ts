import { toAsciiDigits } from '../digits.ts';

/** A range of a text in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * A text as a reader sees it: styled, circled, wide and foreign digits are ASCII digits, all dashes are hyphens, and
 * invisible characters are missing. `toSpan` returns the range of the original text.
 */
export interface ReadableText {
  readonly text: string;
  readonly toSpan: (start: number, end: number) => Span;
}

/** Format characters, and the marks that show a digit as a key. */
const INVISIBLE = /[\p{Cf}\uFE0F\u20E3]/u;
const DASH = /[\p{Pd}\u2212]/u;

/** White digits and letters on black circles and squares, which have no ASCII form in Unicode. */
const ON_BLACK: readonly (readonly [first: string, last: string, ascii: string])[] = [
  ['\u{2776}', '\u{277E}', '1'],
  ['\u{2780}', '\u{2788}', '1'],
  ['\u{278A}', '\u{2792}', '1'],
  ['\u{24F5}', '\u{24FD}', '1'],
  ['\u{24FF}', '\u{24FF}', '0'],
  ['\u{1F10B}', '\u{1F10B}', '0'],
  ['\u{1F10C}', '\u{1F10C}', '0'],
  ['\u{1F150}', '\u{1F169}', 'a'],
  ['\u{1F170}', '\u{1F189}', 'a'],
];

function readOnBlack(character: string): string | null {
  const code = character.codePointAt(0) ?? 0;
  const row = ON_BLACK.find(
    ([first, last]) => code >= (first.codePointAt(0) ?? 0) && code <= (last.codePointAt(0) ?? 0),
  );
  return row ? String.fromCodePoint((row[2].codePointAt(0) ?? 0) + code - (row[0].codePointAt(0) ?? 0)) : null;
}

function toReadable(character: string): string {
  if (INVISIBLE.test(character)) return '';
  if (DASH.test(character)) return '-';
  const onBlack = readOnBlack(character);
  if (onBlack !== null) return onBlack;
  return toAsciiDigits(character.normalize('NFKC'));
}

/** Returns the readable form of a text (see `ReadableText`). Takes linear time. */
export function createReadableText(original: string): ReadableText {
  // Most texts are ASCII and stay as they are.
  if (/^[\n -~]*$/u.test(original)) return { text: original, toSpan: (start, end) => ({ start, end }) };
  const parts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let position = 0;
  for (const character of original) {
    const readable = character <= '~' ? character : toReadable(character);
    parts.push(readable);
    for (let unit = 0; unit < readable.length; unit += 1) {
      starts.push(position);
      ends.push(position + character.length);
    }
    // An invisible character is a part of the one before it, such as the mark that shows a digit as a key.
    if (readable === '' && ends.length > 0) ends[ends.length - 1] = position + character.length;
    position += character.length;
  }
  return {
    text: parts.join(''),
    toSpan: (start, end) => ({ start: starts[start] ?? position, end: ends[end - 1] ?? position }),
  };
}
