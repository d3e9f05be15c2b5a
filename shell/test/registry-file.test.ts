import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CONTRACT_VERSION } from '@alpenglow/ui/contract';
import { inc } from 'semver';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ShellOffer } from '../build/shell-compatibility.mjs';
import { publicKeyOf, signBuild, type Trust } from '../build/signing.mjs';
import {
  createRegistryReader,
  createStoredBuilds,
  toResponse as toResponseFor,
  type LiveBuilds,
} from '../server/registry-file.ts';

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
const KEY = 'ab'.repeat(32);
const TRUST: Trust = { keys: [publicKeyOf(KEY)], revoked: [] };
let mfDir: string;
let warnings: string[];

beforeEach(async () => {
  mfDir = await mkdtemp(path.join(os.tmpdir(), 'registry-file-'));
  warnings = [];
});
afterEach(() => rm(mfDir, { recursive: true, force: true }));

const readerOf = (shell: ShellOffer = { hash: '', contracts: [CONTRACT_VERSION] }, trust = TRUST) =>
  createRegistryReader({ mfDir, shell, trust, log: { warn: (_, message) => warnings.push(message) } });

const sign = (build: object) => signBuild(build, KEY);

/** Writes a registry whose builds are signed. A text that is no registry is written as it is. */
async function writeRegistry(text: string): Promise<void> {
  await writeFile(path.join(mfDir, 'registry.json'), signedRegistry(text));
}
function signedRegistry(text: string): string {
  try {
    const { remotes } = JSON.parse(text) as { readonly remotes: Readonly<Record<string, object | readonly object[]>> };
    const signed = Object.entries(remotes).map(([name, live]) => [
      name,
      Array.isArray(live) ? live.map(sign) : sign(live),
    ]);
    return JSON.stringify({ remotes: Object.fromEntries(signed) });
  } catch {
    return text;
  }
}

/** Stores signed builds of mf-listings. */
async function writeHistory(builds: readonly object[]): Promise<void> {
  await mkdir(path.join(mfDir, 'mf-listings'));
  await writeFile(path.join(mfDir, 'mf-listings/history.json'), JSON.stringify(builds.map(sign)));
}

/** Returns builds without their signatures. */
const unsigned = (remotes: LiveBuilds['remotes']) =>
  Object.fromEntries(
    Object.entries(remotes).flatMap(([name, build]) => {
      if (!build) return [];
      const { signature: _signature, ...described } = build;
      return [[name, described]];
    }),
  );

/** Returns a registry whose builds are signed, without the signatures. */
async function read(text: string): Promise<LiveBuilds> {
  await writeRegistry(text);
  const live = await readerOf()();
  return { ...live, remotes: unsigned(live.remotes) };
}
const toResponse = (live: LiveBuilds, versions?: unknown) => toResponseFor({ live, registry: live }, versions);
const readRemotes = async (text: string) => ({ remotes: (await read(text)).remotes });

it('contains every deployed remote', async () => {
  const text = JSON.stringify({ remotes: { 'mf-listings': [entry], 'mf-community': other } });
  expect(await readRemotes(text), 'an earlier release has stored one build').toEqual({
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
    await writeRegistry(JSON.stringify({ remotes: { 'mf-listings': { ...entry, contract }, 'mf-community': other } }));
    const registry = readerOf();
    await registry();
    const { remotes } = await registry();
    expect(remotes['mf-listings']).toMatchObject({ contract, fits: false });
    expect(remotes['mf-community']?.fits).toBe(true);
    expect(warnings).toEqual(['a remote is not loaded, because this shell can run none of its live builds']);
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
  for (const wrong of ['latest', '<script>', ['6.0.0'], `${next},latest`, Array(5).fill(next).join(',')])
    expect(toResponse(registry, wrong)).toEqual(toResponse(registry, CONTRACT_VERSION));
});

describe('several live builds of a remote', () => {
  const next = inc(CONTRACT_VERSION, 'major');
  const later = { ...entry, hash: 'b'.repeat(16), contract: `^${next}`, container: 'mf_listings' };
  const current = { ...entry, hash: 'a'.repeat(16), container: 'mf_listings' };
  const text = JSON.stringify({ remotes: { 'mf-listings': [later, current] } });

  it('this shell runs the latest one that it can run, without a warning', async () => {
    expect((await read(text)).remotes['mf-listings']).toEqual({ ...current, fits: true });
    expect(warnings).toEqual([]);
  });

  it('a tab with another shell gets the one for its own versions', async () => {
    const registry = await read(text);
    const hashFor = (versions?: unknown) => toResponse(registry, versions).remotes['mf-listings'];
    expect(hashFor()).toMatchObject({ hash: current.hash, fits: true });
    expect(hashFor(next)).toMatchObject({ hash: later.hash, fits: true });
    expect(hashFor(`${CONTRACT_VERSION},${next}`)).toMatchObject({ hash: later.hash, fits: true });
    expect(hashFor('1.0.0')).toMatchObject({ hash: later.hash, fits: false });
  });

  it('a build that needs a package or a token that the shell does not have is not used', async () => {
    const needy = { ...current, hash: 'c'.repeat(16), packages: { react: '^99.0.0' }, tokens: ['--missing'] };
    await writeRegistry(JSON.stringify({ remotes: { 'mf-listings': [needy, current] } }));
    const shell = { hash: '', contracts: [CONTRACT_VERSION], packages: { react: '19.0.0' }, tokens: [] };
    const registry = await readerOf(shell)();
    expect(registry.remotes['mf-listings']?.hash).toBe(current.hash);
  });

  it('browsers do not receive what only servers use', async () => {
    const full = { ...entry, packages: { react: '^19.0.0' }, tokens: ['--a'], assets: entry.integrity };
    const { remotes } = toResponse(await read(JSON.stringify({ remotes: { 'mf-listings': [full] } })));
    expect(remotes['mf-listings']).toEqual({ ...entry, fits: true, contractVersion: expect.any(Number) });
  });
});

describe('signatures', () => {
  const [key, otherKey] = ['ab'.repeat(32), 'cd'.repeat(32)];
  const shell = { hash: '', contracts: [CONTRACT_VERSION] };
  const trust = { keys: [publicKeyOf(key)], revoked: ['f'.repeat(16)] };
  const signed = signBuild(entry, key);
  const warning = 'the deployment of a remote is invalid, so an earlier one is used, or none';
  const rejected: readonly (readonly [string, object])[] = [
    ['no signature', entry],
    ['the signature of an unknown key', signBuild(entry, otherKey)],
    [
      'the signature of an unknown key with the name of a known one',
      {
        ...entry,
        signature: { ...signBuild(entry, otherKey).signature, key: publicKeyOf(key) },
      },
    ],
    ['a changed digest', { ...signed, integrity: { 'app.js': `sha256-${'B'.repeat(43)}=` } }],
    ['an added property', { ...signed, server: { integrity: entry.integrity['app.js'] } }],
    ['a malformed signature', { ...signed, signature: { key: publicKeyOf(key), value: 5 } }],
    ['a revoked hash', signBuild({ ...entry, hash: 'f'.repeat(16) }, key)],
  ];

  it.each(rejected)('a live build with %s is not used, and a warning is logged', async (_, build) => {
    await writeFile(path.join(mfDir, 'registry.json'), JSON.stringify({ remotes: { 'mf-listings': [build] } }));
    expect((await readerOf(shell, trust)()).remotes).toEqual({});
    expect(warnings).toEqual([warning]);
  });

  it.each(rejected)('a stored build with %s is not found', async (_, build) => {
    await mkdir(path.join(mfDir, 'mf-listings'));
    await writeFile(path.join(mfDir, 'mf-listings/history.json'), JSON.stringify([build, signBuild(other, key)]));
    const find = createStoredBuilds({ mfDir, shell, trust });
    expect(await find('mf-listings', 'f'.repeat(16))).toBeNull();
    expect(await find('mf-listings', entry.hash)).toBeNull();
  });

  it('a signed build is used, and what a deployment adds to it does not matter', async () => {
    const build = { ...signed, deployedAt: '2026-11-30T00:00:00.000Z' };
    await writeFile(path.join(mfDir, 'registry.json'), JSON.stringify({ remotes: { 'mf-listings': [build] } }));
    expect((await readerOf(shell, trust)()).remotes['mf-listings']).toEqual({ ...build, fits: true });
    await mkdir(path.join(mfDir, 'mf-listings'));
    await writeFile(path.join(mfDir, 'mf-listings/history.json'), JSON.stringify([{ ...build, isRolledBack: true }]));
    expect(await createStoredBuilds({ mfDir, shell, trust })('mf-listings', entry.hash)).toMatchObject(build);
    expect(warnings).toEqual([]);
  });
});

it.each(['garbage{', 'null', '{}', '[]', '{"remotes":null}'])(
  'is empty if the file contains %s, and logs a warning',
  async (text) => {
    expect(await readRemotes(text)).toEqual({ remotes: {} });
    expect(warnings).toHaveLength(1);
  },
);

it('stays the same object while the file cannot be read for a short time', async () => {
  const file = path.join(mfDir, 'registry.json');
  await writeRegistry(JSON.stringify({ remotes: { 'mf-listings': [entry] } }));
  const registry = readerOf();
  const before = await registry();
  await rename(file, `${file}.away`);
  expect(await registry()).toBe(before);
  await rename(`${file}.away`, file);
  expect(await registry()).toBe(before);
  expect(before.remotes['mf-listings']).toMatchObject({ hash: entry.hash });
  expect(warnings).toHaveLength(1);
});

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
  expect(await readRemotes(JSON.stringify({ remotes: { 'mf-listings': broken, 'mf-community': other } }))).toEqual({
    remotes: { 'mf-community': { ...other, fits: true } },
  });
  expect(warnings).toHaveLength(1);
});

describe('an invalid deployment', () => {
  const text = (listings: object) => JSON.stringify({ remotes: { 'mf-listings': listings, 'mf-community': other } });
  const invalid = { ...entry, hash: 'fedcba9876543210', routes: [{ path: '/{slug}', access: 'everyone' }] };
  const warning = 'the deployment of a remote is invalid, so an earlier one is used, or none';

  it('does not replace the earlier one, and a warning is logged once', async () => {
    await writeRegistry(text(entry));
    const registry = readerOf();
    await registry();
    await rm(path.join(mfDir, 'registry.json'));
    await writeRegistry(text(invalid));
    await utimes(path.join(mfDir, 'registry.json'), new Date(), new Date(Date.now() + 5_000));
    await registry();
    expect(unsigned((await registry()).remotes)['mf-listings']).toEqual({ ...entry, fits: true });
    expect(warnings).toEqual([warning]);
  });

  it('is replaced by the newest valid one of the stored deployments after a restart', async () => {
    const older = { ...entry, hash: '0000000000000000' };
    await writeHistory([older, entry, invalid]);
    expect((await read(text(invalid))).remotes['mf-listings']).toEqual({ ...entry, fits: true });
    expect(warnings).toEqual([warning]);
  });

  it.each<readonly [string, object]>([
    ['a preview', { stage: 'preview' }],
    ['a canary', { stage: 'canary', percent: 5 }],
    ['a build that was rolled back', { isRolledBack: true }],
    ['a build for another shell', { contract: '^99.0.0' }],
  ])('is not replaced by %s', async (_, state) => {
    const other = { ...entry, hash: '0000000000000000', ...state };
    await writeHistory([entry, other, invalid]);
    expect((await read(text(invalid))).remotes['mf-listings']).toMatchObject({ hash: entry.hash, fits: true });
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
