import { createHash } from 'node:crypto';

/**
 * Matches the characters that the fingerprint of a text ignores. They include invisible code points such as the Hangul
 * fillers, which Unicode classifies as letters.
 */
const NOT_LETTER_OR_DIGIT = /[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu;
const LENGTH = 32;

/**
 * Returns a hash of the letters and digits of a text. Texts that differ only in formatting, spaces, case or
 * punctuation have the same fingerprint. A text without any letter or digit, for example a row of emoji, is
 * hashed unchanged.
 * @param text the plain text without Markdown
 */
export function computeFingerprint(text: string): string {
  const letters = text.normalize('NFKC').toLowerCase().replaceAll(NOT_LETTER_OR_DIGIT, '');
  return createHash('sha256')
    .update(letters === '' ? text.trim() : letters)
    .digest('hex')
    .slice(0, LENGTH);
}
