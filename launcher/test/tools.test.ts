import { access, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { main as runEvidence } from '../tools/evidence.ts';
import { main as runSeed } from '../tools/seed.ts';
import { ToolError } from '../tools/tool.ts';

/** Command-line tools that are called with wrong settings. They must create nothing. */

const MEDIA_ID = '0b7b5c1e-3f77-4c53-9a61-7f7f4f0c2b1d';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'alpenglow-tools-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const optionsFor = (env: Readonly<Record<string, string>>) => ({ env, rootDir: dataDir, ownsDataDir: true });

test('npm run evidence rejects a folder without an installation', async () => {
  for (const folder of [dataDir, path.join(dataDir, 'missing')]) {
    const args = ['--media', MEDIA_ID, '--to', path.join(dataDir, 'picture.jpg')];
    const failed = runEvidence(args, optionsFor({ DATA_DIR: folder }));
    await expect(failed).rejects.toThrow(ToolError);
    await expect(failed).rejects.toThrow('The secrets are not here');
  }
  expect(await readdir(dataDir)).toEqual([]);
});

describe('npm run seed', () => {
  test.each([{ DEMO: 'off' }, { NODE_ENV: 'production' }])('creates no demo data with %j', async (env) => {
    const failed = runSeed([], optionsFor({ ...env, DATA_DIR: path.join(dataDir, 'data') }));
    await expect(failed).rejects.toThrow(ToolError);
    await expect(failed).rejects.toThrow('so it needs DEMO=on');
    await expect(access(path.join(dataDir, 'data'))).rejects.toThrow('ENOENT');
    expect(await readdir(dataDir)).toEqual([]);
  });
});
