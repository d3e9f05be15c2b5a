import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient } from '../support/api.ts';
import { launchBrowser, returningVisitor } from '../support/browser.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';

/** The budget of design/front-end.md: what a cold page loads, gzipped. */
const KB = 1024;

let browser: Browser;
let product: TestProduct;
beforeAll(async () => {
  product = await startTestProduct();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

interface Loaded {
  readonly path: string;
  readonly gzip_bytes: number;
}

/** Everything a page loads from now on, once each. */
function watchLoads(page: Page): () => Promise<Loaded[]> {
  const loads = new Map<string, Promise<Loaded>>();
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (!loads.has(pathname) && response.ok()) loads.set(pathname, response.body().then((body) => ({ path: pathname, gzip_bytes: gzipSync(body, { level: 9 }).length })));
  });
  return async () => Promise.all(loads.values());
}

const sum = (loads: readonly Loaded[], pattern: RegExp) => loads.filter(({ path }) => pattern.test(path)).reduce((total, { gzip_bytes }) => total + gzip_bytes, 0);

it('a cold listing page stays within its budget', async () => {
  const context = await returningVisitor(browser, product.url);
  const page = await context.newPage();
  const loaded = watchLoads(page);
  await page.goto('/listings', { waitUntil: 'networkidle' });
  await page.locator('main h1').waitFor();
  const loads = await loaded();
  expect(sum(loads, /\.js$/u), 'all JavaScript').toBeLessThanOrEqual(230 * KB);
  expect(sum(loads, /^\/assets\/.*\.js$/u), 'the shell').toBeLessThanOrEqual(180 * KB);
  expect(sum(loads, /remote-entry\.js$/u), 'the entry of the one remote').toBeLessThanOrEqual(15 * KB);
  expect(sum(loads, /^\/mf\/mf-listings\/\w+\/(?!remote-entry).*\.js$/u), 'the route').toBeLessThanOrEqual(35 * KB);
  expect(sum(loads, /\.css$/u), 'style sheets').toBeLessThanOrEqual(20 * KB);
  expect(loads.filter(({ path }) => path.endsWith('.woff2')), 'one font file').toHaveLength(1);
  expect(loads.filter(({ path }) => /^\/mf\/mf-(?!listings)/u.test(path)), 'nothing of other remotes').toEqual([]);
  await context.close();
});

it('posting adds no more than its share', async () => {
  const { token } = await apiClient(product.url).signUp('provider');
  const context = await returningVisitor(browser, product.url);
  await context.addInitScript((value) => localStorage.setItem('vpsAuthToken', value), token);
  const page = await context.newPage();
  const loaded = watchLoads(page);
  await page.goto('/post-ad', { waitUntil: 'networkidle' });
  await page.getByRole('heading', { name: 'Post Your Ad' }).waitFor();
  expect(sum(await loaded(), /^\/mf\/mf-post-ad\/.*\.js$/u)).toBeLessThanOrEqual(80 * KB);
  await context.close();
});
