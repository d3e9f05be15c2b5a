import { randomBytes } from 'node:crypto';

const LETTERS = 'bcdfghjkmnpqrtvw';

/** Returns a word that no other text contains. It has no digits, which the product could take for a phone number. */
export const uniqueWord = (): string => Array.from(randomBytes(20), (byte) => LETTERS[byte % LETTERS.length]).join('');
