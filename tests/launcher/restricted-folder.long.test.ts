import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { kill9, launchProduct, postgresPid } from '../support/launched-product.ts';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../..');
const isRoot = process.getuid?.() === 0;

/**
 * Creates a copy of the repository that only root may enter. It consists of hard links and contains no build output.
 */
async function restrictedCheckout(): Promise<string> {
  await mkdir(path.join(repository, '.build'), { recursive: true });
  const folder = await mkdtemp(path.join(repository, '.build/restricted-'));
  const entries = (await readdir(repository)).filter((name) => !name.startsWith('.'));
  await run('cp', ['-al', ...entries.map((name) => path.join(repository, name)), folder]);
  for (const name of ['launcher', 'shell', 'mf-listings', 'mf-post-ad', 'mf-community', 'mf-admin'])
    await rm(path.join(folder, name, 'dist'), { recursive: true, force: true });
  return folder;
}

// The test needs root, because only root can enter the folder.
test.runIf(isRoot)('the product starts as root in a folder that only root may enter', async () => {
  const root = await restrictedCheckout();
  const dataDir = path.join(root, '.data');
  const product = launchProduct({ root, dataDir });
  let home: string | null = null;
  try {
    const url = await product.ready();
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
    ({ home } = JSON.parse(await readFile(path.join(dataDir, 'postgres.json'), 'utf8')) as { home: string });
    expect(home.startsWith(root)).toBe(false);
    product.process.kill('SIGTERM');
    expect(await product.ended()).toEqual({ code: 0, signal: null });

    const again = launchProduct({ root, dataDir });
    await again.ready();
    again.process.kill('SIGTERM');
    expect(await again.ended()).toEqual({ code: 0, signal: null });
  } finally {
    kill9(await postgresPid(dataDir));
    kill9(product.process.pid);
    if (home !== null) await rm(home, { recursive: true, force: true });
    await rm(root, { recursive: true, force: true });
  }
});
