import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/**
 * The maximum number of bits in which the 64-bit hashes of two similar images differ. A copy of an image in another
 * size or format may have a slightly different hash.
 */
const MAX_BITS_APART = 3;
export const MAX_HASHES = 1_000_000;
/** The maximum size of the list file. It is enough for `MAX_HASHES` hashes, each with a comment. */
const MAX_FILE_bytes = 64 * 1024 * 1024;

/** The error of an unusable list of image hashes. The message contains the line number, but no content of the list. */
export class HashListError extends Error {
  override readonly name = 'HashListError';
}

/** A list of image hashes that can be searched for similar hashes. */
export type HashList = ReturnType<typeof buildIndex>;

/**
 * Reads a list of image hashes from a file. Each line contains one hash of 16 hexadecimal digits. Ignores blank lines,
 * comments after `#`, and the hash that consists only of zeros. Throws `HashListError` if the file cannot be read, is
 * too large, contains any other line, or contains no hash.
 */
export async function readHashList(file: string): Promise<HashList> {
  const high: number[] = [];
  const low: number[] = [];
  try {
    if ((await stat(file)).size > MAX_FILE_bytes)
      throw new HashListError(`${file} is larger than ${MAX_FILE_bytes} bytes`);
    let number = 0;
    for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
      number += 1;
      const hash = line.replace(/#.*/u, '').trim();
      if (hash === '') continue;
      if (!/^[0-9a-f]{16}$/iu.test(hash))
        throw new HashListError(`${file}, line ${number}: must be 16 hexadecimal digits`);
      if (high.length === MAX_HASHES) throw new HashListError(`${file}, line ${number}: at most ${MAX_HASHES} hashes`);
      const [upper, lower] = halvesOf(hash);
      if (upper === 0 && lower === 0) continue;
      high.push(upper);
      low.push(lower);
    }
  } catch (error) {
    throw error instanceof HashListError
      ? error
      : new HashListError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`, {
          cause: error,
        });
  }
  // An empty file is an error, because the file may still be incomplete, and an empty list would disable the check of
  // images.
  if (high.length === 0) throw new HashListError(`${file} contains no hash`);
  return buildIndex(Uint32Array.from(high), Uint32Array.from(low));
}

const QUARTERS = [0, 1, 2, 3] as const;
const QUARTER_VALUES = 0x1_0000;

/**
 * Builds a search index of image hashes. If two hashes differ in at most three bits, at least one of their four
 * quarters is equal. Therefore, a hash is compared only with the hashes that have an equal quarter.
 */
function buildIndex(high: Uint32Array, low: Uint32Array) {
  const quarterOf = (upper: number, lower: number, quarter: number) =>
    ((quarter < 2 ? upper : lower) >>> (quarter % 2 === 0 ? 16 : 0)) & 0xffff;
  const indexes = QUARTERS.map((quarter) => {
    // `sorted` contains the indexes of all hashes, sorted by the value of this quarter. For each possible value,
    // `starts` contains the first position in `sorted` with this value.
    const starts = new Uint32Array(QUARTER_VALUES + 1);
    for (let index = 0; index < high.length; index += 1)
      add(starts, quarterOf(high[index] ?? 0, low[index] ?? 0, quarter) + 1);
    for (let value = 1; value <= QUARTER_VALUES; value += 1) add(starts, value, starts[value - 1]);
    const next = starts.slice();
    const sorted = new Uint32Array(high.length);
    for (let index = 0; index < high.length; index += 1) {
      const value = quarterOf(high[index] ?? 0, low[index] ?? 0, quarter);
      sorted[next[value] ?? 0] = index;
      add(next, value);
    }
    return { quarter, starts, sorted };
  });
  return {
    size: high.length,
    /**
     * Returns true if a hash of the list differs from `hash` (16 hexadecimal digits) in at most `MAX_BITS_APART` bits.
     * A hash of only zeros never matches.
     */
    has(hash: string): boolean {
      const [upper, lower] = halvesOf(hash);
      if (upper === 0 && lower === 0) return false;
      const isNear = (index: number) =>
        bitsIn(upper ^ (high[index] ?? 0)) + bitsIn(lower ^ (low[index] ?? 0)) <= MAX_BITS_APART;
      return indexes.some(({ quarter, starts, sorted }) => {
        const value = quarterOf(upper, lower, quarter);
        return sorted.subarray(starts[value], starts[value + 1]).some(isNear);
      });
    },
  };
}

function add(counts: Uint32Array, index: number, by = 1): void {
  counts[index] = (counts[index] ?? 0) + by;
}

function halvesOf(hash: string): readonly [upper: number, lower: number] {
  return [Number.parseInt(hash.slice(0, 8), 16), Number.parseInt(hash.slice(8), 16)];
}

function bitsIn(value: number): number {
  let bits = 0;
  for (let remaining = value; remaining !== 0; remaining &= remaining - 1) bits += 1;
  return bits;
}
