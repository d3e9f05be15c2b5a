import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { toSearchHashes } from '@alpenglow/domain';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { randomNumbers } from '../../tests/support/random.ts';
import { MAX_HASHES, readHashList } from '../src/adapters/known-images/hash-list.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-hashes-'));
  file = path.join(folder, 'hashes.txt');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a list of hashes', () => {
  test('accepts and searches a million hashes, and rejects one more', async () => {
    const random = randomNumbers(3);
    const randomHash = () =>
      Array.from({ length: 8 }, () =>
        Math.floor(random() * 2 ** 32)
          .toString(16)
          .padStart(8, '0'),
      ).join('');
    const lines = Array.from({ length: MAX_HASHES }, randomHash);
    await writeFile(file, lines.join('\n'));
    const list = await readHashList(file);
    expect(list.size).toBe(MAX_HASHES);
    const searched = lines.slice(0, 1_000).map((hash) => toSearchHashes([hash]));
    for (const hashes of searched) expect(list.find(hashes)).not.toBeNull();
    for (let count = 0; count < 1_000; count += 1) expect(list.find(toSearchHashes([randomHash()]))).toBeNull();
    await writeFile(file, lines.slice(0, 10).join('\n'));
    const short = await readHashList(file);
    const cost = (index: typeof list) => {
      const before = process.cpuUsage();
      for (let round = 0; round < 10; round += 1) for (const hashes of searched) index.find(hashes);
      return process.cpuUsage(before).user;
    };
    // A linear search of a million hashes takes 100,000 times as long as a search of ten hashes, so it exceeds this
    // limit.
    expect(cost(list)).toBeLessThan(2_000 * Math.max(1_000, cost(short)));
    await writeFile(file, `${randomHash()}\n${lines.join('\n')}`);
    await expect(readHashList(file)).rejects.toThrow(`line ${MAX_HASHES + 1}: at most ${MAX_HASHES} hashes`);
  });
});
