import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { apiClient } from '../support/api.ts';
import { main, waitForRead } from '../support/browser-community.ts';
import { DESKTOP, openVisitor, PHONE, sharedBrowser } from '../support/browser.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Tests how visitors find ads: choice of a place, search results, empty searches, ads nearby and unknown paths. */

let product: TestProduct;
let browser: Browser;
let context: BrowserContext;
let adId = '';

beforeAll(async () => {
  product = await startTestProduct();
  const api = apiClient(product.url);
  const post = async (fields: Record<string, unknown>) =>
    (await api.postAd((await api.signUp('provider')).token, fields)).id;
  await post({
    name: 'Ada',
    title: 'Desert evenings',
    city: 'Henderson',
    description: 'We talk about chess.',
    price: '180',
  });
  await post({ name: 'Bea', title: 'Chess and coffee', city: 'Las Vegas', description: 'Calm.', price: 'on request' });
  adId = await post({ name: 'Cleo', title: 'Long walks', city: 'Las Vegas', description: 'Calm.', price: '200 / h' });
  await post({
    name: 'Dora',
    title: 'Lake days',
    city: 'Reno',
    description: 'Calm.',
    price: '€90',
    category: 'massage',
  });
  await waitForRead(api);
  browser = await sharedBrowser();
});
afterEach(async () => {
  await context?.close();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

async function open(path: string, viewport = DESKTOP): Promise<Page> {
  context = await openVisitor(browser, product.url, { viewport });
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

const place = (page: Page) => page.getByRole('combobox', { name: 'Place' });
const options = (page: Page) => page.getByRole('listbox', { name: 'Cities and states' }).getByRole('option');
/** The cards of the list, without the ads nearby. */
const cards = (page: Page) => page.getByRole('list', { name: /^(?:Browse ads|Ads in)/u }).getByRole('article');

describe('the choice of a place', () => {
  test('the search of the home page says that a place is unknown', async () => {
    const page = await open('/');
    await place(page).fill('zzzz');
    await page.getByRole('button', { name: 'Search ads' }).click();
    await page.waitForURL('**/city/zzzz');
    await page.getByText('We do not cover this place yet').waitFor();
    await page.goBack();
    // A place that is chosen afterwards counts.
    await place(page).fill('zzzz');
    await place(page).fill('Nevada');
    await page.getByRole('button', { name: 'Search ads' }).click();
    await page.waitForURL('**/listings?state=NV');
  });

  test.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])('works with the keyboard on a %s', async (_name, viewport) => {
    const page = await open('/', viewport);
    await place(page).focus();
    expect(await place(page).getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.type('las');
    await options(page).filter({ hasText: 'Las Vegas' }).first().waitFor();
    expect(await place(page).getAttribute('aria-expanded')).toBe('true');
    await expect
      .poll(() => options(page).allTextContents())
      .toEqual(['Las Vegas, Nevada2 2 ads', 'North Las Vegas, Nevada0 0 ads']);
    await page.getByText('2 suggestions').waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    const active = (await place(page).getAttribute('aria-activedescendant')) ?? '';
    expect(await page.locator(`[id="${active}"]`).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    expect(await place(page).inputValue()).toBe('Las Vegas, Nevada');
    expect(await options(page).count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/city/nv/las-vegas');
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
      .toBeLessThanOrEqual(0);
  });

  test('Escape restores the selected place and closes only the list', async () => {
    const page = await open('/listings?state=NV', PHONE);
    await page.getByRole('button', { name: /^Filters/u }).click();
    const sheet = page.getByRole('dialog');
    await place(page).fill('chicago');
    await options(page).filter({ hasText: 'Chicago' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await options(page).count()).toBe(0);
    expect(await place(page).inputValue()).toBe('Nevada');
    expect(await sheet.isVisible()).toBe(true);
    await place(page).fill('arizona');
    await options(page).filter({ hasText: 'All of Arizona' }).click();
    await sheet.getByRole('button', { name: /^Show/u }).click();
    await page.waitForURL('**/listings?state=AZ');
  });

  test('an unknown place and an emptied field', async () => {
    const page = await open('/listings?state=NV');
    await place(page).fill('Zermatt');
    await page.getByText('No city or state has this name.').waitFor();
    await page.keyboard.press('Tab');
    expect(await place(page).inputValue()).toBe('Nevada');
    await place(page).fill('');
    await page.keyboard.press('Tab');
    await page.waitForURL(/\/listings$/u);
    expect(await place(page).inputValue()).toBe('Anywhere');
  });

  test('a click shows all states and cities with their numbers of ads', async () => {
    const page = await open('/listings');
    await place(page).click();
    await options(page).filter({ hasText: 'All of Nevada' }).getByText('4 ads').waitFor({ state: 'attached' });
    expect(await options(page).count()).toBeGreaterThan(130);
    await options(page).filter({ hasText: 'Henderson' }).click();
    await page.waitForURL('**/listings?state=NV&city=Henderson');
    await cards(page).filter({ hasText: 'Desert evenings' }).waitFor();
  });
});

describe('a search', () => {
  test('lists title matches first, and marks the words in titles and descriptions', async () => {
    const page = await open('/listings?q=chess');
    await expect.poll(() => cards(page).count()).toBe(2);
    expect(await cards(page).first().getByRole('heading').textContent()).toBe('Chess and coffee');
    expect(await cards(page).first().locator('mark').allTextContents()).toEqual(['Chess']);
    expect(await cards(page).nth(1).textContent()).toContain('We talk about chess.');
    expect(await cards(page).nth(1).locator('mark').allTextContents()).toEqual(['chess']);
    expect(await page.getByRole('searchbox').getAttribute('placeholder')).toBe('Name, title, place or description');
  });

  test('that finds nothing offers to remove each filter', async () => {
    const page = await open('/listings?state=NV&category=massage&q=chess');
    await page.getByRole('heading', { name: 'No ads match your search' }).waitFor();
    expect(await page.getByText('No ads here yet').count()).toBe(0);
    const offers = main(page).getByRole('button', { name: /· \d+ ads?$/u });
    await expect.poll(() => offers.allTextContents()).toEqual(['Without “chess” · 1 ad', 'Any category · 2 ads']);
    await offers.nth(1).click();
    await page.waitForURL('**/listings?state=NV&q=chess');
    await expect.poll(() => cards(page).filter({ hasText: 'Chess and coffee' }).count()).toBe(1);
  });

  test('an empty city without other filters is not a search', async () => {
    const page = await open('/city/nv/elko');
    await page.getByRole('heading', { name: 'No ads here yet' }).waitFor();
    await page.goto('/city/nv/elko?q=chess');
    await page.getByRole('heading', { name: 'No ads match your search' }).waitFor();
  });

  test('of the community marks the words, too', async () => {
    const page = await open('/community?q=chess');
    const ads = page.getByRole('region', { name: 'Ads' });
    expect(await ads.locator('mark').first().textContent()).toBe('Chess');
    await ads.getByText('Escort · Henderson · $180').waitFor();
  });
});

describe('prices', () => {
  test('are shown as prices before the time, in lists and on the page of the ad', async () => {
    const page = await open('/listings');
    const card = (title: string) => cards(page).filter({ hasText: title });
    await expect.poll(() => card('Long walks').textContent()).toMatch(/\$200\/hOnline now/u);
    expect(await card('Desert evenings').textContent()).toMatch(/\$180Online now/u);
    expect(await card('Lake days').textContent()).toMatch(/€90Online now/u);
    expect(await card('Chess and coffee').textContent()).toMatch(/on requestOnline now/u);
    await page.goto(`/ad/${adId}`);
    await main(page).getByText('$200/h', { exact: true }).first().waitFor();
  });
});

describe('ads nearby', () => {
  test('are offered below an ad, the same city first and without the ad itself', async () => {
    const page = await open(`/ad/${adId}`);
    const ofCity = page.getByRole('region', { name: 'More ads in Las Vegas' });
    const more = page.getByRole('region', { name: 'More ads nearby' });
    await expect
      .poll(() => ofCity.getByRole('article').getByRole('heading').allTextContents())
      .toEqual(['Chess and coffee']);
    expect(await more.getByRole('article').getByRole('heading').allTextContents()).toEqual([
      'Desert evenings',
      'Lake days',
    ]);
    await more.getByRole('link', { name: /Desert evenings/u }).click();
    await page.getByRole('heading', { level: 1, name: 'Desert evenings' }).waitFor();
  });

  test('are offered below a short search without a place, near its first result', async () => {
    const page = await open('/listings?q=chess');
    const more = page.getByRole('region', { name: 'More ads nearby' });
    // The first result is in Las Vegas, and 'Long walks' as well.
    await expect.poll(() => more.getByRole('article').getByRole('heading').allTextContents()).toEqual(['Lake days']);
    const ofCity = page.getByRole('region', { name: 'More ads in Las Vegas' });
    expect(await ofCity.getByRole('article').getByRole('heading').allTextContents()).toEqual(['Long walks']);
  });

  test('are offered below a short list and below an empty one, without repeating the list', async () => {
    const page = await open('/city/nv/las-vegas');
    const more = page.getByRole('region', { name: 'More ads nearby' });
    const titles = () => more.getByRole('article').getByRole('heading').allTextContents();
    await expect.poll(titles).toEqual(['Desert evenings', 'Lake days']);
    await page.goto('/listings?state=NV&city=Reno&q=nothing');
    await expect.poll(titles).toEqual(['Long walks', 'Chess and coffee', 'Desert evenings']);
    const ofCity = page.getByRole('region', { name: 'More ads in Reno' });
    expect(await ofCity.getByRole('article').getByRole('heading').allTextContents()).toEqual(['Lake days']);
  });
});

test.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('an unknown address shows the home page and a note on a %s', async (_name, viewport) => {
  const page = await open('/no/such/page', viewport);
  await page.getByRole('alert').filter({ hasText: 'That page does not exist' }).waitFor();
  await page.getByRole('heading', { level: 1, name: 'Good company, found with care' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Good company, found with care' }).waitFor();
  expect(await page.getByText('That page does not exist').count()).toBe(0);
});
