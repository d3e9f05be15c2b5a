import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { DESKTOP, openVisitor, PHONE, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { main, postOf, waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording, type Recording } from '../support/recording.ts';
import { headingOf } from '../support/screens.ts';
import { waitForServerRendering } from '../support/server-rendering.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { threadRecorder } from '../support/threads.ts';

/** Visitors whose browser runs no scripts can read the public pages. They use plain links and forms. */
const PHONE_NUMBER = '+17025550142';
const WEBSITE = 'https://anna.example.com';
/** More than one page of threads, and more than one page of replies. */
const THREADS = 30;
const REPLIES = 60;
const PLACE = { country: 'us', state: 'NV', city: 'Henderson' } as const;

let product: TestProduct;
let browser: Browser;
let api: ApiClient;
let recording: Recording;
let context: BrowserContext;
let adPath: string;

beforeAll(async () => {
  product = await startTestProduct({ isDemo: true });
  api = apiClient(product.url);
  const { token } = await api.signUp('provider');
  const { id } = await api.postAd(token, {
    title: 'Reading by the lake',
    phone: PHONE_NUMBER,
    socialMedia: { website: WEBSITE },
  });
  adPath = `/ad/${id}`;
  recording = await openRecording(product);
  const threads = threadRecorder(recording);
  for (let number = 1; number <= THREADS; number += 1)
    await threads.start({ place: PLACE, title: `Walk number ${number}`, at: `2026-01-01T10:${number + 10}:00.000Z` });
  const long = await threads.start({ place: PLACE, title: 'A long conversation', at: '2026-02-01T10:00:00.000Z' });
  await threads.reply(
    long.id,
    1,
    Array.from({ length: REPLIES }, (_, index) => ({ body: `Reply ${index + 1}.` })),
  );
  await waitForRead(api);
  await waitForServerRendering(product.url);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await recording?.close();
  await product?.stop();
});
afterEach(() => context?.close());

async function open(path: string, options: VisitorOptions = {}): Promise<Page> {
  context = await openVisitor(browser, product.url, { hasScripts: false, hasPassedGates: false, ...options });
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

const addressOf = (page: Page) => page.url().replace(product.url, '');
/** Returns the URLs of the listed ads or threads, because several demo ads have the same title. */
async function listed(page: Page): Promise<readonly (string | null)[]> {
  // A click waits only until the next page begins.
  await page.waitForLoadState('domcontentloaded');
  return main(page)
    .locator('article h3 a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
}
const robots = (page: Page) => page.locator('meta[name="robots"]').getAttribute('content');
const canonical = (page: Page) => page.locator('link[rel="canonical"]').getAttribute('href');

test('a visitor finds a place and a category, searches, turns the page, and opens an ad', async () => {
  const page = await open('/');
  await page.getByRole('combobox', { name: 'Place' }).fill('las vegas, nevada');
  await page.getByRole('combobox', { name: 'Category' }).selectOption('Massage');
  await page.getByRole('button', { name: 'Search ads' }).click();
  await expect.poll(() => addressOf(page)).toBe('/city/nv/las-vegas?category=massage');
  expect(await headingOf(page).textContent()).toContain('Las Vegas');

  await page.getByRole('banner').getByRole('link', { name: 'Browse' }).click();
  await expect.poll(() => addressOf(page)).toBe('/listings');
  await page.getByRole('combobox', { name: 'Category' }).selectOption('Escort');
  await page.getByRole('button', { name: 'Search ads' }).click();
  await expect.poll(() => addressOf(page)).toBe('/listings?category=escort');
  const first = await listed(page);
  expect(first.length).toBeGreaterThan(5);

  const name = (await main(page).locator('article p > span').first().textContent()) ?? '';
  await page.getByRole('searchbox').fill(name);
  await page.getByRole('button', { name: 'Search ads' }).click();
  await expect.poll(() => addressOf(page)).toBe(`/listings?${new URLSearchParams({ category: 'escort', q: name })}`);
  await main(page).locator('mark', { hasText: name }).first().waitFor();

  await page.goBack();
  await main(page).getByRole('link', { name: 'Show more' }).click();
  await expect.poll(() => addressOf(page)).toMatch(/^\/listings\?category=escort&cursor=/u);
  const second = await listed(page);
  expect(second.length).toBeGreaterThan(0);
  expect(second.filter((href) => first.includes(href))).toEqual([]);
  expect([await robots(page), await canonical(page)]).toEqual(['noindex', expect.stringMatching(/category=escort$/u)]);

  const address = addressOf(page);
  await main(page).locator('article h3').getByRole('link').first().click();
  await expect.poll(() => addressOf(page)).toBe(second[0]);
  expect(await headingOf(page).textContent()).not.toBe('');
  await page.goBack();
  await expect.poll(() => addressOf(page)).toBe(address);
  await main(page).getByRole('link', { name: 'Back to the first page' }).click();
  await expect.poll(() => addressOf(page)).toBe('/listings?category=escort');
  expect(await listed(page)).toEqual(first);
});

test('a visitor of the community turns the page, reads a thread and its next replies, and searches', async () => {
  const page = await open('/community/us/nv/henderson');
  const first = await listed(page);
  await main(page).getByRole('link', { name: 'Show more threads' }).click();
  await page.waitForURL((url) => url.searchParams.has('cursor'));
  const second = await listed(page);
  expect(first.length + second.length).toBeGreaterThan(THREADS);
  expect(second.filter((href) => first.includes(href))).toEqual([]);
  expect([await robots(page), await canonical(page)]).toEqual([
    'noindex',
    expect.stringMatching(/\/community\/us\/nv\/henderson$/u),
  ]);
  await main(page).getByRole('link', { name: 'Back to the first page' }).click();

  await main(page).getByRole('link', { name: 'A long conversation' }).click();
  await postOf(page, 1).getByText('Reply 1.', { exact: true }).waitFor();
  expect(await postOf(page, REPLIES).count()).toBe(0);
  await main(page).getByRole('link', { name: 'Show more replies' }).click();
  await postOf(page, REPLIES).getByText(`Reply ${REPLIES}.`).waitFor();
  expect(await robots(page)).toBe('noindex');
  await main(page).getByRole('link', { name: 'Go to first' }).click();
  await postOf(page, 1).waitFor();

  await page.goto('/community');
  await page.getByRole('searchbox').fill(' long conversation ');
  await main(page).getByRole('button', { name: 'Search' }).click();
  await main(page).getByRole('link', { name: 'A long conversation' }).waitFor();
});

test('a visitor of the blog opens an article', async () => {
  const page = await open('/blog');
  const link = main(page).locator('article').getByRole('link').first();
  const title = (await main(page).locator('article h2').first().textContent()) ?? '';
  await link.click();
  expect(await headingOf(page).textContent()).toBe(title);
  expect((await main(page).locator('article').first().textContent())?.length).toBeGreaterThan(500);
});

test('the languages are links, and a visitor with a German browser can choose English', async () => {
  const page = await open('/about', { locale: 'de' });
  await expect.poll(() => addressOf(page)).toBe('/de/about');
  const footer = page.getByRole('contentinfo');
  await footer.getByRole('link', { name: 'Français' }).click();
  await expect.poll(() => addressOf(page)).toBe('/fr/about');
  expect(await page.locator('html').getAttribute('lang')).toBe('fr');
  await footer.getByRole('link', { name: 'English' }).click();
  await expect.poll(() => addressOf(page)).toBe('/about');
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  await page.getByRole('banner').getByRole('link', { name: 'Community' }).click();
  await expect.poll(() => addressOf(page)).toBe('/community');
});

test.each([
  ['a phone', PHONE],
  ['a desktop', DESKTOP],
])('on %s, the menu is open, and controls that need scripts are hidden', async (_, viewport) => {
  const page = await open(adPath, { viewport });
  await page.getByRole('banner').getByRole('link', { name: 'Blog' }).waitFor();
  await page.getByText('Contact details are shown only in browsers that run JavaScript').waitFor();
  const buttons = page.getByRole('button');
  expect(await buttons.evaluateAll((all) => all.map((one) => one.getAttribute('popovertarget')))).not.toContain(null);
  await page.goto('/listings');
  await page.getByRole('combobox', { name: 'Place' }).waitFor();
  await page.getByRole('button', { name: 'Search ads' }).waitFor();
  await page.goto('/login');
  expect(await page.getByRole('textbox').count(), 'no form that cannot be sent').toBe(0);
  const exit = page.getByRole('banner').getByRole('link', { name: 'Quick exit' });
  expect(await exit.getAttribute('href')).toBe('https://duckduckgo.com/');
});

test('with scripts, the URL of a later page shows this page, and a link leads to the first one', async () => {
  const reader = await open('/listings');
  const first = await listed(reader);
  const next = await main(reader).getByRole('link', { name: 'Show more' }).getAttribute('href');
  await context.close();
  const page = await open('/about', { hasScripts: true, hasPassedGates: true });
  const watch = new ConsoleWatch(page);
  await page.goto(next ?? '');
  await main(page).getByRole('link', { name: 'Back to the first page' }).waitFor();
  const second = await listed(page);
  expect(second.filter((href) => first.includes(href))).toEqual([]);
  await main(page).getByRole('link', { name: 'Show more' }).click();
  await expect.poll(async () => (await listed(page)).length).toBeGreaterThan(second.length);
  await expect.poll(() => addressOf(page)).toBe(next);
  watch.expectNoProblems();
  await main(page).getByRole('link', { name: 'Back to the first page' }).click();
  await expect.poll(() => listed(page)).toEqual(first);
});

test.each([
  ['/', ['Just in', 'Las Vegas']],
  ['/listings', ['Reading by the lake', 'Show more']],
  ['/listings?q=reading+lake', ['Reading by the lake']],
  ['ad', ['Reading by the lake', 'Reviews']],
  ['/community', ['A long conversation']],
  ['/community?q=conversation', ['A long conversation']],
  ['/blog', ['href="/blog/']],
  ['/about', ['About']],
  ['/help', ['Quick exit']],
])('the HTML of %s has its content and no contact data', async (path, contents) => {
  const address = new URL(path === 'ad' ? adPath : path, product.url);
  // On a busy machine, the server may send a page whose content it could not read or render in time.
  const html = await eventually(async () => {
    const sent = await (await fetch(address, { headers: { accept: 'text/html' } })).text();
    // The text that visitors read, without the data for scripts.
    const text = sent.replaceAll(/<script.*?<\/script>/gsu, '').replaceAll(/<(?!a )[^>]*>/gu, '');
    for (const content of [...contents, 'You can read everything here without JavaScript'])
      expect(text.includes(content), content).toBe(true);
    return sent;
  });
  expect(html.replaceAll(/[^0-9]/gu, '').includes('7025550142'), 'a phone number').toBe(false);
  expect(html.includes('anna.example.com'), 'a website').toBe(false);
});
