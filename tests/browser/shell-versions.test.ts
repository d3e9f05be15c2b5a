import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {
  createErrorHandler,
  createHttpMetrics,
  createLogger,
  createMetrics,
  createRequestContext,
} from '@alpenglow/infra';
import express from 'express';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProxy } from '../../infra/gateway/proxy.ts';
import { watchUpstreams, type UpstreamGroup } from '../../infra/gateway/upstreams.ts';
import { findFreePort } from '../../launcher/cluster/free-port.mjs';
import { storeShell } from '../../shell/build/shell-files.mjs';
import { localKeys } from '../../shell/build/signing.mjs';
import { createShellServer } from '../../shell/server/index.ts';
import { returningVisitor, sharedBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { DeployedRemotes } from '../support/remotes.ts';
import { createShellVariant } from '../support/shell-variants.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * Two versions of the shell behind the gateway, while one replaces the other and while this is undone (F-52). The API
 * is that of one product.
 */
const PAGES = ['/', '/listings', '/community', '/about', '/help'];
const LOADS = 1_000;
const PARALLEL = 8;

let browser: Browser;
let product: TestProduct;
let remotes: DeployedRemotes;
let folder: string;
let places: readonly Place[];
let shells: UpstreamGroup;
let gateway: { readonly url: string; stop(): Promise<void> };

/** A process of the shell at one address. Its version changes. */
class Place {
  #server: Server | null = null;
  #isReady = true;
  #stopRenderer: (() => Promise<void>) | undefined;

  private constructor(
    readonly url: string,
    readonly port: number,
  ) {}

  static async create(): Promise<Place> {
    const port = await findFreePort();
    return new Place(`http://127.0.0.1:${port}`, port);
  }

  async start(distDir: string): Promise<void> {
    this.#isReady = true;
    const app = express();
    app.get('/readyz', (_req, res) => void res.status(this.#isReady ? 200 : 503).end());
    app.use(
      createShellServer({
        ...{ mfDir: remotes.mfDir, distDir, siteUrl: null, reads: null, metrics: null },
        log: { warn: () => undefined },
        onStop: (close) => (this.#stopRenderer = close),
      }),
    );
    this.#server = createServer(app).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Stops as a service does: it is first not ready, until the gateway sends no more requests. */
  async stop(): Promise<void> {
    this.#isReady = false;
    const state = () => shells.all.find(({ url }) => url === this.url);
    await eventually(() => {
      const { isReady = false, active = 0 } = state() ?? {};
      if (isReady || active > 0) throw new Error(`The gateway still uses ${this.url}`);
    });
    await new Promise((resolve) => {
      this.#server?.close(resolve);
      this.#server?.closeIdleConnections();
    });
    await this.#stopRenderer?.();
  }
}

const versionDir = (version: 'one' | 'two') => path.join(folder, version);

/** Replaces the version at one address, like an update: its files are stored before it starts. */
async function replace(place: Place | undefined, version: 'one' | 'two'): Promise<void> {
  await storeShell({ mfDir: remotes.mfDir, distDir: versionDir(version), keys: localKeys(remotes.mfDir) });
  await place?.stop();
  await place?.start(versionDir(version));
  await eventually(() => {
    if (!shells.all.every(({ isReady }) => isReady)) throw new Error('The gateway does not use all processes');
  });
}

async function startGateway(): Promise<typeof gateway> {
  const api = await watchUpstreams([product.url]);
  const proxy = createProxy(
    { shell: shells, commandApi: api, queryApi: api },
    { trustedProxies: 0, recordAttempt: () => undefined },
  );
  const log = createLogger('silent');
  const app = express().use(
    createRequestContext(log, createHttpMetrics(createMetrics())),
    proxy.handler,
    createErrorHandler(log),
  );
  const server = createServer(app).listen(0, '127.0.0.1');
  server.on('upgrade', proxy.upgrade);
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      proxy.drain();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      proxy.close();
      await api.stop();
    },
  };
}

beforeAll(async () => {
  remotes = await DeployedRemotes.create();
  product = await startTestProduct({ mfDir: remotes.mfDir });
  folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-shells-'));
  for (const version of ['one', 'two'] as const) await createShellVariant(versionDir(version), { mark: version });
  await storeShell({ mfDir: remotes.mfDir, distDir: versionDir('one'), keys: localKeys(remotes.mfDir) });
  places = [await Place.create(), await Place.create()];
  for (const place of places) await place.start(versionDir('one'));
  shells = await watchUpstreams(places.map(({ url }) => url));
  gateway = await startGateway();
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await gateway?.stop();
  for (const place of places ?? []) await place.stop();
  await shells?.stop();
  await product?.stop();
  await remotes?.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Loads a page and all files that its HTML names. Returns the addresses that did not arrive. */
async function load(page: string): Promise<readonly string[]> {
  const response = await fetch(gateway.url + page, { headers: { accept: 'text/html', 'accept-encoding': 'br' } });
  const html = await response.text();
  const files = new Set([...html.matchAll(/(?:src|href)="(\/(?:assets|mf)\/[^"]+)"/gu)].map(([, file = '']) => file));
  if (response.status !== 200 || files.size < 3) return [`${page}: ${response.status} with ${files.size} files`];
  const statuses = await Promise.all(
    [...files].map(async (file) => {
      const { status, body } = await fetch(gateway.url + file, { headers: { 'accept-encoding': 'br' } });
      await body?.cancel();
      return `${file}: ${status}`;
    }),
  );
  return statuses.filter((text) => !text.endsWith(': 200'));
}

/** Opens a page in a new browser profile. Rejects if the shell does not start, or if the page has an error. */
async function openInBrowser(page: string): Promise<string | undefined> {
  const context = await returningVisitor(browser, gateway.url);
  const opened = await context.newPage();
  const errors: string[] = [];
  opened.on('pageerror', (error) => errors.push(String(error)));
  opened.on('response', (response) => {
    if (response.status() >= 400 && /\/(?:assets|mf)\//u.test(response.url())) errors.push(response.url());
  });
  await opened.goto(page);
  await opened.locator('main h1').first().waitFor();
  await opened.waitForFunction(() => document.documentElement.dataset['shell'] !== undefined);
  const version = await opened.evaluate(() => document.documentElement.dataset['shell']);
  expect(errors, page).toEqual([]);
  await context.close();
  return version;
}

it('no page load is stuck while another version of the shell replaces the running one, or is undone', async () => {
  const failures: string[] = [];
  let loads = 0;
  let isRolling = true;
  const visit = async () => {
    while (isRolling || loads < LOADS) {
      loads++;
      failures.push(...(await load(PAGES[loads % PAGES.length] ?? '/')));
    }
  };
  const visits = Array.from({ length: PARALLEL }, visit);
  const versions: (string | undefined)[] = [await openInBrowser('/listings')];
  const [first, second] = places;
  for (const [place, version] of [
    [first, 'two'],
    [second, 'two'],
    [first, 'one'],
    [second, 'one'],
  ] as const) {
    await replace(place, version);
    versions.push(await openInBrowser('/listings'), await openInBrowser('/about'));
  }
  isRolling = false;
  await Promise.all(visits);
  expect(failures).toEqual([]);
  expect(loads).toBeGreaterThanOrEqual(LOADS);
  expect(new Set(versions)).toEqual(new Set(['one', 'two']));
});

it('an old tab continues with the parts of its version, and offers a reload when its visitor returns', async () => {
  const page = await (await returningVisitor(browser, gateway.url)).newPage();
  await page.clock.install();
  await page.goto('/listings');
  await page.locator('main h1').first().waitFor();
  for (const place of places) await replace(place, 'two');
  const returnToTab = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  const notice = page.getByText('This site has been updated since you opened the page.');

  // The page of the shell is loaded late, and only the other version runs now.
  const files: string[] = [];
  page.on('response', (response) => files.push(`${response.status()} ${new URL(response.url()).pathname}`));
  await page.getByRole('link', { name: 'Help' }).first().click();
  await page.getByRole('heading', { level: 1, name: /^Help/u }).waitFor();
  expect(files.filter((file) => /^200 \/assets\/.*\.js$/u.test(file))).not.toEqual([]);
  expect(await page.evaluate(() => document.documentElement.dataset['shell'])).toBe('one');
  await returnToTab();
  expect(await notice.count(), 'not while the tab is in use').toBe(0);

  await page.clock.fastForward(31 * 60_000);
  const firstCheck = page.waitForResponse((response) => response.url().endsWith('/mf/registry.json'));
  await returnToTab();
  await (await firstCheck).finished();
  expect(await notice.count(), 'not before a second check, because an update may be running').toBe(0);
  await eventually(async () => {
    await page.clock.fastForward(6 * 60_000);
    await notice.waitFor({ timeout: 1_000 });
  });
  await notice.getByRole('button', { name: 'Reload the page' }).click();
  await page.waitForFunction(() => document.documentElement.dataset['shell'] === 'two');
  await page.getByRole('heading', { level: 1, name: /^Help/u }).waitFor();
  expect(await notice.count()).toBe(0);
  await page.context().close();
});
