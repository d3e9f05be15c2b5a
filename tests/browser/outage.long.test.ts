import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { apiClient } from '../support/api.ts';
import { DESKTOP, openVisitor, PHONE, sharedBrowser, trackLiveChannel } from '../support/browser.ts';
import { createPreparedLocation, startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Tests the pages while the server is stopped, and while the device is offline. They recover without a reload. */

let location: Awaited<ReturnType<typeof createPreparedLocation>>;
let product: TestProduct;
let port: number;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  location = await createPreparedLocation();
  product = await startTestProduct({}, location);
  port = Number(new URL(product.url).port);
  const api = apiClient(product.url);
  for (const title of ['A walk by the river', 'An evening of jazz'])
    await api.postAd((await api.signUp('provider')).token, { title, state: 'NV', city: 'Reno' });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
  await location?.remove();
});
afterEach(() => context.close());

async function openList(viewport = DESKTOP): Promise<Page> {
  context = await openVisitor(browser, product.url, { viewport });
  const page = await context.newPage();
  const untilLive = await trackLiveChannel(page);
  await page.goto('/city/nv/reno');
  await card(page, 'A walk by the river').waitFor();
  await untilLive();
  return page;
}
const main = (page: Page) => page.getByRole('main');
const heading = (page: Page, name: string) => main(page).getByRole('heading', { level: 1, name });
const card = (page: Page, title: string) => main(page).locator('article').filter({ hasText: title });
const openAd = (page: Page, title: string) => card(page, title).getByRole('link').first().click();

async function areApart(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()];
  return !a || !b || a.y + a.height <= b.y || b.y + b.height <= a.y || a.x + a.width <= b.x || b.x + b.width <= a.x;
}

test.each([
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
])('a stopped server is explained in plain words on %s, and the pages open when it runs again', async (_, viewport) => {
  const page = await openList(viewport);
  await product.stop();
  const notice = page.getByText('Live updates are paused. Reconnecting…');
  await notice.waitFor();
  await openAd(page, 'A walk by the river');
  await heading(page, 'Unexpected Application Error!').waitFor();
  await main(page).getByText('This page could not be loaded').waitFor();
  await main(page).getByText('We’ll try again automatically').waitFor();
  expect(await main(page).innerText()).not.toMatch(/chunk|undefined/iu);
  for (const part of [main(page).getByRole('alert'), main(page).getByRole('heading', { level: 1 })])
    expect(await areApart(part, notice)).toBe(true);
  // The server does not respond, so the button must not reload the page.
  await main(page).getByRole('button', { name: 'Retry' }).click();

  if (viewport === PHONE) await page.getByRole('banner').getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Community' }).click();
  await main(page).getByText('The server cannot be reached.').waitFor();
  expect(await main(page).innerText()).not.toContain('Everything else works');
  expect(await areApart(main(page).getByRole('alert'), notice)).toBe(true);

  product = await startTestProduct({ port }, location);
  await heading(page, 'Community').waitFor();
  await notice.waitFor({ state: 'detached' });
  await page.goBack();
  await heading(page, 'A walk by the river').waitFor();
});

test('an ad that is opened offline shows an error with a retry, and loads when the device is online', async () => {
  const page = await openList();
  await openAd(page, 'A walk by the river');
  await heading(page, 'A walk by the river').waitFor();
  await page.goBack();
  await context.setOffline(true);
  await page.getByText('You are offline.').waitFor();
  await openAd(page, 'An evening of jazz');
  await main(page).getByText('Network error - please check your connection').waitFor();
  await main(page).getByRole('button', { name: 'Retry' }).click();
  await main(page).getByText('Network error - please check your connection').waitFor();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Community' }).click();
  await main(page).getByText('You are offline. This page opens automatically').waitFor();
  expect(await main(page).innerText()).not.toContain('Everything else works');
  await page.goBack();
  await main(page).getByText('Network error - please check your connection').waitFor();
  await context.setOffline(false);
  await heading(page, 'An evening of jazz').waitFor();
});
