/** Marks on one character. No language needs more; a pile of hundreds covers the lines above and below. */
const MAX_MARKS = 8;

/**
 * Embeds, overrides and isolates a direction (U+202A–202E, U+2066–2069), so that one text could turn the rest of the page
 * around, and the deprecated format characters after them (U+206A–206F). Marks that only hint (U+200E, U+200F) stay.
 */
const DIRECTION_CONTROLS = /[\u202A-\u202E\u2066-\u206F]/gu;

/** Control characters but tab and newline, and what Unicode will never use, which XML cannot hold. */
const CONTROLS = /[\0-\x08\x0B-\x1F\x7F-\x9F]|\p{Noncharacter_Code_Point}/gu;

/**
 * Takes out what no honest text needs: control characters, direction controls, halves of surrogate pairs. Lines end with a
 * newline, whatever they ended with. Emoji and every script stay as they are.
 */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/gu, '\n')
    .replace(CONTROLS, '')
    .replace(DIRECTION_CONTROLS, '')
    .toWellFormed();
}

/** Caps the marks on one character, over as many pieces of one text as it is given. */
export interface MarkCap {
  cap(piece: string): string;
  /** What comes next stands apart: its first marks belong to none of the characters before. */
  reset(): void;
}

export function createMarkCap(): MarkCap {
  let marks = 0;
  return {
    cap(piece) {
      if (marks === 0 && !/\p{M}/u.test(piece)) return piece;
      let kept = '';
      for (const character of piece) {
        if (/\p{M}/u.test(character)) marks += 1;
        // A joiner between two marks does not give the second a character of its own.
        else if (!/\p{Cf}/u.test(character)) marks = 0;
        if (marks <= MAX_MARKS || !/\p{M}/u.test(character)) kept += character;
      }
      return kept;
    },
    reset() {
      marks = 0;
    },
  };
}
