import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openVisitor, PHONE, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Typed prices are never lost, and the focus stays where it is when filters apply. */

let product: TestProduct;
let browser: Browser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url, { price: '180' });
  browser = await sharedBrowser();
});
afterAll(() => product?.stop());
afterEach(() => closeVisitors());

async function open(path: string, options: VisitorOptions = {}): Promise<Page> {
  const context = await openVisitor(browser, product.url, options);
  const page = await context.newPage();
  await page.goto(path);
  await headingOf(page).first().waitFor();
  return page;
}
const queryOf = (page: Page) => new URL(page.url()).search;
const from = (page: Page) => page.getByLabel('from', { exact: true });
const to = (page: Page) => page.getByLabel('to', { exact: true });
const isFocused = (element: Element) => element === document.activeElement;

async function openPrices(path = '/listings'): Promise<Page> {
  const page = await open(path);
  await showPrices(page);
  return page;
}

/** Opens the other filters. */
async function showPrices(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More filters', expanded: false }).click();
  await from(page).waitFor();
}

describe('a typed price', () => {
  test('survives a reload without a pause', async () => {
    const page = await openPrices();
    await from(page).pressSequentially('100');
    await page.reload();
    expect(queryOf(page)).toBe('?minPrice=100');
    await showPrices(page);
    await expect.poll(() => from(page).inputValue()).toBe('100');
  });

  test('survives Back and Forward without a pause', async () => {
    const page = await open('/');
    await page.locator('a[href="/listings"]').first().click();
    await showPrices(page);
    await from(page).pressSequentially('100');
    await page.goBack();
    await page.waitForURL((url) => url.pathname === '/');
    await page.goForward();
    await expect.poll(() => queryOf(page)).toBe('?minPrice=100');
  });

  test('stays when another filter changes at the same time', async () => {
    const page = await openPrices();
    await from(page).pressSequentially('100');
    // Both changes happen before the page is rendered again.
    await page.evaluate(() => {
      const category = document.querySelector<HTMLSelectElement>('select[aria-label="Category"]');
      const setValue = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')?.set;
      setValue?.call(category, 'massage');
      category?.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await expect.poll(() => queryOf(page)).toBe('?category=massage&minPrice=100');
    await expect.poll(() => from(page).inputValue()).toBe('100');
  });

  test('changes the list once, after a pause or with Enter, and does not change places while it is typed', async () => {
    const page = await openPrices('/listings?maxPrice=150');
    const requested: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/api/ads' && url.searchParams.has('minPrice')) requested.push(url.search);
    });
    await from(page).pressSequentially('200', { delay: 60 });
    expect([await from(page).inputValue(), await to(page).inputValue()]).toEqual(['200', '150']);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove filter: $150–200' }).waitFor();
    await expect.poll(async () => [await from(page).inputValue(), await to(page).inputValue()]).toEqual(['150', '200']);
    expect(await from(page).evaluate(isFocused), 'the focus').toBe(true);
    expect(new Set(requested)).toEqual(new Set(['?minPrice=150&maxPrice=200&details=false']));

    await page.getByRole('button', { name: 'Remove filter: $150–200' }).click();
    await expect.poll(() => from(page).inputValue()).toBe('');
    await from(page).pressSequentially('170', { delay: 60 });
    await page.getByRole('button', { name: 'Remove filter: from $170' }).waitFor();
    await page
      .getByRole('link', { name: new RegExp(world.ad.title, 'u') })
      .first()
      .waitFor();
  });

  test('is applied when the filter sheet of a phone closes', async () => {
    const page = await open('/listings', { viewport: PHONE });
    const sheet = page.getByRole('dialog');
    await expect
      .poll(async () => {
        if (!(await sheet.isVisible()))
          await page
            .getByRole('button', { name: 'Filters' })
            .click({ timeout: 2_000 })
            .catch(() => undefined);
        return sheet.isVisible();
      })
      .toBe(true);
    await sheet.getByLabel('from', { exact: true }).pressSequentially('100');
    await sheet.getByRole('button', { name: /^Show/u }).waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await expect.poll(() => queryOf(page)).toBe('?minPrice=100');
  });
});

describe('a filter of the admin panel', () => {
  test('keeps the focus when it is applied and removed, and follows the Back button', async () => {
    const page = await open('/admin/log', { token: world.people.admin.token });
    const type = page.getByRole('combobox', { name: 'Event type' });
    const apply = page.getByRole('button', { name: 'Filter', exact: true });
    const [, choice = ''] = await type
      .getByRole('option')
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    await type.selectOption(choice);
    await apply.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => queryOf(page)).toBe(`?type=${choice}`);
    await page.getByRole('button', { name: 'Show all' }).waitFor();
    expect(await apply.evaluate(isFocused), 'after the filter was applied').toBe(true);
    await page.getByRole('button', { name: 'Show all' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => queryOf(page)).toBe('');
    expect(await apply.evaluate(isFocused), 'after the filter was removed').toBe(true);
    expect(await type.inputValue()).toBe('');
    await page.goBack();
    await expect.poll(() => type.inputValue()).toBe(choice);
  });

  test('keeps the focus on the select and moves it to the search field from a button that disappears', async () => {
    const page = await open('/admin/ads', { token: world.people.admin.token });
    const hidden = page.getByRole('combobox', { name: 'Hidden' });
    await hidden.focus();
    await hidden.selectOption('true');
    await page.getByRole('button', { name: 'Show all' }).waitFor();
    expect(await hidden.evaluate(isFocused)).toBe(true);
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('link', { name: world.ad.title }).waitFor();
    expect(await page.getByRole('searchbox').first().evaluate(isFocused)).toBe(true);
  });
});
