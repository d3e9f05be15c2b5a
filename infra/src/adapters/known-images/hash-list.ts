import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** Bits of 64 in which two pictures that look the same may differ: another size or format turns one over now and then. */
export const MAX_BITS_APART = 3;
export const MAX_HASHES = 1_000_000;
/** Room for every hash with a comment of its own. */
const MAX_FILE_bytes = 64 * 1024 * 1024;

/** The list is of no use. Says where, never what stands there. */
export class HashListFault extends Error {
  override readonly name = 'HashListFault';
}

/** Hashes to be found by likeness. */
export interface HashList {
  readonly size: number;
  /** Whether one of them differs in at most `MAX_BITS_APART` bits: of 16 hexadecimal digits. The hash that is all zeros is never found. */
  has(hash: string): boolean;
}

/**
 * Reads a list of hashes: one of 16 hexadecimal digits a line; blank lines and what follows a `#` are left out, and so is the hash that is all zeros. Throws
 * `HashListFault` for a file that cannot be read, is too large, has something else in it, or no hash at all.
 */
export async function readHashList(file: string): Promise<HashList> {
  const high: number[] = [];
  const low: number[] = [];
  try {
    if ((await stat(file)).size > MAX_FILE_bytes)
      throw new HashListFault(`${file} is larger than ${MAX_FILE_bytes} bytes`);
    let number = 0;
    for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
      number += 1;
      const hash = line.replace(/#.*/u, '').trim();
      if (hash === '') continue;
      if (!/^[0-9a-f]{16}$/iu.test(hash))
        throw new HashListFault(`${file}, line ${number}: must be 16 hexadecimal digits`);
      if (high.length === MAX_HASHES) throw new HashListFault(`${file}, line ${number}: at most ${MAX_HASHES} hashes`);
      const [upper, lower] = halvesOf(hash);
      if (upper === 0 && lower === 0) continue;
      high.push(upper);
      low.push(lower);
    }
  } catch (error) {
    throw error instanceof HashListFault
      ? error
      : new HashListFault(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`, {
          cause: error,
        });
  }
  // An empty file is one that is not written yet: it must not switch everything off.
  if (high.length === 0) throw new HashListFault(`${file} has no hash in it`);
  return indexed(Uint32Array.from(high), Uint32Array.from(low));
}

const QUARTERS = [0, 1, 2, 3] as const;
const QUARTER_VALUES = 0x1_0000;

/** Of two hashes that differ in at most three bits, one of four quarters is the same: only those with that quarter in common are compared. */
function indexed(high: Uint32Array, low: Uint32Array): HashList {
  const quarterOf = (upper: number, lower: number, quarter: number) =>
    ((quarter < 2 ? upper : lower) >>> (quarter % 2 === 0 ? 16 : 0)) & 0xffff;
  const indexes = QUARTERS.map((quarter) => {
    // Where those with a value of this quarter begin, and all of them, by that value.
    const starts = new Uint32Array(QUARTER_VALUES + 1);
    for (let at = 0; at < high.length; at += 1) count(starts, quarterOf(high[at] ?? 0, low[at] ?? 0, quarter) + 1);
    for (let value = 1; value <= QUARTER_VALUES; value += 1) count(starts, value, starts[value - 1]);
    const next = starts.slice();
    const sorted = new Uint32Array(high.length);
    for (let at = 0; at < high.length; at += 1) {
      const value = quarterOf(high[at] ?? 0, low[at] ?? 0, quarter);
      sorted[next[value] ?? 0] = at;
      count(next, value);
    }
    return { quarter, starts, sorted };
  });
  return {
    size: high.length,
    has(hash) {
      const [upper, lower] = halvesOf(hash);
      if (upper === 0 && lower === 0) return false;
      const isNear = (at: number) => bitsIn(upper ^ (high[at] ?? 0)) + bitsIn(lower ^ (low[at] ?? 0)) <= MAX_BITS_APART;
      return indexes.some(({ quarter, starts, sorted }) => {
        const value = quarterOf(upper, lower, quarter);
        return sorted.subarray(starts[value], starts[value + 1]).some(isNear);
      });
    },
  };
}

function count(counts: Uint32Array, at: number, by = 1): void {
  counts[at] = (counts[at] ?? 0) + by;
}

function halvesOf(hash: string): readonly [upper: number, lower: number] {
  return [Number.parseInt(hash.slice(0, 8), 16), Number.parseInt(hash.slice(8), 16)];
}

/** How many bits of a 32-bit number are set. */
function bitsIn(value: number): number {
  let bits = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) bits += 1;
  return bits;
}
