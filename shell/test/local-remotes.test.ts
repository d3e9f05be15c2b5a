import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveRoutes } from '../../tests/support/served-routes.ts';
import { requireSite } from '../build/dev-in.mjs';
import { createLocalRemoteToken, LOCAL_REMOTE_h, readLocalRemoteToken } from '../build/local-remote-token.mjs';
import { localKeys } from '../build/signing.mjs';
import { createShellServer } from '../server/index.ts';
import { createLocalRemotes } from '../server/local-remotes/local-remotes.ts';

/** Links that give a browser a remote of a development server (decision 0123). */
const BUILD = { hash: 'f'.repeat(16), sizeBytes: 1, scripts: ['shell.js'], styles: [], texts: {}, fonts: [] };
const REMOTE = { name: 'mf-community', port: 8090 };

let dir: string;
let mfDir: string;
let served: Awaited<ReturnType<typeof serveRoutes>>;
const warnings: string[] = [];

beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'local-remotes-'));
  mfDir = path.join(dir, 'mf');
  await mkdir(path.join(dir, 'dist'));
  await writeFile(path.join(dir, 'dist/build.json'), JSON.stringify(BUILD));
  served = await serveRoutes(
    '/',
    createShellServer({
      ...{ mfDir, distDir: path.join(dir, 'dist'), siteUrl: null, reads: null, metrics: null },
      localRemotes: createLocalRemotes,
      log: { warn: (_fields, text) => warnings.push(text) },
    }),
  );
});
afterAll(async () => {
  await served.stop();
  await rm(dir, { recursive: true, force: true });
});

const tokenFor = (remote: typeof REMOTE, key = localKeys(mfDir).privateKey, site = served.url) =>
  createLocalRemoteToken({ ...remote, site }, key);
const get = (target: string, cookie = '') =>
  fetch(new URL(target, served.url), { headers: { accept: 'text/html', cookie }, redirect: 'manual' });

async function openLink(token: string, cookie = ''): Promise<string> {
  const response = await get(`/local-remotes/${token}`, cookie);
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

describe('the link of a local remote', () => {
  it('sets a cookie that scripts cannot read, and opens a page of the remote', async () => {
    const response = await get(`/local-remotes/${tokenFor(REMOTE)}`);
    expect([response.status, response.headers.get('location')]).toEqual([302, '/blog']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^alpenglow_preview=.+; Path=\/; Expires=.+; HttpOnly; SameSite=Lax$/u),
    ]);
  });

  it.each([
    ['that another key has signed', () => tokenFor(REMOTE, 'ab'.repeat(32))],
    ['that was changed to another port', () => tokenFor(REMOTE).replace('.8090.', '.8091.')],
    ['that was changed to another remote', () => tokenFor(REMOTE).replace('mf-community', 'mf-listings')],
    ['for another site', () => tokenFor(REMOTE, undefined, 'https://staging.example.org')],
    ['that is malformed', () => 'mf-community.8090'],
  ])('%s opens nothing', async (_, token) => {
    const response = await get(`/local-remotes/${token()}`);
    expect([response.status, response.headers.getSetCookie()]).toEqual([404, []]);
    const page = await get('/community', `alpenglow_preview=${token()}`);
    expect(await page.text()).not.toContain('local-remote.js');
  });

  it('works only at the address of its site', async () => {
    const other = await serveRoutes(
      '/',
      createShellServer({
        ...{ mfDir, distDir: path.join(dir, 'dist'), reads: null, metrics: null },
        ...{ siteUrl: 'https://staging.example.org', localRemotes: createLocalRemotes },
        log: { warn: () => undefined },
      }),
    );
    const statusOf = async (site: string) => {
      const url = new URL(`/local-remotes/${tokenFor(REMOTE, undefined, site)}`, other.url);
      return (await fetch(url, { redirect: 'manual' })).status;
    };
    expect(await statusOf('https://staging.example.org')).toBe(302);
    expect(await statusOf('https://www.example.org')).toBe(404);
    expect(await statusOf(other.url), 'the address of the request').toBe(404);
    await expect(requireSite(other.url)).rejects.toThrow(`${other.url} is the site https://staging.example.org`);
    await other.stop();
    expect(await requireSite(`${served.url}/about`)).toBe(served.url);
    const { trust } = localKeys(mfDir);
    expect(readLocalRemoteToken(tokenFor(REMOTE), null, trust), 'the address is not known').toBeNull();
  });

  it('is possible only with a setting, of which the log has a warning', () => {
    expect(warnings).toContainEqual(expect.stringMatching(/^LOCAL_REMOTES is on: .*Not for production$/u));
  });

  it('expires', () => {
    const { trust } = localKeys(mfDir);
    const later = (hours: number) => new Date(Date.now() + hours * 3_600_000);
    const token = tokenFor(REMOTE);
    expect(readLocalRemoteToken(token, served.url, trust, later(LOCAL_REMOTE_h - 1))).toMatchObject(REMOTE);
    expect(readLocalRemoteToken(token, served.url, trust, later(LOCAL_REMOTE_h + 1))).toBeNull();
  });
});

describe('a page with a local remote', () => {
  it('loads it from this port of localhost only, and is in no cache', async () => {
    const page = await get('/about', await openLink(tokenFor(REMOTE)));
    const text = await page.text();
    const script =
      '<script src="http://localhost:8090/mf/under-development/current/local-remote.js" crossorigin></script>';
    expect(text.indexOf(script)).toBeGreaterThan(0);
    expect(text.indexOf(script), 'before the shell').toBeLessThan(text.indexOf('/assets/shell.js'));
    expect(text).toContain('<p>mf-community: from http://localhost:8090</p>');
    expect(page.headers.get('cache-control')).toBe('private, no-store');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("connect-src 'self' http://localhost:8090 ws://localhost:8090");
    expect(policy).toMatch(/script-src 'self' 'sha256-[^;]+ http:\/\/localhost:8090;/u);
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe-eval');
  });

  it('is in the registry of this browser, and in no other', async () => {
    const registryOf = async (cookie: string) =>
      (await (await get('/mf/registry.json', cookie)).json()) as { remotes: Record<string, object> };
    const cookie = await openLink(tokenFor(REMOTE));
    expect((await registryOf(cookie)).remotes['mf-community']).toMatchObject({ fits: true, container: 'mf_community' });
    expect((await registryOf('')).remotes['mf-community']).toBeUndefined();
    expect(await (await get('/about')).text()).not.toContain('localhost:8090');
  });

  it('can have several, and the last link of a remote counts', async () => {
    let cookie = await openLink(tokenFor(REMOTE));
    cookie = await openLink(tokenFor({ name: 'mf-listings', port: 8091 }), cookie);
    cookie = await openLink(tokenFor({ ...REMOTE, port: 8092 }), cookie);
    const text = await (await get('/about', cookie)).text();
    const ports = [...text.matchAll(/localhost:(\d+)\/mf/gu)].map(([, port]) => port);
    expect(ports.toSorted()).toEqual(['8091', '8092']);
  });

  it('ends with its link', async () => {
    const left = await get('/preview/leave', await openLink(tokenFor(REMOTE)));
    expect(left.headers.getSetCookie()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^alpenglow_preview=; Path=\/; Expires=Thu, 01 Jan 1970/u)]),
    );
  });
});
