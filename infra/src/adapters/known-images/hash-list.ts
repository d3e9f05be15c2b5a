import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { HASH_WORDS, NO_PICTURE_FEATURES, PICTURE_HASH, toHashWords } from '@alpenglow/domain';
import { createPictureIndex, type PictureIndex } from './picture-index.ts';

export const MAX_HASHES = 1_000_000;
/** The maximum size of the list file. It is enough for `MAX_HASHES` hashes, each with a comment. */
const MAX_FILE_bytes = 128 * 1024 * 1024;

/** A hash of the lists of earlier versions of the product. It cannot be converted. */
const OLD_HASH = /^[\da-f]{16}$/u;

/** The error of an unusable list of image hashes. The message contains the line number, but no content of the list. */
export class HashListError extends Error {
  override readonly name = 'HashListError';
}

/**
 * Reads a list of image hashes from a file. Each line contains one PDQ hash of 64 hexadecimal digits. Ignores blank
 * lines, comments after `#`, and the hash that consists only of zeros. Throws `HashListError` if the file cannot be
 * read, is too large, contains any other line, or contains no hash.
 */
export async function readHashList(file: string): Promise<PictureIndex> {
  let words = new Uint32Array(1_024 * HASH_WORDS);
  let count = 0;
  try {
    if ((await stat(file)).size > MAX_FILE_bytes)
      throw new HashListError(`${file} is larger than ${MAX_FILE_bytes} bytes`);
    let number = 0;
    for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
      number += 1;
      const hash = line.replace(/#.*/u, '').trim().toLowerCase();
      if (hash === '') continue;
      if (OLD_HASH.test(hash))
        throw new HashListError(`${file}, line ${number}: hashes of 16 digits are no longer supported, PDQ has 64`);
      if (!PICTURE_HASH.test(hash)) throw new HashListError(`${file}, line ${number}: must be 64 hexadecimal digits`);
      if (count === MAX_HASHES) throw new HashListError(`${file}, line ${number}: at most ${MAX_HASHES} hashes`);
      if (hash === NO_PICTURE_FEATURES) continue;
      if (words.length === count * HASH_WORDS) {
        const larger = new Uint32Array(words.length * 2);
        larger.set(words);
        words = larger;
      }
      words.set(toHashWords(hash), count * HASH_WORDS);
      count += 1;
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
  if (count === 0) throw new HashListError(`${file} contains no hash`);
  return createPictureIndex(words.slice(0, count * HASH_WORDS));
}
