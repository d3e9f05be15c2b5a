import { brotliCompressSync, constants } from 'node:zlib';
import type { Browser, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient } from '../support/api.ts';
import { openVisitor, PHONE, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { sampleOf } from '../support/sample.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { upload } from '../support/uploads.ts';
import { readStockPicture } from '../../workers/src/stock-pictures.ts';

/**
 * Limits for the size of a first visit (F-25, F-26). Texts are measured as transferred with Brotli, and
 * pictures in their own format. KB are 1,000 bytes, as in record 0013.
 */
const KB = 1000;
/** As in shell/build/artifact.mjs. */
const LARGE_BLOCKS = { params: { [constants.BROTLI_PARAM_LGBLOCK]: 24 } };
const ADS = 3;

let browser: Browser;
let product: TestProduct;
beforeAll(async () => {
  product = await startTestProduct();
  const client = apiClient(product.url);
  const urls: string[] = [];
  for (let number = 1; number <= ADS; number++) {
    const { token } = await client.signUp('provider');
    const { body } = await upload(product.url, 'photos', [{ bytes: await readStockPicture(number) }], token);
    urls.push(...(body['urls'] as readonly string[]));
    await client.postAd(token, { title: `Ad ${number}`, photos: body['urls'] });
  }
  // The pages request each picture once. On a busy machine, an upload is acknowledged before all variants exist.
  await waitForRead(client);
  for (const url of urls)
    await eventually(async () => expect((await fetch(`${product.url}${url}`, { method: 'HEAD' })).status).toBe(200));
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

interface LoadedResource {
  readonly path: string;
  readonly type: string;
  readonly bytes: number;
  readonly brotli_bytes: number;
}

/** Records each resource that a page loads after this call. A resource that is loaded repeatedly counts once. */
function watchLoads(page: Page): () => Promise<readonly LoadedResource[]> {
  const loads = new Map<string, Promise<LoadedResource>>();
  const record = (response: Response) => {
    const { pathname } = new URL(response.url());
    // Responses to reports of the page have no body, and it cannot be read.
    if (loads.has(pathname) || !response.ok() || response.status() === 204) return;
    loads.set(
      pathname,
      response.body().then((body) => ({
        path: pathname,
        type: response.headers()['content-type'] ?? '',
        bytes: body.length,
        brotli_bytes: brotliCompressSync(body, LARGE_BLOCKS).length,
      })),
    );
  };
  page.on('response', record);
  return async () => {
    // Stops recording, because the page closes and the bodies of later responses could not be read.
    page.off('response', record);
    return Promise.all(loads.values());
  };
}

/** Opens a page with an empty cache. Returns its loaded resources when the page is idle. */
async function loadsOf(
  address: string,
  options: VisitorOptions = {},
  shows = 'main h1',
): Promise<readonly LoadedResource[]> {
  const context = await openVisitor(browser, product.url, { viewport: PHONE, deviceScaleFactor: 2, ...options });
  try {
    const page = await context.newPage();
    const loaded = watchLoads(page);
    await page.goto(address, { waitUntil: 'networkidle' });
    // On a busy machine, the network may be idle before the page is complete. The test therefore also waits for the
    // content.
    await page.locator(shows).first().waitFor();
    const arePicturesLoaded = () =>
      page.evaluate(() =>
        [...document.images]
          .filter((image) => image.getBoundingClientRect().top < innerHeight)
          .every(({ complete }) => complete),
      );
    await expect.poll(arePicturesLoaded).toBe(true);
    return await loaded();
  } finally {
    await context.close();
  }
}

const sum = (loads: readonly LoadedResource[], pattern: RegExp) =>
  loads.filter(({ path }) => pattern.test(path)).reduce((total, { brotli_bytes }) => total + brotli_bytes, 0);
const SCRIPTS = /\.js$/u;
/** Excludes the texts in other languages. */
const SHELL = /^\/assets\/(?!(?:[a-z-]+-)?(?:de|fr|it)\.).*\.js$/u;
const STYLES = /\.css$/u;
const entryOf = (name: string) => new RegExp(`^/mf/${name}/\\w+/remote-entry\\.js$`, 'u');
/**
 * Returns a pattern for the scripts of a remote. The pattern excludes the texts in other languages, because this
 * visitor does not load them.
 */
const routeOf = (name: string) => new RegExp(`^/mf/${name}/\\w+/(?!remote-entry|(?:de|fr|it)\\.).*\\.js$`, 'u');

const LISTS = [
  ['en', 165],
  // The texts of another language are added to the English ones.
  ['de', 185],
] as const;
it.each(sampleOf(LISTS, 1))('the first visit of the list in %s stays within its budget', async (locale, all_KB) => {
  const loads = await loadsOf('/listings', { locale }, 'main article img');
  expect(sum(loads, SCRIPTS), 'all JavaScript').toBeLessThanOrEqual(all_KB * KB);
  expect(sum(loads, SHELL), 'the shell').toBeLessThanOrEqual(130 * KB);
  expect(sum(loads, entryOf('mf-listings')), 'the entry of the one remote').toBeLessThanOrEqual(7 * KB);
  expect(sum(loads, routeOf('mf-listings')), 'the route').toBeLessThanOrEqual(31 * KB);
  expect(sum(loads, STYLES), 'style sheets').toBeLessThanOrEqual(20 * KB);
  expect(
    loads.filter(({ path }) => path.endsWith('.woff2')),
    'one font file',
  ).toHaveLength(1);
  expect(
    loads.filter(({ path }) => /^\/mf\/mf-(?!listings)/u.test(path)),
    'no files of other remotes',
  ).toEqual([]);
  const images = loads.filter(({ type, path }) => type.startsWith('image/') && path.startsWith('/uploads/'));
  expect(images.length, 'the page has pictures').toBeGreaterThan(0);
  expect(Math.max(...images.map(({ bytes }) => bytes)), 'the size of the largest image').toBeLessThanOrEqual(60 * KB);
});

const COLD = [
  ['/', 'mf-listings', 168],
  ['/blog', 'mf-community', 165],
  ['/community', 'mf-community', 165],
] as const;
it.each(sampleOf(COLD, 2))('the first visit of %s stays within the general limits', async (address, name, all_KB) => {
  const loads = await loadsOf(address);
  expect(sum(loads, SCRIPTS), 'all JavaScript').toBeLessThanOrEqual(all_KB * KB);
  expect(sum(loads, SHELL), 'the shell').toBeLessThanOrEqual(130 * KB);
  expect(sum(loads, entryOf(name)), 'the entry').toBeLessThanOrEqual(7 * KB);
  expect(sum(loads, STYLES), 'style sheets').toBeLessThanOrEqual(20 * KB);
});

it('the first visit of an ad stays within its budget', async () => {
  const { token } = await apiClient(product.url).signUp('provider');
  const { id } = await apiClient(product.url).postAd(token, { title: 'An ad to read' });
  const loads = await loadsOf(`/ad/${id}`);
  expect(sum(loads, SCRIPTS), 'all JavaScript').toBeLessThanOrEqual(175 * KB);
});

it('the form for ads stays within its budget', async () => {
  const { token } = await apiClient(product.url).signUp('provider');
  const loads = await loadsOf('/post-ad', { token });
  expect(sum(loads, entryOf('mf-post-ad')), 'its entry').toBeLessThanOrEqual(7 * KB);
  expect(sum(loads, /^\/mf\/mf-post-ad\/.*\.js$/u), 'all of its scripts').toBeLessThanOrEqual(80 * KB);
});

it('the admin panel stays within the limit of an entry', async () => {
  const { token } = await apiClient(product.url).signUp('client', { email: 'admin@example.com' });
  expect(sum(await loadsOf('/admin', { token }), entryOf('mf-admin'))).toBeLessThanOrEqual(7 * KB);
});
