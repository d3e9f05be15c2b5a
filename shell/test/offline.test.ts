import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { LOCALES } from '@alpenglow/ui/locales';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveRoutes } from '../../tests/support/served-routes.ts';
import { offlineRoutes } from '../server/offline/routes.ts';
import { createMemoryStorage, type MemoryStorage } from '../../tests/support/memory-storage.ts';

const PUBLIC = path.resolve(import.meta.dirname, '../public');
const sourceOf = (name: string) => readFileSync(path.join(PUBLIC, name), 'utf8');

let served: Awaited<ReturnType<typeof serveRoutes>>;
beforeAll(async () => {
  served = await serveRoutes('/', offlineRoutes({ distDir: PUBLIC, build: { hash: 'a'.repeat(16) } }));
});
afterAll(() => served.stop());

describe('the offline page', () => {
  it('contains its texts in every language, and only the script and the style that its policy allows', async () => {
    const response = await fetch(new URL('/offline', served.url));
    const html = await response.text();
    for (const locale of LOCALES) expect(html).toContain(`<div data-locale lang="${locale}">`);
    for (const title of ['No connection', 'Keine Verbindung', 'Pas de connexion', 'Nessuna connessione'])
      expect(html).toContain(`<h1>${title}</h1>`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none';/u);
    for (const [tag, directive] of [
      ['script', 'script-src'],
      ['style', 'style-src'],
    ]) {
      const content = new RegExp(`<${tag}>(.*?)</${tag}>`, 'su').exec(html)?.[1] ?? '';
      const digest = createHash('sha256').update(content).digest('base64');
      expect(policy).toContain(`${directive} 'sha256-${digest}'`);
    }
    expect(html).not.toMatch(/ src=|<link/u);
  });
});

/** The functions of the script of the offline page. */
function offlineScript(): {
  findLocale(known: readonly string[], pathname: string, cookie: string, languages: readonly string[]): string;
  listFavorites(storage: MemoryStorage): readonly { readonly name: string; readonly text: string }[] | null;
} {
  const context = vm.createContext({});
  vm.runInContext(sourceOf('offline.js'), context);
  return context as ReturnType<typeof offlineScript>;
}

describe('the language of the offline page', () => {
  it.each([
    ['/de/listings', 'locale=fr', ['it-CH'], 'de'],
    ['/listings', 'theme=dark; locale=fr', ['it-CH'], 'fr'],
    ['/', '', ['pt-BR', 'it-CH'], 'it'],
    ['/', '', ['pt-BR'], 'en'],
  ])('for %s, cookie "%s" and browser %j', (pathname, cookie, languages, locale) => {
    expect(offlineScript().findLocale(LOCALES, pathname, cookie, languages)).toBe(locale);
  });
});

describe('the favorites on the offline page', () => {
  const CARDS = {
    a: { name: 'Anna', age: 30, title: 'Reading', city: 'Reno', state: 'NV' },
    b: { name: 'Bea', age: null, title: 'Walking', city: 'Miami', state: 'FL' },
    gone: null,
  };
  const GATES = { age_ok: 'true', guidelines_accepted: 'true' };
  const list = (entries: Readonly<Record<string, string>>) =>
    offlineScript()
      .listFavorites(createMemoryStorage(entries))
      ?.map(({ name, text }) => `${name}: ${text}`);
  const ANNA = 'Anna, 30: Reading · Reno, NV';
  const BEA = 'Bea: Walking · Miami, FL';

  it('are those of the guest in their order, without ads that no longer exist', () => {
    const favorites = { 'favorites-cards:guest': JSON.stringify(CARDS), 'favorites:guest': '["b","gone","new","a"]' };
    expect(list({ ...GATES, ...favorites })).toEqual([BEA, ANNA]);
  });

  it('are those of the client while a session is stored', () => {
    const stored = { ...GATES, 'favorites-cards:client': JSON.stringify(CARDS) };
    expect(list({ ...stored, vpsAuthToken: 'token' })).toEqual([ANNA, BEA]);
    expect(list(stored)).toEqual([]);
  });

  it('are not shown before the visitor has accepted both questions', () => {
    expect(list({ age_ok: 'true', 'favorites-cards:guest': JSON.stringify(CARDS) })).toBeUndefined();
  });

  it('are empty if the stored data is invalid', () => {
    expect(list({ ...GATES, 'favorites-cards:guest': '{' })).toEqual([]);
    expect(list({ ...GATES, 'favorites-cards:guest': '{"a":{"title":1},"b":"text"}' })).toEqual([]);
  });
});

describe('the service worker', () => {
  type Handler = (event: object) => void;

  /** Runs the worker in an environment without a network. Returns its handlers and its caches. */
  function startWorker(version: string, existing: readonly string[] = []) {
    const handlers: Record<string, Handler> = {};
    const stored = new Map<string, string[]>(existing.map((name) => [name, ['/offline']]));
    const requests: string[] = [];
    const context = vm.createContext({
      URL,
      Request: class {
        constructor(readonly url: string) {}
      },
      Response: { error: () => 'network error' },
      fetch: (request: { readonly url: string }) => {
        requests.push(request.url);
        return request.url.includes('unreachable')
          ? Promise.reject(new TypeError('no connection'))
          : Promise.resolve('page');
      },
      caches: {
        open: (name: string) => {
          stored.set(name, stored.get(name) ?? []);
          return Promise.resolve({
            add: ({ url }: { readonly url: string }) => Promise.resolve(stored.get(name)?.push(url)),
          });
        },
        keys: () => Promise.resolve([...stored.keys()]),
        delete: (name: string) => Promise.resolve(stored.delete(name)),
        match: (url: string) => Promise.resolve([...stored.values()].flat().includes(url) ? 'offline page' : undefined),
      },
      self: {
        addEventListener: (type: string, handler: Handler) => (handlers[type] = handler),
        skipWaiting: () => Promise.resolve(),
        registration: {},
      },
    });
    vm.runInContext(sourceOf('service-worker.js').replaceAll('{version}', version), context);
    const run = async (type: 'install' | 'activate') => {
      let work: unknown;
      handlers[type]?.({ waitUntil: (promise: unknown) => (work = promise) });
      await work;
    };
    /** Returns the response of the worker, or null if the browser handles the request. */
    const respond = async (url: string, { mode = 'navigate', method = 'GET' } = {}) => {
      let response: unknown = null;
      handlers['fetch']?.({
        request: { url: `https://site.example${url}`, mode, method },
        preloadResponse: Promise.resolve(undefined),
        respondWith: (promise: unknown) => (response = promise),
      });
      return (await response) as string | null;
    };
    return { run, respond, stored, requests };
  }

  it('stores the offline page, and deletes those of earlier versions', async () => {
    const worker = startWorker('2', ['offline-1']);
    await worker.run('install');
    await worker.run('activate');
    expect([...worker.stored]).toEqual([['offline-2', ['/offline']]]);
  });

  it('shows the page of the server, and the offline page without a connection', async () => {
    const worker = startWorker('1');
    await worker.run('install');
    expect(await worker.respond('/listings')).toBe('page');
    expect(await worker.respond('/unreachable')).toBe('offline page');
  });

  it.each([
    ['/mf/mf-listings/0123456789abcdef/app.js', { mode: 'cors' }],
    ['/assets/shell.js', { mode: 'no-cors' }],
    ['/api/ads', { mode: 'cors' }],
    ['/api/docs', { mode: 'navigate' }],
    ['/mf/registry.json', { mode: 'navigate' }],
    ['/listings', { mode: 'navigate', method: 'POST' }],
  ])('does not handle the request of %s with %j', async (url, request) => {
    const worker = startWorker('1');
    expect(await worker.respond(url, request)).toBeNull();
    expect(worker.requests).toEqual([]);
  });

  it('is served with a version that changes with the build', async () => {
    const response = await fetch(new URL('/service-worker.js', served.url));
    const worker = await response.text();
    expect([response.headers.get('cache-control'), response.headers.get('content-type')]).toEqual([
      'no-cache',
      expect.stringContaining('javascript'),
    ]);
    const versionIn = (text: string) => /'offline-([0-9a-f]{16})'/u.exec(text)?.[1];
    const other = await serveRoutes('/', offlineRoutes({ distDir: PUBLIC, build: { hash: 'b'.repeat(16) } }));
    const changed = await (await fetch(new URL('/service-worker.js', other.url))).text();
    await other.stop();
    expect(versionIn(worker)).toBeDefined();
    expect(versionIn(changed)).not.toBe(versionIn(worker));
  });
});

describe('the manifest', () => {
  it('names icons that exist, and pages of the site', () => {
    const manifest = JSON.parse(sourceOf('manifest.webmanifest')) as {
      readonly icons: readonly { readonly src: string; readonly purpose: string }[];
      readonly shortcuts: readonly { readonly url: string }[];
    };
    for (const { src } of manifest.icons) expect(readFileSync(path.join(PUBLIC, src)).length).toBeGreaterThan(100);
    expect(manifest.icons.map(({ purpose }) => purpose)).toEqual(['any', 'any', 'any', 'maskable']);
    expect(manifest.shortcuts.map(({ url }) => url)).toEqual(['/listings', '/favorites', '/community']);
  });
});
