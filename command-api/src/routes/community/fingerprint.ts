import { createHash } from 'node:crypto';

/** Fillers of Hangul are letters nobody sees. */
const NOT_LETTER_OR_DIGIT = /[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu;
const LENGTH = 32;

/**
 * What the same words have again, however they are set, spaced, capitalised or punctuated: a hash of their letters and digits alone. Words without
 * any, such as a row of emoji, count as they stand.
 * @param text plain, as a reader sees it
 */
export function fingerprintOf(text: string): string {
  const letters = text.normalize('NFKC').toLowerCase().replaceAll(NOT_LETTER_OR_DIGIT, '');
  return createHash('sha256')
    .update(letters === '' ? text.trim() : letters)
    .digest('hex')
    .slice(0, LENGTH);
}
