import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

test('npm run build deploys nothing, so that a running site does not change', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-build-'));
  try {
    await run(process.execPath, ['launcher/build/build.mjs'], { cwd: root, env: { ...process.env, MF_DIR: folder } });
    expect(await readdir(folder)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
