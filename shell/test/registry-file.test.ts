import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readRegistryOf } from '../server/registry-file.ts';

const entry = {
  name: 'mf-listings',
  hash: '0123456789abcdef',
  contractVersion: 2,
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
  return readRegistryOf(mfDir, { warn: (_, said) => warnings.push(said) })();
}

it('has every remote that is deployed', async () => {
  expect(await read(JSON.stringify({ remotes: { 'mf-listings': entry, 'mf-community': other } }))).toEqual({
    remotes: { 'mf-listings': entry, 'mf-community': other },
  });
});

it.each(['garbage{', 'null', '{}', '[]', '{"remotes":null}'])(
  'is empty when the file says %s, and that is told',
  async (text) => {
    expect(await read(text)).toEqual({ remotes: {} });
    expect(warnings).toHaveLength(1);
  },
);

it.each([
  ['nothing', {}],
  ['another remote', other],
  ['files that lead elsewhere', { ...entry, preload: ['../x.js'] }],
  ['files that are markup', { ...entry, preload: ['"><script>'] }],
  ['no integrity', { ...entry, integrity: null }],
  ['an integrity that is markup', { ...entry, integrity: { 'app.js': '"><script>' } }],
  ['a list of texts that is none', { ...entry, preloadTexts: { de: 'de.js' } }],
  ['data that makes no sense', { ...entry, preloadData: { '/': 5 } }],
  ['pictures that make no sense', { ...entry, preloadPictures: { pages: null, count: 1, sizes: '1px' } }],
])('leaves out a remote with %s, and no other', async (_, broken) => {
  expect(await read(JSON.stringify({ remotes: { 'mf-listings': broken, 'mf-community': other } }))).toEqual({
    remotes: { 'mf-community': other },
  });
});
