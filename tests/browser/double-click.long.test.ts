import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { openVisitor, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Tests that a double click on a button sends one request. */

let product: TestProduct;
let browser: Browser;
let api: ApiClient;

beforeAll(async () => {
  product = await startTestProduct();
  browser = await sharedBrowser();
  api = apiClient(product.url);
});
afterAll(() => product?.stop());
afterEach(() => closeVisitors());

/** Opens a page and returns it with the list of its POST requests, which grows later. */
async function open(path: string, options: VisitorOptions = {}) {
  const page = await (await openVisitor(browser, product.url, options)).newPage();
  const posts: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(new URL(request.url()).pathname);
  });
  await page.goto(path);
  return { page, posts };
}

/** Lets the owner bump every ad now. The response of the server contains the times of the last bumps. */
async function letAdsBeBumped(page: Page): Promise<void> {
  await page.route('**/api/ads/user*', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { readonly data: readonly object[] };
    const data = body.data.map((ad) => ({ ...ad, lastBumpedAt: '2026-01-01T00:00:00.000Z' }));
    await route.fulfill({ response, json: { ...body, data } });
  });
  await page.reload();
}

test('"Show contact" requests the contact details once', async () => {
  const { token } = await api.signUp('provider');
  const { id } = await api.postAd(token, { phone: '+1 702 555 0142' });
  await waitForRead(api);
  const { page, posts } = await open(`/ad/${id}`);
  await page.getByRole('button', { name: 'Show contact' }).first().dblclick();
  await page.getByRole('link', { name: '+1 702 555 0142' }).first().waitFor();
  expect(posts.filter((path) => path.endsWith('/contact'))).toHaveLength(1);
});

test('"Bump to top" sends one bump', async () => {
  const { token } = await api.signUp('provider');
  const { id } = await api.postAd(token);
  await waitForRead(api);
  const { page, posts } = await open('/provider-profile', { token });
  await letAdsBeBumped(page);
  const bumped = page.waitForResponse((response) => response.url().endsWith(`/api/ads/${id}/bump`));
  await page.getByRole('button', { name: 'Bump to top' }).dblclick();
  await bumped;
  expect(posts.filter((path) => path.endsWith('/bump'))).toHaveLength(1);
});
