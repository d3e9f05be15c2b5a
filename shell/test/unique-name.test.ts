import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { rspack } from '@rspack/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeFiles } from '../build/artifact.mjs';
import { browserConfig } from '../build/preset.mjs';
import { UniqueNamePlugin } from '../build/unique-name.mjs';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'unique-name-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Builds a program with a chunk. Returns the hash of its files, and the names of its lists of loaded chunks. */
async function build(comment: string, value: number) {
  await writeFile(path.join(dir, 'main.js'), `${comment}\nimport('./late.js').then(console.log);`);
  await writeFile(path.join(dir, 'late.js'), `${comment}\nexport default ${value};`);
  const out = path.join(dir, 'dist');
  await rm(out, { recursive: true, force: true });
  const { output, ...config } = browserConfig({ name: 'mf-community', entry: './main.js', publicPath: 'auto' });
  const compiler = rspack({
    ...config,
    context: dir,
    output: { ...output, path: out },
    plugins: [new UniqueNamePlugin('mf_community')],
  });
  await new Promise<void>((resolve, reject) =>
    compiler.run((error, stats) => {
      if (stats && !stats.hasErrors()) resolve();
      else reject(error ?? new Error(stats?.toString('errors-only')));
    }),
  );
  await new Promise((resolve) => compiler.close(resolve));
  const scripts = (await readdir(out)).filter((file) => file.endsWith('.js'));
  const texts = await Promise.all(scripts.map((file) => readFile(path.join(out, file), 'utf8')));
  const names = new Set(texts.flatMap((text) => text.match(/mf_community_\w+?_chunks/gu) ?? []));
  return { hash: (await describeFiles(out, '')).hash, names: [...names] };
}

it('a changed comment is no other deployment', async () => {
  expect(await build('// One comment.', 1)).toEqual(await build('// Another comment, which is longer.', 1));
});

it('two deployments have different lists of loaded chunks, and all files of one use the same', async () => {
  const one = await build('', 1);
  const other = await build('', 2);
  expect([one.names.length, other.names.length]).toEqual([1, 1]);
  expect(one.names).not.toEqual(other.names);
  expect(one.hash).not.toBe(other.hash);
});
