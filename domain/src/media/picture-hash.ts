import { PICTURE_HASH } from './fields.ts';

/**
 * Perceptual hashes of pictures (decision 0118). A hash has 256 bits, as 64 hexadecimal digits that begin with the last
 * bit. The decoder computes the hashes of a picture. The first one, of the whole picture, is stored. The other ones, of
 * its parts and of frames around it, are only used to search for copies.
 */

export const HASH_WORDS = 8;
/** The hash of a picture with too few features, e.g. of one color. It is similar to no other hash. */
export const NO_PICTURE_FEATURES = '0'.repeat(64);
/** The maximum number of bits in which the hashes of copies of a picture differ (decision 0118). */
export const MAX_HASH_BITS_APART = 48;

const FREQUENCIES = 16;
const DIGITS_OF_WORD = 8;
/** The bits of the odd horizontal frequencies, whose sign changes when the picture is mirrored. */
const MIRRORED_WORD = 0x5555_5555;

/** The 256 bits of a hash as 8 unsigned numbers. Bit 0 is the lowest bit of the first number. */
export type HashWords = Uint32Array;

/** Converts a hash of 64 hexadecimal digits into numbers. */
export function toHashWords(hash: string): HashWords {
  return Uint32Array.from({ length: HASH_WORDS }, (_, word) =>
    Number.parseInt(hash.slice((HASH_WORDS - 1 - word) * DIGITS_OF_WORD, (HASH_WORDS - word) * DIGITS_OF_WORD), 16),
  );
}

/** Returns the hash of the mirrored picture, with a few different bits. */
export function mirrorHash(words: HashWords): HashWords {
  return words.map((word) => word ^ MIRRORED_WORD);
}

/** Returns the hashes with which copies of a picture are searched for: all of its hashes, also mirrored. */
export function toSearchHashes(hashes: readonly string[]): readonly HashWords[] {
  return hashes
    .filter((hash) => hash !== NO_PICTURE_FEATURES)
    .map(toHashWords)
    .flatMap((words) => [words, mirrorHash(words)]);
}

/** Checks whether two hashes differ in at most `MAX_HASH_BITS_APART` bits. The second one begins at `at` of `other`. */
export function areSimilar(words: HashWords, other: Uint32Array, at = 0): boolean {
  let bits = 0;
  for (let word = 0; word < HASH_WORDS; word += 1) {
    bits += bitsIn((words[word] ?? 0) ^ (other[at + word] ?? 0));
    if (bits > MAX_HASH_BITS_APART) return false;
  }
  return true;
}

/** Returns the number of bits that are set in a number of 32 bits. */
function bitsIn(value: number): number {
  const pairs = value - ((value >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** The number of keys of a hash, and the number of bits of each. */
export const HASH_KEYS = 8;
export const HASH_KEY_BITS = 16;
/** The number of bits of a hash that its keys consist of. It is a prime number, see `selectBitsOfKeys`. */
const KEY_SOURCE_BITS = 53;

/** The bits of each key. They belong to low frequencies, which change least in a copy. */
const BITS_OF_KEYS = selectBitsOfKeys();

/** Returns another selection of the bits with the lowest frequencies for each key. */
function selectBitsOfKeys(): readonly (readonly number[])[] {
  const lowest = Array.from({ length: FREQUENCIES * FREQUENCIES }, (_, bit) => bit)
    .sort((one, other) => frequencyOf(one) - frequencyOf(other) || one - other)
    .slice(0, KEY_SOURCE_BITS);
  // The first multiples of a number differ modulo a prime number, so no key contains a bit twice.
  const steps = [1, 2, 3, 5, 7, 11, 13, 17];
  return steps.map((step, key) =>
    Array.from(
      { length: HASH_KEY_BITS },
      (_, index) => lowest[(key * HASH_KEY_BITS + index * step) % KEY_SOURCE_BITS] ?? 0,
    ),
  );
}

function frequencyOf(bit: number): number {
  return (Math.floor(bit / FREQUENCIES) + 1) ** 2 + ((bit % FREQUENCIES) + 1) ** 2;
}

/**
 * Returns a key of a hash, which is a number of `HASH_KEY_BITS` bits. `number` is from 0 to below `HASH_KEYS`. Similar
 * hashes usually have at least one key in common. With the keys, an index finds the few hashes that are compared. The
 * hash begins at `at` of `words`.
 */
export function keyOfHash(number: number, words: Uint32Array, at = 0): number {
  let key = 0;
  for (const bit of BITS_OF_KEYS[number] ?? [])
    key = (key << 1) | (((words[at + (bit >>> 5)] ?? 0) >>> (bit & 31)) & 1);
  return key;
}

/**
 * Returns the keys of a stored hash for a column with an index, as texts. Each text also contains which of the keys it
 * is. Without a hash, and for a picture with too few features, there are none.
 */
export function storedKeysOf(hash: string | null): readonly string[] {
  return hash === null || hash === NO_PICTURE_FEATURES ? [] : numberedKeys(toHashWords(hash));
}

/** Returns the different keys of all searched hashes, in the form of `storedKeysOf`. */
export function searchedKeysOf(searched: readonly HashWords[]): readonly string[] {
  return [...new Set(searched.flatMap(numberedKeys))];
}

const numberedKeys = (words: HashWords): readonly string[] =>
  Array.from({ length: HASH_KEYS }, (_, number) =>
    (number * 2 ** HASH_KEY_BITS + keyOfHash(number, words)).toString(36),
  );

/**
 * Returns the hash of a photo in a form that can be compared. Photos of earlier versions of the product have a hash of
 * another kind, which returns null.
 */
export function comparableHash(hash: string | null): string | null {
  return hash !== null && PICTURE_HASH.test(hash) ? hash : null;
}
