import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CONTRACT_VERSION } from '@alpenglow/ui/contract';
import { inc } from 'semver';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRegistryReader, toResponse } from '../server/registry-file.ts';

const entry = {
  name: 'mf-listings',
  hash: '0123456789abcdef',
  contract: CONTRACT_VERSION,
  preload: ['app.js'],
  integrity: { 'app.js': `sha256-${'A'.repeat(43)}=` },
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
    remotes: { 'mf-listings': { ...entry, fits: true }, 'mf-community': { ...other, fits: true } },
  });
  expect(warnings).toEqual([]);
});

it.each([`^${CONTRACT_VERSION}`, `>=5 <${inc(CONTRACT_VERSION, 'major')}`, '5.0.0 || >=6', '*'])(
  'a remote for contract %s fits',
  async (contract) => {
    const { remotes } = await read(JSON.stringify({ remotes: { 'mf-listings': { ...entry, contract } } }));
    expect(remotes['mf-listings']).toEqual({ ...entry, contract, fits: true });
  },
);

it.each(['<6', `>${CONTRACT_VERSION}`, `^${inc(CONTRACT_VERSION, 'major')}`, 'latest'])(
  'a remote for contract %s does not fit, and a warning is logged once',
  async (contract) => {
    await writeFile(
      path.join(mfDir, 'registry.json'),
      JSON.stringify({ remotes: { 'mf-listings': { ...entry, contract }, 'mf-community': other } }),
    );
    const registry = createRegistryReader(mfDir, { warn: (_, message) => warnings.push(message) });
    await registry();
    const { remotes } = await registry();
    expect(remotes['mf-listings']).toMatchObject({ contract, fits: false });
    expect(remotes['mf-community']?.fits).toBe(true);
    expect(warnings).toEqual([
      'a remote is not loaded, because its range of contract versions excludes that of the shell',
    ]);
  },
);

it('browsers receive the contract version, and a `contractVersion` that older shells reject', async () => {
  const old = { ...other, contract: '^4.0.0' };
  const registry = await read(JSON.stringify({ remotes: { 'mf-listings': entry, 'mf-community': old } }));
  const response = toResponse(registry);
  expect(response).toMatchObject({
    contract: CONTRACT_VERSION,
    remotes: { 'mf-listings': { ...entry, fits: true }, 'mf-community': { contract: '^4.0.0', fits: false } },
  });
  for (const { contractVersion } of Object.values(response.remotes)) expect(contractVersion).toBeGreaterThan(5);
});

it('a tab with another shell learns which remotes work with its own contract version', async () => {
  const next = inc(CONTRACT_VERSION, 'minor');
  const registry = await read(
    JSON.stringify({
      remotes: {
        'mf-listings': { ...entry, contract: `^${CONTRACT_VERSION}` },
        'mf-community': { ...other, contract: `${CONTRACT_VERSION} || >=${next}` },
        'mf-admin': { ...entry, name: 'mf-admin', contract: CONTRACT_VERSION },
      },
    }),
  );
  const fits = (version?: unknown) =>
    Object.values(toResponse(registry, version).remotes).flatMap((one) => (one.fits ? [one.name] : []));
  expect(fits()).toEqual(['mf-listings', 'mf-community', 'mf-admin']);
  expect(fits(next)).toEqual(['mf-listings', 'mf-community']);
  expect(fits('5.0.0')).toEqual([]);
  expect(toResponse(registry, next).contract).toBe(next);
  for (const wrong of ['latest', '<script>', ['6.0.0']])
    expect(toResponse(registry, wrong)).toEqual(toResponse(registry, CONTRACT_VERSION));
});

it.each(['garbage{', 'null', '{}', '[]', '{"remotes":null}'])(
  'is empty if the file contains %s, and logs a warning',
  async (text) => {
    expect(await read(text)).toEqual({ remotes: {} });
    expect(warnings).toHaveLength(1);
  },
);

it.each<readonly [string, object]>([
  ['an empty entry', {}],
  ['the entry of another remote', other],
  ['no range of contract versions', { ...entry, contract: undefined }],
  ['files outside its folder', { ...entry, preload: ['../x.js'] }],
  ['file names with markup', { ...entry, preload: ['"><script>'] }],
  ['no integrity', { ...entry, integrity: null }],
  ['integrity values with markup', { ...entry, integrity: { 'app.js': '"><script>' } }],
  ['text files that are no list', { ...entry, preloadTexts: { de: 'de.js' } }],
  ['data paths that are no list', { ...entry, preloadData: { '/': 5 } }],
  ['pictures of a wrong shape', { ...entry, preloadPictures: { pages: null, count: 1, sizes: '1px' } }],
  ...['/{slug}', '/{a}/*', '/404', '/404/x', '/*', '/'].map(
    (path) => [`pages at ${path}`, { ...entry, routes: [{ path, access: 'everyone' }] }] as const,
  ),
])('omits a remote with %s, and no other', async (_, broken) => {
  expect(await read(JSON.stringify({ remotes: { 'mf-listings': broken, 'mf-community': other } }))).toEqual({
    remotes: { 'mf-community': { ...other, fits: true } },
  });
  expect(warnings).toHaveLength(1);
});

describe('an invalid deployment', () => {
  const text = (listings: object) => JSON.stringify({ remotes: { 'mf-listings': listings, 'mf-community': other } });
  const invalid = { ...entry, hash: 'fedcba9876543210', routes: [{ path: '/{slug}', access: 'everyone' }] };
  const warning = 'the deployment of a remote is invalid, so an earlier one is used, or none';

  it('does not replace the earlier one, and a warning is logged once', async () => {
    await writeFile(path.join(mfDir, 'registry.json'), text(entry));
    const registry = createRegistryReader(mfDir, { warn: (_, message) => warnings.push(message) });
    await registry();
    await rm(path.join(mfDir, 'registry.json'));
    await writeFile(path.join(mfDir, 'registry.json'), text(invalid));
    await utimes(path.join(mfDir, 'registry.json'), new Date(), new Date(Date.now() + 5_000));
    await registry();
    expect((await registry()).remotes['mf-listings']).toEqual({ ...entry, fits: true });
    expect(warnings).toEqual([warning]);
  });

  it('is replaced by the newest valid one of the stored deployments after a restart', async () => {
    await mkdir(path.join(mfDir, 'mf-listings'));
    const older = { ...entry, hash: '0000000000000000' };
    await writeFile(path.join(mfDir, 'mf-listings/history.json'), JSON.stringify([older, entry, invalid]));
    expect((await read(text(invalid))).remotes['mf-listings']).toEqual({ ...entry, fits: true });
    expect(warnings).toEqual([warning]);
  });
});

it('contains only the necessary values of a remote for another contract', async () => {
  const routes = [{ path: '/events', access: 'everyone' }];
  const old = {
    ...{ ...entry, contract: '^4.0.0', container: undefined, integrity: { 'app.js': 'sha384-abc' } },
    preloadTexts: { de: '"><script>' },
    routes: [...routes, { path: '"><script>', access: 'everyone' }],
  };
  expect((await read(JSON.stringify({ remotes: { 'mf-listings': old } }))).remotes).toEqual({
    'mf-listings': {
      ...{ name: old.name, hash: old.hash, contract: '^4.0.0', fits: false, container: '', entry: '' },
      ...{ preload: [], integrity: {}, routes, sizeBytes: old.sizeBytes, deployedAt: old.deployedAt },
    },
  });
});

it.each(['/events', '/events/{id}', '/events/{id}/*', '/404-pages'])(
  'accepts a remote with pages at %s',
  async (path) => {
    const declared = { ...entry, routes: [{ path, access: 'everyone' }] };
    expect((await read(JSON.stringify({ remotes: { 'mf-listings': declared } }))).remotes).toEqual({
      'mf-listings': { ...declared, fits: true },
    });
  },
);
