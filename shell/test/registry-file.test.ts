import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CONTRACT_VERSION } from '@alpenglow/ui/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRegistryReader } from '../server/registry-file.ts';

const entry = {
  name: 'mf-listings',
  hash: '0123456789abcdef',
  contractVersion: CONTRACT_VERSION,
  preload: ['app.js'],
  integrity: { 'app.js': `sha384-${'A'.repeat(64)}` },
  sizeBytes: 7,
  deployedAt: '2026-11-21T00:00:00.000Z',
};
const other = { ...entry, name: 'mf-community' };
let mfDir: string;
let warnings: string[];

beforeEach(async () => {
  mfDir = await mkdtemp(path.join(os.tmpdir(), 'registry-file-'));
  warnings = [];
});
afterEach(() => rm(mfDir, { recursive: true, force: true }));

async function read(text: string) {
  await writeFile(path.join(mfDir, 'registry.json'), text);
  return createRegistryReader(mfDir, { warn: (_, message) => warnings.push(message) })();
}

it('contains every deployed remote', async () => {
  expect(await read(JSON.stringify({ remotes: { 'mf-listings': entry, 'mf-community': other } }))).toEqual({
    remotes: { 'mf-listings': entry, 'mf-community': other },
  });
});

it.each(['garbage{', 'null', '{}', '[]', '{"remotes":null}'])(
  'is empty if the file contains %s, and logs a warning',
  async (text) => {
    expect(await read(text)).toEqual({ remotes: {} });
    expect(warnings).toHaveLength(1);
  },
);

it.each([
  ['an empty entry', {}],
  ['the entry of another remote', other],
  ['files outside its folder', { ...entry, preload: ['../x.js'] }],
  ['file names with markup', { ...entry, preload: ['"><script>'] }],
  ['no integrity', { ...entry, integrity: null }],
  ['integrity values with markup', { ...entry, integrity: { 'app.js': '"><script>' } }],
  ['text files that are no list', { ...entry, preloadTexts: { de: 'de.js' } }],
  ['data paths that are no list', { ...entry, preloadData: { '/': 5 } }],
  ['pictures of a wrong shape', { ...entry, preloadPictures: { pages: null, count: 1, sizes: '1px' } }],
])('omits a remote with %s, and no other', async (_, broken) => {
  expect(await read(JSON.stringify({ remotes: { 'mf-listings': broken, 'mf-community': other } }))).toEqual({
    remotes: { 'mf-community': other },
  });
});
