import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BUNDLE_LIST, replaceBundles } from '../build/replace-bundles.mjs';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'replace-bundles-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Puts bundles into the folder of the servers, as a build does. */
async function build(files: Readonly<Record<string, string>>, inDays = 0): Promise<void> {
  const incoming = path.join(dir, 'incoming');
  await mkdir(incoming, { recursive: true });
  for (const [file, content] of Object.entries(files)) await writeFile(path.join(incoming, file), content);
  const now = new Date(Date.now() + inDays * 24 * 3_600_000);
  await replaceBundles(incoming, path.join(dir, 'dist'), ['server'], now);
}

it('a running server loads a chunk of its own build after another build', async () => {
  await build({ 'server.mjs': `export const later = () => import('./1.aaa.mjs');`, '1.aaa.mjs': 'export default 1;' });
  const { later } = (await import(path.join(dir, 'dist/server.mjs'))) as {
    later: () => Promise<{ readonly default: number }>;
  };
  await build({ 'server.mjs': `export const later = () => import('./1.bbb.mjs');`, '1.bbb.mjs': 'export default 2;' });
  expect((await later()).default).toBe(1);
});

it('the list names only the bundles of the last build, and files of old builds are removed after a week', async () => {
  await build({ 'server.mjs': 'one', '1.aaa.mjs': 'one' });
  await build({ 'server.mjs': 'two', '1.bbb.mjs': 'two' });
  const list = JSON.parse(await readFile(path.join(dir, 'dist', BUNDLE_LIST), 'utf8')) as unknown;
  expect(list).toEqual(['1.bbb.mjs', 'server.mjs']);
  await build({ 'server.mjs': 'three', '1.bbb.mjs': 'two' }, 8);
  expect((await readdir(path.join(dir, 'dist'))).sort()).toEqual(['1.bbb.mjs', BUNDLE_LIST, 'server.mjs']);
});
