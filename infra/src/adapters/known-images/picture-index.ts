import { createHash } from 'node:crypto';
import { areSimilar, HASH_KEY_BITS, HASH_KEYS, HASH_WORDS, keyOfHash, type HashWords } from '@alpenglow/domain';

const KEY_VALUES = 2 ** HASH_KEY_BITS;

/** The hashes with one value of a key. */
interface KeyTable {
  /** For each value of the key, the first position in `sorted`. */
  readonly starts: Uint32Array;
  /** The numbers of all hashes, sorted by the key. */
  readonly sorted: Uint32Array;
}

/** An index of the hashes of pictures in memory. It needs 64 bytes for each hash, and 2 MB. */
export type PictureIndex = ReturnType<typeof createPictureIndex>;

/**
 * Creates an index of hashes. `words` contains their numbers one after another. Similar hashes usually have a key in
 * common, so a hash is compared only with the hashes that have an equal key.
 */
export function createPictureIndex(words: Uint32Array) {
  const size = words.length / HASH_WORDS;
  const digest = createHash('sha256').update(words).digest('hex');
  const tables = Array.from({ length: HASH_KEYS }, (_, number) => createTable(number, words, size));
  return {
    size,
    /** A digest of the hashes in their order. */
    digest,
    /** Returns the number of a hash that is similar to one of the searched hashes, or null. */
    find(searched: readonly HashWords[]): number | null {
      for (const hash of searched) {
        for (const [number, { starts, sorted }] of tables.entries()) {
          const key = keyOfHash(number, hash);
          const end = starts[key + 1] ?? 0;
          for (let position = starts[key] ?? 0; position < end; position += 1) {
            const index = sorted[position] ?? 0;
            if (areSimilar(hash, words, index * HASH_WORDS)) return index;
          }
        }
      }
      return null;
    },
  };
}

function createTable(number: number, words: Uint32Array, size: number): KeyTable {
  const starts = new Uint32Array(KEY_VALUES + 1);
  for (let index = 0; index < size; index += 1) add(starts, keyOfHash(number, words, index * HASH_WORDS) + 1);
  for (let value = 1; value <= KEY_VALUES; value += 1) add(starts, value, starts[value - 1]);
  const next = starts.slice();
  const sorted = new Uint32Array(size);
  for (let index = 0; index < size; index += 1) {
    const key = keyOfHash(number, words, index * HASH_WORDS);
    sorted[next[key] ?? 0] = index;
    add(next, key);
  }
  return { starts, sorted };
}

function add(counts: Uint32Array, index: number, by = 1): void {
  counts[index] = (counts[index] ?? 0) + by;
}
