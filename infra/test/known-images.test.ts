import { mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readHashList } from '../src/adapters/known-images/hash-list.ts';
import { noKnownImages, openImageHashList } from '../src/adapters/known-images/known-images.ts';
import { ConfigurationError } from '../src/service/config.ts';
import type { Logger } from '../src/service/logger.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-hashes-'));
  file = path.join(folder, 'hashes.txt');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const HASH = '8f00a5123c77e9d1';
const ANOTHER = '0123456789abcdef';
/** Returns `hash` with the given bits flipped. Bit 0 is the last bit. */
const withFlippedBits = (hash: string, ...bits: readonly number[]) =>
  bits
    .reduce((value, bit) => value ^ (1n << BigInt(bit)), BigInt(`0x${hash}`))
    .toString(16)
    .padStart(16, '0');

describe('a list of hashes', () => {
  test('has one hash per line in either case, and may have blank lines and comments', async () => {
    await writeFile(file, `\uFEFF# From somebody\r\n\r\n  ${HASH.toUpperCase()}  # one\n${ANOTHER}`);
    const list = await readHashList(file);
    expect(list.size).toBe(2);
    expect([HASH, ANOTHER, 'ffffffffffffffff'].map((hash) => list.has(hash))).toEqual([true, true, false]);
  });

  test.each([
    [0, [], true],
    [1, [63], true],
    [2, [0, 32], true],
    [3, [5, 6, 7], true],
    [3, [3, 20, 60], true],
    [4, [5, 6, 7, 8], false],
    [4, [1, 17, 33, 49], false],
  ])('matches a hash that differs in %i bits (%j): %s', async (_, bits, isKnown) => {
    await writeFile(file, `${ANOTHER}\n${HASH}\n`);
    expect((await readHashList(file)).has(withFlippedBits(HASH, ...bits))).toBe(isKnown);
  });

  test('returns the same results as a comparison with every hash', async () => {
    let state = 7;
    const random = () => (state = Math.imul(state ^ (state >>> 13), 0x5bd1e995) + 0x3c6ef372) >>> 0;
    const hashes = Array.from({ length: 3_000 }, () =>
      [random(), random()].map((half) => half.toString(16).padStart(8, '0')).join(''),
    );
    await writeFile(file, hashes.join('\n'));
    const list = await readHashList(file);
    const isNear = (hash: string) =>
      hashes.some((other) => (BigInt(`0x${hash}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll('0', '').length <= 3);
    for (const hash of hashes.slice(0, 100)) {
      const changed = withFlippedBits(hash, ...Array.from({ length: random() % 6 }, () => random() % 64));
      expect(list.has(changed), changed).toBe(isNear(changed));
    }
  });

  test('never matches an image of one color, and ignores the hash of such an image', async () => {
    await writeFile(file, `0000000000000000\n0000000000000001\n`);
    const list = await readHashList(file);
    expect(list.size).toBe(1);
    expect(['0000000000000000', '8000000000000000', '0000000000000003'].map((hash) => list.has(hash))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test.each([
    ['too short', `${HASH}\n# fine\n8f00a5123c77e9d\n`, 'hashes.txt, line 3: must be 16 hexadecimal digits'],
    ['too long', `${HASH}0\n`, 'hashes.txt, line 1: must be 16 hexadecimal digits'],
    ['a word', `${HASH}\n\nhunter2hunter2xx\n`, 'hashes.txt, line 3: must be 16 hexadecimal digits'],
    ['two of them', `${HASH} ${ANOTHER}\n`, 'hashes.txt, line 1: must be 16 hexadecimal digits'],
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
    expect([await images.isKnown(HASH), await images.isKnown(ANOTHER)]).toEqual([true, false]);
    now_ms = 60_000;
    expect(await Promise.all([images.isKnown(HASH), images.isKnown(ANOTHER)])).toEqual([false, true]);
    await write(HASH, 3);
    expect(await images.isKnown(HASH)).toBe(false);
    now_ms = 120_000;
    expect(await images.isKnown(HASH)).toBe(true);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['invalid', () => write('secret words', 2), 'line 1: must be 16 hexadecimal digits'],
    ['empty', () => write('', 2), 'contains no hash'],
    ['missing', () => rm(file), 'cannot be read (ENOENT)'],
  ])(
    'to a %s file stays in use until the file is valid, with one warning that contains no content',
    async (_, change, message) => {
      await write(HASH, 1);
      const images = await open();
      await change();
      for (now_ms = 60_000; now_ms <= 180_000; now_ms += 60_000) expect(await images.isKnown(HASH)).toBe(true);
      expect(warnings).toEqual([{ fault: expect.stringContaining(message) as string }]);
      expect(JSON.stringify(warnings)).not.toContain('secret');
      await write(ANOTHER, 3);
      now_ms = 240_000;
      expect([await images.isKnown(HASH), await images.isKnown(ANOTHER)]).toEqual([false, true]);
    },
  );
});

test('without a list, no image is known', async () => {
  expect(await noKnownImages.isKnown(HASH)).toBe(false);
});
