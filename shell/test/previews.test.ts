import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CONTRACT_VERSION, type RegistryEntry } from '@alpenglow/ui/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveRoutes } from '../../tests/support/served-routes.ts';
import { describeFiles } from '../build/artifact.mjs';
import { deploy, readHistory, readRegistry, rollback, type Deployment } from '../build/registry.mjs';
import { createPreviewToken, localKeys, PREVIEW_days, readPreviewToken } from '../build/signing.mjs';
import { createShellServer } from '../server/index.ts';

/** Links that give a browser a build that is not live (decision 0121). */

const SHELL = { hash: '', contracts: [CONTRACT_VERSION] };
const BUILD = { hash: 'f'.repeat(16), sizeBytes: 1, scripts: ['shell.js'], styles: [], texts: {}, fonts: [] };
const LATER = (days: number) => new Date(Date.now() + days * 86_400_000);

let dir: string;
let mfDir: string;
let served: Awaited<ReturnType<typeof serveRoutes>>;
let live: Deployment;
let preview: Deployment;

/** Deploys a build of a remote that consists of this text. */
async function deployText(
  name: string,
  text: string,
  isPreview = false,
  described: Partial<RegistryEntry> = {},
): Promise<Deployment> {
  const dist = path.join(dir, `dist-${name}-${text}`);
  await mkdir(dist, { recursive: true });
  await writeFile(path.join(dist, 'remote-entry.js'), text);
  const artifact = {
    ...{ name, contract: `^${CONTRACT_VERSION}`, container: name.replaceAll('-', '_'), entry: 'remote-entry.js' },
    preload: ['remote-entry.js'],
    ...described,
    ...(await describeFiles(dist, name)),
  };
  return (await deploy({ mfDir, dist, artifact, shell: SHELL, isPreview })).entry;
}

beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'previews-'));
  mfDir = path.join(dir, 'mf');
  await mkdir(path.join(dir, 'dist'));
  await writeFile(path.join(dir, 'dist/build.json'), JSON.stringify(BUILD));
  live = await deployText('mf-community', 'live');
  await deployText('mf-listings', 'live');
  preview = await deployText('mf-community', 'preview', true);
  served = await serveRoutes(
    '/',
    createShellServer({
      ...{ mfDir, distDir: path.join(dir, 'dist'), siteUrl: null, reads: null, metrics: null },
      log: { warn: () => undefined },
    }),
  );
});
afterAll(async () => {
  await served.stop();
  await rm(dir, { recursive: true, force: true });
});

const tokenFor = (build: { readonly name: string; readonly hash: string }, key = localKeys(mfDir).privateKey) =>
  createPreviewToken(build, key);

async function get(target: string, cookie = '') {
  const response = await fetch(new URL(target, served.url), {
    headers: { accept: 'text/html', cookie },
    redirect: 'manual',
  });
  const cookies = response.headers.getSetCookie();
  return { status: response.status, headers: response.headers, text: await response.text(), cookies };
}

/** Opens a link and returns the cookie that the browser then sends. */
async function openLink(token: string, cookie = ''): Promise<string> {
  const { cookies } = await get(`/preview/${token}`, cookie);
  return cookies[0]?.split(';')[0] ?? '';
}

const hashIn = (json: string, name = 'mf-community') =>
  (JSON.parse(json) as { remotes: Record<string, { hash: string }> }).remotes[name]?.hash;

describe('a preview', () => {
  it('is stored and not live, and a rollback never makes it live', async () => {
    expect((await readRegistry(mfDir)).remotes['mf-community']?.map(({ hash }) => hash)).toEqual([live.hash]);
    expect((await readHistory(mfDir, 'mf-community')).at(-1)).toMatchObject({ hash: preview.hash, stage: 'preview' });
    const back = (to?: string) => rollback({ mfDir, name: 'mf-community', shell: SHELL, to });
    await expect(back(preview.hash)).rejects.toThrow('was never live. Deploy it instead');
    await expect(back()).rejects.toThrow('has no deployment before');
  });

  it('is what a browser gets after its link was opened, and no other browser', async () => {
    const opened = await get(`/preview/${tokenFor(preview)}`);
    expect([opened.status, opened.headers.get('location')]).toEqual([302, '/blog']);
    expect(opened.headers.get('cache-control')).toBe('no-store');
    expect(opened.cookies).toEqual([
      expect.stringMatching(/^alpenglow_preview=.+; Path=\/; Expires=.+; HttpOnly; SameSite=Lax$/u),
    ]);
    const cookie = await openLink(tokenFor(preview));
    const entry = `/mf/mf-community/${preview.hash}/remote-entry.js`;
    for (const [sent, expected] of [
      ['', live.hash],
      [cookie, preview.hash],
      ['', live.hash],
    ] as const) {
      expect((await get('/community', sent)).text.includes(entry), 'the page, which is cached').toBe(
        expected === preview.hash,
      );
      expect(hashIn((await get('/mf/registry.json', sent)).text)).toBe(expected);
    }
    expect((await get(entry)).text).toBe('preview');
  });

  it('has a mark on all pages that names the difference and leaves it', async () => {
    const cookie = await openLink(tokenFor(preview));
    for (const page of ['/community', '/about', '/listings']) {
      const { text, headers } = await get(page, cookie);
      expect(text).toContain(`<p>mf-community: version ${preview.hash} instead of ${live.hash}</p>`);
      expect(text).toContain('<a href="/preview/leave">Leave the preview</a>');
      expect(headers.get('cache-control')).toBe('private, no-store');
      expect((await get(page)).text).not.toContain('preview-mark');
      expect((await get(page)).headers.get('cache-control')).toBe('no-cache');
    }
    expect((await get('/de/community', `${cookie}; locale=de`)).text).toContain('Vorschau verlassen');
    const left = await get('/preview/leave', cookie);
    expect(left.headers.get('location')).toBe('/');
    expect(left.cookies[0]).toMatch(/^alpenglow_preview=; Path=\/; Expires=Thu, 01 Jan 1970/u);
  });

  it('of several remotes can be shown together, and a second one of the same remote replaces the first', async () => {
    const other = await deployText('mf-listings', 'preview', true);
    const newer = await deployText('mf-community', 'newer preview', true);
    let cookie = await openLink(tokenFor(preview));
    cookie = await openLink(tokenFor(other), cookie);
    expect(hashIn((await get('/mf/registry.json', cookie)).text)).toBe(preview.hash);
    expect(hashIn((await get('/mf/registry.json', cookie)).text, 'mf-listings')).toBe(other.hash);
    cookie = await openLink(tokenFor(newer), cookie);
    expect(hashIn((await get('/mf/registry.json', cookie)).text)).toBe(newer.hash);
    expect(hashIn((await get('/mf/registry.json', cookie)).text, 'mf-listings')).toBe(other.hash);
  });

  it('ends when it becomes live', async () => {
    const cookie = await openLink(tokenFor(preview));
    await deployText('mf-community', 'preview');
    expect((await get('/community', cookie)).text).not.toContain('preview-mark');
    expect(hashIn((await get('/mf/registry.json')).text)).toBe(preview.hash);
    await rollback({ mfDir, name: 'mf-community', shell: SHELL });
  });
});

it.each(['mf-events', 'mf-community'])('a preview of %s shows pages that no live build has', async (name) => {
  const routes = [{ path: `/${name}-pages/*`, access: 'everyone' }] as const;
  const { hash } = await deployText(name, 'with new pages', true, { routes });
  const cookie = await openLink(tokenFor({ name, hash }));
  const page = `/${name}-pages/today`;
  const shown = await get(page, cookie);
  expect(shown.status).toBe(200);
  expect(shown.text).toContain(`/mf/${name}/${hash}/remote-entry.js`);
  expect(shown.text).toContain(`<p>${name}: version ${hash}`);
  const other = await get(page);
  expect(other.status, 'for other visitors').toBe(404);
  expect(other.text).not.toContain(hash);
});

it('a source map is sent if it is a regular file of limited size', async () => {
  const folder = path.join(mfDir, 'mf-community', live.hash);
  const file = path.join(folder, 'remote-entry.js.map');
  const target = `/mf/mf-community/${live.hash}/remote-entry.js.map`;
  await writeFile(file, '{"version":3}');
  expect((await get(target)).text).toBe('{"version":3}');
  await truncate(file, 21_000_000);
  expect((await get(target)).status, 'too large').toBe(404);
  await rm(file);
  await writeFile(path.join(dir, 'secret'), 'secret');
  await symlink(path.join(dir, 'secret'), file);
  expect((await get(target)).status, 'a symbolic link').toBe(404);
  await rm(file);
});

describe('a canary', () => {
  it('is for browsers of its buckets, in the page and in the registry', async () => {
    const dist = path.join(dir, 'dist-mf-listings-canary');
    await mkdir(dist);
    await writeFile(path.join(dist, 'remote-entry.js'), 'canary');
    const [current] = (await readRegistry(mfDir)).remotes['mf-listings'] ?? [];
    if (!current) throw new Error('mf-listings is not deployed');
    const { signature: _signature, ...described } = current;
    const artifact = { ...described, ...(await describeFiles(dist, 'canary')) };
    const { entry } = await deploy({ mfDir, dist, artifact, shell: SHELL, canaryPercent: 50 });
    const first = await get('/listings');
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    expect(first.cookies).toEqual([expect.stringMatching(/^alpenglow_bucket=\d+; .*HttpOnly; SameSite=Lax$/u)]);
    for (let request = 0; request < 20; request++) {
      const { text, cookies, headers } = await get('/mf/registry.json');
      expect(hashIn(text, 'mf-listings'), 'an open tab without a bucket continues with the live build').toBe(
        current.hash,
      );
      expect(cookies).toEqual([expect.stringMatching(/^alpenglow_bucket=\d+; /u)]);
      expect(headers.get('cache-control')).toBe('private, no-cache');
    }
    const hashes = new Set<string | undefined>();
    for (let bucket = 0; bucket < 1_000; bucket += 50) {
      const cookie = `alpenglow_bucket=${bucket}`;
      const page = await get('/listings', cookie);
      const hash = hashIn((await get('/mf/registry.json', cookie)).text, 'mf-listings');
      hashes.add(hash);
      expect(page.text).toContain(`/mf/mf-listings/${hash ?? ''}/remote-entry.js`);
      expect([page.cookies, page.headers.get('cache-control')]).toEqual([[], 'no-cache']);
      expect(page.text).not.toContain('preview-mark');
    }
    expect(hashes).toEqual(new Set([entry.hash, current.hash]));
    const status = JSON.parse((await get('/status/front-ends.json')).text) as {
      data: { remotes: { name: string; canary: unknown }[] };
    };
    expect(status.data.remotes.find(({ name }) => name === 'mf-listings')?.canary).toEqual({
      hash: entry.hash,
      percent: 50,
    });
    await rollback({ mfDir, name: 'mf-listings', shell: SHELL });
    expect((await get('/listings')).cookies).toEqual([]);
  });
});

describe('the link of a preview', () => {
  it.each([
    ['that another key has signed', () => tokenFor(preview, 'ab'.repeat(32))],
    ['that was changed to another build', () => tokenFor(preview).replace(preview.hash, live.hash)],
    ['of a build that is not stored', () => tokenFor({ name: 'mf-community', hash: '0'.repeat(16) })],
    ['that is malformed', () => 'mf-community'],
  ])('%s opens nothing', async (_, token) => {
    const { status, cookies, text } = await get(`/preview/${token()}`);
    expect([status, cookies]).toEqual([404, []]);
    expect(text).toContain('This preview does not exist, or its link has expired.');
    expect(hashIn((await get('/mf/registry.json', `alpenglow_preview=${token()}`)).text)).toBe(live.hash);
  });

  it('is valid only if its key may sign the remote', () => {
    const [key = ''] = localKeys(mfDir).trust.keys;
    const read = (name: string) => readPreviewToken(tokenFor(preview), { keys: [`${key}:${name}`], revoked: [] });
    expect(read('mf-community')).toMatchObject({ hash: preview.hash });
    expect(read('mf-events')).toBeNull();
  });

  it('expires', () => {
    const { trust } = localKeys(mfDir);
    const token = tokenFor(preview);
    expect(readPreviewToken(token, trust, LATER(PREVIEW_days - 1))).toMatchObject({ hash: preview.hash });
    expect(readPreviewToken(token, trust, LATER(PREVIEW_days + 1))).toBeNull();
    expect(readPreviewToken(token, { ...trust, revoked: [preview.hash] })).toBeNull();
  });
});
