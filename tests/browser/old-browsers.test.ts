import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { openVisitor, PHONE, sharedBrowser } from '../support/browser.ts';
import { main } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { waitForServerRendering } from '../support/server-rendering.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** The oldest supported browsers, and older ones (F-45). A script removes from Chromium what they lack. */
let product: TestProduct;
let browser: Browser;
let api: ApiClient;
let context: BrowserContext;

beforeAll(async () => {
  product = await startTestProduct({ isDemo: true });
  api = apiClient(product.url);
  await waitForServerRendering(product.url);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});
afterEach(() => context?.close());

/** Removes what Chrome 109, Firefox 115 or Safari 15.4 lack. Trusted Types stay, because the page requires them. */
function removeNewFeatures(): void {
  const remove = (object: object, ...names: readonly string[]) => {
    for (const name of names) Reflect.deleteProperty(object, name);
  };
  remove(Array.prototype, 'toSorted', 'toReversed', 'toSpliced', 'with');
  remove(Array, 'fromAsync');
  remove(String.prototype, 'isWellFormed', 'toWellFormed');
  remove(Object, 'groupBy');
  remove(Map, 'groupBy');
  remove(Promise, 'withResolvers', 'try');
  remove(AbortSignal, 'any', 'timeout');
  remove(URL, 'canParse', 'parse');
  remove(Set.prototype, 'union', 'difference', 'intersection', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom');
  remove(Document.prototype, 'startViewTransition');
  remove(Element.prototype, 'checkVisibility', 'ariaPressed');
  remove(globalThis, 'OffscreenCanvas', 'requestIdleCallback', 'CompressionStream', 'Iterator');
}

test('in the oldest supported browsers, a visitor searches ads, opens one, and a provider posts one', async () => {
  const { token } = await api.signUp('provider');
  context = await openVisitor(browser, product.url, { token, viewport: PHONE });
  await context.addInitScript(removeNewFeatures);
  const page = await context.newPage();
  const watch = new ConsoleWatch(page);
  await page.goto('/');
  await headingOf(page).waitFor();
  await page.goto('/listings');
  await page.getByRole('searchbox').fill('massage');
  await expect.poll(() => page.url()).toContain('q=massage');
  await main(page).locator('article h3').getByRole('link').first().click();
  await page.getByRole('button', { name: 'Show contact' }).first().waitFor();
  await page.goto('/post-ad');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Robin');
  await page.getByLabel('Title').fill('Reading by the lake');
  await page.getByLabel('Category').selectOption('companion');
  await page.getByLabel('State').selectOption('NV');
  await page.getByLabel('City').selectOption('Reno');
  await page.getByLabel('Description').fill('A quiet afternoon by the lake.');
  await page.getByRole('button', { name: 'Post Ad' }).click();
  await page.getByText('Ad posted successfully!').first().waitFor();
  watch.expectNoProblems();
});

test('an older browser shows a sentence and the page without scripts', async () => {
  context = await openVisitor(browser, product.url, { hasPassedGates: false, viewport: PHONE });
  await context.addInitScript(() => Reflect.deleteProperty(Array.prototype, 'findLast'));
  const page = await context.newPage();
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url());
  });
  const watch = new ConsoleWatch(page);
  await page.goto('/listings');
  await page.getByText('Your browser is too old for this site').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('combobox', { name: 'Category' }).selectOption('massage');
  await page.getByRole('button', { name: 'Search ads' }).click();
  await expect.poll(() => page.url()).toMatch(/\/listings\?category=massage$/u);
  await main(page).locator('article h3').getByRole('link').first().click();
  await expect.poll(() => page.url()).toContain('/escorts/');
  await page.getByText('Contact details are shown only in browsers that run JavaScript').waitFor();
  expect(scripts).toEqual([]);
  watch.expectNoProblems();
});

test('an older browser shows the sentence, and no text about loading, where only scripts render a page', async () => {
  context = await openVisitor(browser, product.url, { hasPassedGates: false, viewport: PHONE });
  await context.addInitScript(() => Reflect.deleteProperty(Array.prototype, 'findLast'));
  const page = await context.newPage();
  await page.goto('/login');
  await page.getByText('Your browser is too old for this site').waitFor();
  expect(await page.getByText('Loading').count()).toBe(0);
});

test('a supported browser shows neither the sentence nor the parts for browsers without scripts', async () => {
  context = await openVisitor(browser, product.url);
  const page = await context.newPage();
  await page.goto('/listings');
  await page.getByRole('combobox', { name: 'Place' }).waitFor();
  expect(await page.getByText('Your browser is too old').isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: 'Search ads' }).isVisible()).toBe(false);
});
