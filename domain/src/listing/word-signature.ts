/**
 * The number of bits of a signature. The words of a usual ad set less than a fifth of the bits. About three in a
 * hundred signatures then match a word that the ad does not have, and one in a thousand match two such words.
 */
export const SIGNATURE_bits = 512;

const FNV_OFFSET = 2_166_136_261;
const FNV_PRIME = 16_777_619;

/**
 * Returns the signature of index words, in the text format of the Postgres type `bit(512)`. Each word sets two bits. An
 * ad can contain a word only if its signature has both bits of the word, so most ads without the word are excluded by
 * their signatures alone.
 */
export function createSignature(words: Iterable<string>): string {
  const bits = new Array<string>(SIGNATURE_bits).fill('0');
  for (const word of words) {
    const hash = hashOf(word);
    bits[hash % SIGNATURE_bits] = '1';
    bits[Math.floor(hash / SIGNATURE_bits) % SIGNATURE_bits] = '1';
  }
  return bits.join('');
}

/** Returns the FNV-1a hash of the UTF-16 code units of a word, with the high bits mixed into the low bits. */
function hashOf(word: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < word.length; index += 1) hash = Math.imul(hash ^ word.charCodeAt(index), FNV_PRIME);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
