import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { CONTRACT_VERSION } from '@alpenglow/ui/contract';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localKeys, signBuild } from '../build/signing.mjs';
import { createShellServer } from '../server/index.ts';

const HASH = '0123456789abcdef';
const [UNSIGNED, REVOKED, OLD] = ['a'.repeat(16), 'b'.repeat(16), 'c'.repeat(16)];
const ENTRY = 'entry'.repeat(300);
const SHA = `sha256-${createHash('sha256').update(ENTRY).digest('base64')}`;
/** A SHA-256 that no file has. */
const OTHER_SHA = `sha256-${'b'.repeat(43)}=`;
const warnings: string[] = [];
let dir: string;
let server: Server;
let port: number;

beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'shell-server-'));
  const [distDir, mfDir] = [path.join(dir, 'dist'), path.join(dir, 'mf')];
  await mkdir(path.join(distDir, 'assets'), { recursive: true });
  await mkdir(path.join(mfDir, 'mf-listings', HASH), { recursive: true });
  const script = 'console.log("shell");'.repeat(100);
  const { privateKey } = localKeys(mfDir);
  const build = {
    name: 'mf-listings',
    hash: HASH,
    contract: CONTRACT_VERSION,
    preload: ['remote-entry.js'],
    preloadTexts: { de: ['de.2.js'] },
    integrity: { 'remote-entry.js': SHA, 'de.2.js': SHA, 'changed.js': OTHER_SHA, 'packed.js': SHA },
    assets: { 'picture.svg': SHA, 'changed.html': OTHER_SHA },
  };
  const signed = signBuild(build, privateKey);
  const folderOf = (hash: string) => path.join(mfDir, 'mf-listings', hash);
  for (const hash of [UNSIGNED, REVOKED, OLD]) await mkdir(folderOf(hash), { recursive: true });
  await Promise.all([
    writeFile(path.join(dir, 'secret.txt'), 'secret'),
    writeFile(
      path.join(distDir, 'build.json'),
      JSON.stringify({
        hash: 'f'.repeat(16),
        sizeBytes: 1,
        scripts: ['shell.1.js'],
        styles: ['shell.1.css'],
        texts: { de: ['de.1.js'] },
        fonts: [],
      }),
    ),
    writeFile(path.join(distDir, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>'),
    writeFile(path.join(distDir, 'assets/shell.1.js'), script),
    writeFile(path.join(distDir, 'assets/shell.1.js.br'), brotliCompressSync(script)),
    ...[HASH, UNSIGNED, REVOKED, OLD].map((hash) => writeFile(path.join(folderOf(hash), 'remote-entry.js'), ENTRY)),
    ...['picture.svg', 'changed.js', 'changed.html', 'unlisted.js', 'remote-entry.js.map', 'unlisted.js.map'].map(
      (file) => writeFile(path.join(folderOf(HASH), file), file === 'picture.svg' ? ENTRY : 'other'),
    ),
    writeFile(path.join(folderOf(HASH), 'remote-entry.js.br'), brotliCompressSync(ENTRY)),
    writeFile(path.join(folderOf(HASH), 'packed.js'), ENTRY),
    writeFile(path.join(folderOf(HASH), 'packed.js.br'), brotliCompressSync('alert("changed")')),
    writeFile(
      path.join(mfDir, 'mf-listings', 'history.json'),
      JSON.stringify([
        { ...build, hash: UNSIGNED },
        signBuild({ ...build, hash: REVOKED }, privateKey),
        signBuild({ ...build, hash: OLD }, privateKey),
        { ...signed, deployedAt: '2026-11-02T00:00:00.000Z' },
      ]),
    ),
    writeFile(
      path.join(mfDir, 'registry.json'),
      JSON.stringify({
        remotes: { 'mf-listings': [signed] },
      }),
    ),
  ]);
  await utimes(folderOf(OLD), new Date(0), new Date(0));
  const app = express();
  app.use(
    createShellServer({
      mfDir,
      frontEndTrust: { keys: null, revoked: [REVOKED] },
      distDir,
      siteUrl: null,
      reads: null,
      metrics: null,
      log: { warn: (_, text) => warnings.push(text) },
    }),
  );
  app.use((_req, res) => void res.status(404).json({ success: false }));
  server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(dir, { recursive: true, force: true });
});

/**
 * Sends a request with exactly this path and returns the raw body. `fetch` is not suitable, because it normalizes paths
 * and decompresses bodies.
 */
async function get(target: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: target, method, headers }, resolve).on('error', reject).end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}
const HTML = { accept: 'text/html' };

describe('pages', () => {
  it.each([
    ['/', 200],
    ['/listings', 200],
    ['/city/nv/las-vegas', 200],
    ['/nowhere/at/all', 404],
    ['/%E0%A4%A', 404],
  ] as const)('are returned for %s, with status %i', async (target, expected) => {
    const { status, headers, body } = await get(target, HTML);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      expected,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(body.toString()).toContain('<script defer src="/assets/shell.1.js"></script>');
    expect(body.toString()).toContain('Loading Alpenglow…');
  });

  it('contain no trace of a demo unless the product is one', async () => {
    expect((await get('/', HTML)).body.toString()).not.toContain('alpenglow-demo');
  });

  it('contain preloads with integrity for the owner’s files, and for no other remote', async () => {
    const entry = `/mf/mf-listings/${HASH}/remote-entry.js`;
    const preload = `<link rel="preload" href="${entry}" as="script" crossorigin integrity="${SHA}">`;
    expect((await get('/listings', HTML)).body.toString()).toContain(preload);
    expect((await get('/login', HTML)).body.toString()).not.toContain('/mf/mf-listings');
    expect((await get('/community', HTML)).body.toString()).not.toContain('/mf/mf-');
  });

  it('contain preloads for the texts of their language, and of no other language', async () => {
    const german = (await get('/de/listings', HTML)).body.toString();
    expect(german).toContain('<link rel="preload" href="/assets/de.1.js" as="script">');
    expect(german).toContain(
      `<link rel="preload" href="/mf/mf-listings/${HASH}/de.2.js" as="script" crossorigin integrity="${SHA}">`,
    );
    expect((await get('/listings', HTML)).body.toString()).not.toContain('/de.');
  });

  it('forbid other origins and inline code, except the listed scripts of the server', async () => {
    const { headers, body } = await get('/', HTML);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self' 'sha256-");
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    // Only `style` attributes are allowed, because React writes them into the HTML.
    expect(policy.replace("style-src-attr 'unsafe-inline'", '')).not.toMatch(/unsafe-|https?:|\*/u);
    const scripts = [...body.toString().matchAll(/<script>(.*?)<\/script>/gsu)].map(([, script = '']) => script);
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts)
      expect(policy).toContain(`'sha256-${createHash('sha256').update(script).digest('base64')}'`);
    expect(body.toString()).not.toMatch(
      /<style|<script(?!>| defer src="\/assets\/| type="application\/ld\+json")|\son\w+=/u,
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('state the minimum age if scripts are disabled', async () => {
    expect((await get('/', HTML)).body.toString()).toMatch(/<noscript>.*at least 18 years.*<\/noscript>/su);
  });

  it('are not sent again if the browser has the current version', async () => {
    const { headers } = await get('/', HTML);
    expect((await get('/', { ...HTML, 'if-none-match': String(headers.etag) })).status).toBe(304);
  });

  it.each(['br', 'gzip'])('are compressed with %s', async (encoding) => {
    const { headers, body } = await get('/', { ...HTML, 'accept-encoding': encoding });
    expect([headers['content-encoding'], headers.vary]).toEqual([
      encoding,
      'Accept, Accept-Encoding, Accept-Language, Cookie',
    ]);
    expect((encoding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)).toString()).toContain('</html>');
  });

  it.each([
    ['/api/unknown', HTML],
    ['/status/front-ends/errors', HTML],
    ['/sitemaps/none.xml', HTML],
    ['/uploads/photos/x/320.jpg', HTML],
    ['/listings', { accept: 'application/json' }],
  ])('are not sent for %s with %j', async (target, headers) => {
    expect((await get(target, headers)).status).toBe(404);
  });

  it('are not sent for the default icon path', async () => {
    const { status, headers } = await get('/favicon.ico', HTML);
    expect([status, headers['location']]).toEqual([301, '/favicon.svg']);
  });

  it('are not sent for other methods', async () => {
    expect((await get('/', HTML, 'POST')).status).toBe(404);
  });
});

describe('files', () => {
  it('with a hash in their name are immutable and sent compressed', async () => {
    const { status, headers, body } = await get('/assets/shell.1.js', { 'accept-encoding': 'gzip, br' });
    expect([status, headers['cache-control'], headers['content-encoding'], headers.vary]).toEqual([
      200,
      'public, max-age=31536000, immutable',
      'br',
      'Accept-Encoding',
    ]);
    expect(headers['content-type']).toMatch(/javascript/u);
    expect(brotliDecompressSync(body).toString()).toContain('console.log("shell");');
    expect(
      (await get('/assets/shell.1.js', { 'accept-encoding': 'br', 'if-none-match': String(headers.etag) })).status,
    ).toBe(304);
  });

  it('are sent uncompressed if the client does not support compression', async () => {
    const { headers, body } = await get('/assets/shell.1.js');
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.toString()).toContain('console.log("shell");');
  });

  it('of remotes are immutable below their hash; the registry is revalidated each time', async () => {
    expect((await get(`/mf/mf-listings/${HASH}/remote-entry.js`)).headers['cache-control']).toContain('immutable');
    const { headers, body } = await get('/mf/registry.json');
    expect(headers['cache-control']).toBe('no-cache');
    expect(JSON.parse(String(body))).toMatchObject({
      contract: CONTRACT_VERSION,
      remotes: { 'mf-listings': { fits: true } },
    });
  });

  it('of a remote are sent compressed, with an ETag, and only with the signed content', async () => {
    const file = (name: string, headers?: Readonly<Record<string, string>>) =>
      get(`/mf/mf-listings/${HASH}/${name}`, { 'accept-encoding': 'br', ...headers });
    const entry = await file('remote-entry.js');
    expect([entry.headers['content-encoding'], entry.headers.vary]).toEqual(['br', 'Accept-Encoding']);
    expect(entry.headers['content-type']).toMatch(/javascript/u);
    expect(brotliDecompressSync(entry.body).toString()).toBe(ENTRY);
    expect((await file('remote-entry.js', { 'if-none-match': String(entry.headers.etag) })).status).toBe(304);
    expect(entry.headers.etag, 'in all encodings').toBe(`W/"${SHA}"`);
    expect((await file('remote-entry.js', { 'accept-encoding': 'identity' })).headers.etag).toBe(`W/"${SHA}"`);
    expect((await file('picture.svg')).body.toString()).toBe(ENTRY);
    expect((await file('remote-entry.js.map')).status).toBe(200);
    // The compressed form was changed, so the original is sent.
    const packed = await file('packed.js');
    expect(packed.headers['content-encoding']).toBeUndefined();
    expect(packed.body.toString()).toBe(ENTRY);
  });

  it('of a remote are recorded as used, so that they stay stored', async () => {
    const folder = path.join(dir, 'mf/mf-listings', OLD);
    const before = await stat(folder);
    expect((await get(`/mf/mf-listings/${OLD}/remote-entry.js`)).status).toBe(200);
    await expect.poll(async () => (await stat(folder)).mtimeMs).toBeGreaterThan(before.mtimeMs);
  });

  it.each([
    '/assets/missing.js',
    '/mf/mf-listings/ffffffffffffffff/remote-entry.js',
    `/mf/mf-listings/${HASH}/missing.js`,
    `/mf/mf-listings/${HASH}/changed.js`,
    `/mf/mf-listings/${HASH}/changed.html`,
    `/mf/mf-listings/${HASH}/unlisted.js`,
    `/mf/mf-listings/${HASH}/unlisted.js.map`,
    `/mf/mf-listings/${HASH}/remote-entry.js.br`,
    `/mf/mf-listings/${UNSIGNED}/remote-entry.js`,
    `/mf/mf-listings/${REVOKED}/remote-entry.js`,
    `/mf/mf-listings/${HASH}`,
    '/mf/mf-listings/history.json',
    '/mf/',
    '/mf/../secret.txt',
    '/mf/%2e%2e/secret.txt',
    '/mf/mf-listings/..%2f..%2f..%2fsecret.txt',
    '/assets/..%2fbuild.json',
    '/assets/.%2e/build.json',
  ])('%s returns 404 and is not cached', async (target) => {
    const { status, headers, body } = await get(target, HTML);
    if (target === '/mf/../secret.txt') expect(body.toString()).not.toContain('secret');
    else expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
  });
});

it('throws immediately if there is no build', () => {
  expect(() =>
    createShellServer({
      mfDir: dir,
      distDir: dir,
      siteUrl: null,
      reads: null,
      metrics: null,
      log: { warn: () => undefined },
    }),
  ).toThrow('has not been built');
});

describe('below /.well-known', () => {
  it('security.txt names a contact and a date of expiry within a year', async () => {
    const { status, headers, body } = await get('/.well-known/security.txt', HTML);
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    const fields = new Map(
      body
        .toString()
        .trim()
        .split('\n')
        .map((line) => line.split(/: (.*)/u) as [string, string]),
    );
    expect(fields.get('Contact')).toMatch(/^mailto:\S+@\S+$/u);
    const days = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(365);
  });

  it('change-password leads to the page with the form', async () => {
    const { status, headers } = await get('/.well-known/change-password', HTML);
    expect([status, headers.location]).toEqual([302, '/profile']);
  });

  it.each(['/.well-known/', '/.well-known/unknown', '/.well-known/acme-challenge/a'])(
    '%s is 404 and not a page',
    async (target) => {
      expect((await get(target, HTML)).status).toBe(404);
    },
  );
});
