import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { LOCALES } from '@alpenglow/ui/locales';
import { apiClient } from '../support/api.ts';
import { openVisitor, PHONE, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { pageWidths } from '../support/browser-community.ts';
import { slowEventTimes } from '../support/browser-failures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { sampleOf } from '../support/sample.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** The quick exit leaves the site from every page, and Back does not return. */
const NEUTRAL_SITE = 'https://duckduckgo.com/';

let product: TestProduct;
let browser: Browser;
let context: BrowserContext;
/** The number of times that the browser has opened the neutral site. */
let exits: number;

beforeAll(async () => {
  product = await startTestProduct();
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});
beforeEach(() => {
  exits = 0;
});
afterEach(() => context?.close());

async function open(path: string, options: VisitorOptions = {}): Promise<Page> {
  context = await openVisitor(browser, product.url, options);
  await context.route(`${NEUTRAL_SITE}**`, async (route) => {
    exits += 1;
    await route.fulfill({ contentType: 'text/html', body: '<h1>Neutral</h1>' });
  });
  const page = await context.newPage();
  await page.goto(path);
  await headingOf(page).first().waitFor();
  return page;
}

const exit = (page: Page) => page.getByRole('banner').getByRole('link', { name: 'Quick exit' });
async function expectLeft(page: Page): Promise<void> {
  await page.waitForURL(NEUTRAL_SITE);
  await page.getByRole('heading', { name: 'Neutral' }).waitFor();
}

it('replaces the page in the history, and Back does not return to an earlier page of the site', async () => {
  const page = await open('/about');
  await page.getByRole('contentinfo').getByRole('link', { name: 'Help' }).click();
  await headingOf(page).filter({ hasText: 'Help' }).waitFor();
  const entries = await page.evaluate(() => history.length);
  await exit(page).click();
  await expectLeft(page);
  expect(await page.evaluate(() => history.length), 'no entry was added').toBe(entries);

  await page.evaluate(() => history.back());
  await expect.poll(() => exits).toBe(2);
  await expectLeft(page);

  // Visitors can return on purpose.
  await page.goto('/about');
  await headingOf(page).filter({ hasText: 'About' }).waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem('left'))).toBeNull();
});

it('clears the storage of the tab and does not ask about unsaved changes', async () => {
  const page = await open('/about', { viewport: PHONE });
  await page.evaluate(() => {
    sessionStorage.setItem('alpenglow.scroll', 'secret');
    addEventListener('beforeunload', (event) => event.preventDefault());
  });
  await exit(page).click();
  await expectLeft(page);
  await page.goto('/terms');
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('secret');
});

it('leaves after three quick presses of Escape, also while they close a menu', async () => {
  const page = await open('/about', { viewport: PHONE });
  await page.getByRole('banner').getByRole('button', { name: 'Menu' }).click();
  await slowEventTimes(page);
  for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape');
  await expectLeft(page);
});

it('is available above the questions about age and guidelines', async () => {
  context = await openVisitor(browser, product.url, { hasPassedGates: false });
  await context.route(`${NEUTRAL_SITE}**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Neutral</h1>' }),
  );
  const page = await context.newPage();
  await page.goto('/listings');
  await page.getByRole('dialog', { name: 'For adults only' }).getByRole('link', { name: 'Quick exit' }).click();
  await expectLeft(page);
});

it.each(sampleOf([360, 1232, 1440], 1))(
  'fits into the navigation bar at %i px for each role in every language',
  async (width) => {
    const { token } = await apiClient(product.url).signUp('provider');
    for (const locale of LOCALES) {
      const page = await open('/about', { token, locale, viewport: { width, height: 800 } });
      const bar = page.getByRole('banner');
      const expectFit = async (role: string) => {
        // The bar has another width until its font has loaded.
        await page.evaluate(() => document.fonts.ready.then(() => undefined));
        const { content, window } = await pageWidths(page);
        expect([locale, role, (await bar.boundingBox())?.height, content]).toEqual([locale, role, 65, window]);
      };
      await bar.locator('a[href$="/provider-profile"]').waitFor({ state: 'attached' });
      await expectFit('provider');
      await page.evaluate(() => localStorage.removeItem('vpsAuthToken'));
      await page.reload();
      await bar.locator('a[href$="/login"]').waitFor({ state: 'attached' });
      await expectFit('guest');
      await context.close();
    }
  },
);
