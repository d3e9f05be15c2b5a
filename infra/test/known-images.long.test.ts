import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_HASHES, readHashList } from '../src/adapters/known-images/hash-list.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-hashes-'));
  file = path.join(folder, 'hashes.txt');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const HASH = '8f00a5123c77e9d1';

describe('a list of hashes', () => {
  test('accepts and searches a million hashes, and rejects one more', async () => {
    const lines = Array.from({ length: MAX_HASHES }, (_, number) =>
      ((BigInt(number + 1) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn).toString(16).padStart(16, '0'),
    );
    await writeFile(file, lines.join('\n'));
    const list = await readHashList(file);
    expect(list.size).toBe(MAX_HASHES);
    for (const hash of lines.slice(0, 1_000)) expect(list.has(hash)).toBe(true);
    await writeFile(file, lines.slice(0, 10).join('\n'));
    const short = await readHashList(file);
    const cost = (searched: typeof list) => {
      const before = process.cpuUsage();
      for (let round = 0; round < 10; round += 1) for (const hash of lines.slice(0, 1_000)) searched.has(hash);
      return process.cpuUsage(before).user;
    };
    // A linear search of a million hashes takes 100,000 times as long as a search of ten hashes, so it exceeds this
    // limit.
    expect(cost(list)).toBeLessThan(2_000 * Math.max(1_000, cost(short)));
    await writeFile(file, `${HASH}\n${lines.join('\n')}`);
    await expect(readHashList(file)).rejects.toThrow(`line ${MAX_HASHES + 1}: at most ${MAX_HASHES} hashes`);
  });
});
