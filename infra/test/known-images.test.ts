import { mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_HASH_BITS_APART, mirrorHash, NO_PICTURE_FEATURES, toHashWords, toSearchHashes } from '@alpenglow/domain';
import { toHexDigits } from '../../tests/support/picture-hashes.ts';
import { randomNumbers } from '../../tests/support/random.ts';
import { readHashList } from '../src/adapters/known-images/hash-list.ts';
import { noImageHashList, openImageHashList } from '../src/adapters/known-images/known-images.ts';
import type { PictureIndex } from '../src/adapters/known-images/picture-index.ts';
import { ConfigurationError } from '../src/service/config.ts';
import type { Logger } from '../src/service/logger.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-hashes-'));
  file = path.join(folder, 'hashes.txt');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const HASH = '8f00a5123c77e9d1'.repeat(4);
const ANOTHER = '0123456789abcdef'.repeat(4);
/** Returns `hash` with the given bits flipped. Bit 0 is the last bit. */
const withFlippedBits = (hash: string, ...bits: readonly number[]) =>
  bits
    .reduce((value, bit) => value ^ (1n << BigInt(bit)), BigInt(`0x${hash}`))
    .toString(16)
    .padStart(64, '0');
/** The first bit of those whose frequency is so high that no key contains them. */
const FIRST_HIGH_BIT = 144;
const withFlippedHighBits = (hash: string, count: number) =>
  withFlippedBits(hash, ...Array.from({ length: count }, (_, index) => FIRST_HIGH_BIT + index));
const KNOWN = toSearchHashes([HASH]);
const OTHER = toSearchHashes([ANOTHER]);
const has = (list: PictureIndex, hash: string) => list.find(toSearchHashes([hash])) !== null;

describe('a list of hashes', () => {
  test('has one hash per line in either case, and may have blank lines and comments', async () => {
    await writeFile(file, `\uFEFF# From somebody\r\n\r\n  ${HASH.toUpperCase()}  # one\n${ANOTHER}`);
    const list = await readHashList(file);
    expect(list.size).toBe(2);
    expect([HASH, ANOTHER, 'ffff0000'.repeat(8)].map((hash) => has(list, hash))).toEqual([true, true, false]);
  });

  test.each([
    [0, true],
    [1, true],
    [MAX_HASH_BITS_APART, true],
    [MAX_HASH_BITS_APART + 1, false],
  ])('matches a hash that differs in %i bits: %s', async (count, isKnown) => {
    await writeFile(file, `${ANOTHER}\n${HASH}\n`);
    expect(has(await readHashList(file), withFlippedHighBits(HASH, count))).toBe(isKnown);
  });

  test('matches the hash of the mirrored image', async () => {
    await writeFile(file, HASH);
    expect(has(await readHashList(file), toHexDigits(mirrorHash(toHashWords(HASH))))).toBe(true);
  });

  test('finds most hashes with a few random differences, and no other one', async () => {
    const random = randomNumbers(7);
    const randomHash = () => Array.from({ length: 64 }, () => Math.floor(random() * 16).toString(16)).join('');
    const hashes = Array.from({ length: 3_000 }, randomHash);
    await writeFile(file, hashes.join('\n'));
    const list = await readHashList(file);
    const found = hashes.filter((hash) =>
      has(list, withFlippedBits(hash, ...new Set(Array.from({ length: 8 }, () => Math.floor(random() * 256))))),
    );
    expect(found.length).toBeGreaterThan(0.95 * hashes.length);
    expect(Array.from({ length: 1_000 }, randomHash).filter((hash) => has(list, hash))).toEqual([]);
  });

  test('never matches an image with too few features, and ignores the hash of such an image', async () => {
    await writeFile(file, `${NO_PICTURE_FEATURES}\n${HASH}\n`);
    const list = await readHashList(file);
    expect(list.size).toBe(1);
    expect(has(list, NO_PICTURE_FEATURES)).toBe(false);
  });

  test('has a version that changes with its content', async () => {
    await writeFile(file, HASH);
    const { digest } = await readHashList(file);
    await writeFile(file, `# The same\n${HASH}\n`);
    expect((await readHashList(file)).digest).toBe(digest);
    await writeFile(file, `${HASH}\n${ANOTHER}`);
    expect((await readHashList(file)).digest).not.toBe(digest);
  });

  test.each([
    ['too short', `${HASH}\n# fine\n${HASH.slice(1)}\n`, 'hashes.txt, line 3: must be 64 hexadecimal digits'],
    ['of an earlier version', `${HASH.slice(0, 16)}\n`, 'hashes.txt, line 1: hashes of 16 digits are no longer'],
    ['too long', `${HASH}0\n`, 'hashes.txt, line 1: must be 64 hexadecimal digits'],
    ['a word', `${HASH}\n\nhunter2hunter2xx\n`, 'hashes.txt, line 3: must be 64 hexadecimal digits'],
    ['two of them', `${HASH} ${ANOTHER}\n`, 'hashes.txt, line 1: must be 64 hexadecimal digits'],
    ['nothing', '# to be filled\n', 'hashes.txt contains no hash'],
  ])('with %s is rejected with its line number but not its content', async (_, text, message) => {
    await writeFile(file, text);
    const reading = openImageHashList(file, { log: { warn() {}, info() {} } as unknown as Logger });
    await expect(reading).rejects.toThrow(ConfigurationError);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.not.toThrow(/hunter2|8f00a5123c77e9d/u);
  });

  test('that cannot be read is rejected with its name', async () => {
    await expect(openImageHashList(file, { log: {} as Logger })).rejects.toThrow(
      `IMAGE_HASH_LIST: ${file} cannot be read (ENOENT)`,
    );
    await expect(openImageHashList(folder, { log: {} as Logger })).rejects.toThrow(
      `IMAGE_HASH_LIST: ${folder} cannot be read (EISDIR)`,
    );
  });
});

describe('a list that changes', () => {
  const warnings: unknown[] = [];
  let now_ms = 0;
  const log = { warn: (fields: unknown) => warnings.push(fields), info() {} } as unknown as Logger;
  const open = () => openImageHashList(file, { log, now: () => now_ms });
  /** Replaces the file. `seconds` is its modification time, so the test does not depend on the clock of the disk. */
  async function write(text: string, seconds: number): Promise<void> {
    await writeFile(`${file}.new`, text);
    await utimes(`${file}.new`, seconds, seconds);
    await rename(`${file}.new`, file);
  }
  beforeEach(() => {
    warnings.length = 0;
    now_ms = 0;
  });

  test('is reloaded, at most once a minute', async () => {
    await write(HASH, 1);
    const images = await open();
    await write(ANOTHER, 2);
    now_ms = 59_999;
    expect([await images.isKnown(KNOWN), await images.isKnown(OTHER)]).toEqual([true, false]);
    now_ms = 60_000;
    expect(await Promise.all([images.isKnown(KNOWN), images.isKnown(OTHER)])).toEqual([false, true]);
    await write(HASH, 3);
    expect(await images.isKnown(KNOWN)).toBe(false);
    now_ms = 120_000;
    expect(await images.isKnown(KNOWN)).toBe(true);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['invalid', () => write('secret words', 2), 'line 1: must be 64 hexadecimal digits'],
    ['empty', () => write('', 2), 'contains no hash'],
    ['missing', () => rm(file), 'cannot be read (ENOENT)'],
  ])(
    'to a %s file stays in use until the file is valid, with one warning that contains no content',
    async (_, change, message) => {
      await write(HASH, 1);
      const images = await open();
      await change();
      for (now_ms = 60_000; now_ms <= 180_000; now_ms += 60_000) expect(await images.isKnown(KNOWN)).toBe(true);
      expect(warnings).toEqual([{ fault: expect.stringContaining(message) as string }]);
      expect(JSON.stringify(warnings)).not.toContain('secret');
      await write(ANOTHER, 3);
      now_ms = 240_000;
      expect([await images.isKnown(KNOWN), await images.isKnown(OTHER)]).toEqual([false, true]);
    },
  );
});

test('without a list, no image is known', async () => {
  expect(await noImageHashList.isKnown(KNOWN)).toBe(false);
});
