import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { apiClient, PASSWORD, type ApiClient, type Person } from '../support/api.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { createTestPool } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Tests what a user leaves in a browser that other people use too. */

let product: TestProduct;
let browser: Browser;
let api: ApiClient;
let pool: Pool;
let adId: string;

beforeAll(async () => {
  product = await startTestProduct();
  browser = await sharedBrowser();
  api = apiClient(product.url);
  pool = createTestPool(product.databaseUrl, 1);
  ({ id: adId } = await api.postAd((await api.signUp('provider')).token, { title: 'A saved ad' }));
  await waitForRead(api);
});
afterAll(async () => {
  await pool?.end();
  await product?.stop();
});
afterEach(() => closeVisitors());

const favoriteButton = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('article')
    .first()
    .getByRole('button', { name: /^Saved?$/u });

async function logIn(page: Page, { email }: Person): Promise<void> {
  await page.goto('/login');
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('banner').getByRole('button', { name: 'Logout' }).waitFor();
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Logout' }).click();
  await page.waitForURL(`${product.url}/`);
  await page.getByRole('banner').getByRole('link', { name: 'Login' }).waitFor();
}

/** Opens the page of the ad, and waits until it has merged the favorites, so that its favorite button works. */
async function openAd(page: Page): Promise<void> {
  const merged = page.waitForResponse('**/api/favorites/*');
  await page.goto(`/ad/${adId}`);
  await merged;
  await favoriteButton(page).waitFor();
}

/** Returns everything that scripts and requests of a browser can read, as text. */
async function readStored(context: BrowserContext, page: Page): Promise<string> {
  const stored = await page.evaluate(async () => ({
    local: { ...localStorage },
    session: { ...sessionStorage },
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
    history: history.state as unknown,
  }));
  return JSON.stringify([stored, await context.cookies()]).toLowerCase();
}

async function expectNothingOf({ email, user, token }: Person, context: BrowserContext, page: Page): Promise<void> {
  const stored = await readStored(context, page);
  for (const secret of [email, user.id, token]) expect(stored).not.toContain(secret.toLowerCase());
  expect(stored).not.toContain('@');
}

const favoritesOf = async ({ user, token }: Person) =>
  (await api.call('GET', `/api/favorites/${user.id}`, { token })).body['adIds'];

/** Opens the favorites, and waits for the saved ad. */
async function showSavedAd(page: Page): Promise<void> {
  await page.goto('/favorites');
  await page
    .getByRole('main')
    .getByRole('link', { name: /A saved ad/u })
    .waitFor();
}

test('after a logout, the browser contains nothing of the user, and favorites return with the next login', async () => {
  const client = await api.signUp('client');
  const context = await openVisitor(browser, product.url);
  const page = await context.newPage();
  await logIn(page, client);
  const token = await page.evaluate(() => localStorage.getItem('vpsAuthToken') ?? '');
  await openAd(page);
  const added = page.waitForResponse('**/api/favorites');
  await favoriteButton(page).click();
  expect((await added).status()).toBe(201);
  const stored = await readStored(context, page);
  expect(stored, 'the check finds the address while the user is logged in').toContain(client.email);

  const other = await context.newPage();
  await other.goto('/listings');
  await other.getByRole('banner').getByRole('button', { name: 'Logout' }).waitFor();
  await other.evaluate(() => sessionStorage.setItem('alpenglow.statement.1', 'secret'));
  await logOut(page);
  await expectNothingOf({ ...client, token }, context, page);
  await other.getByRole('banner').getByRole('link', { name: 'Login' }).waitFor();
  await expectNothingOf({ ...client, token }, context, other);
  expect(await readStored(context, other)).not.toContain('alpenglow.statement');
  expect(await page.evaluate(() => localStorage.getItem('age_ok'))).toBe('true');

  await logIn(page, client);
  await showSavedAd(page);
});

test('a logout closes the form of an ad in another tab, without a question', async () => {
  const provider = await api.signUp('provider');
  const context = await openVisitor(browser, product.url);
  const page = await context.newPage();
  await logIn(page, provider);
  const other = await context.newPage();
  await other.goto('/post-ad');
  await other.getByRole('textbox', { name: 'Title' }).fill('A private evening');
  await logOut(page);
  await other.waitForURL('**/login');
  await other.getByRole('textbox', { name: 'E-mail' }).waitFor();
  expect(await other.content()).not.toContain('A private evening');
  await expectNothingOf(provider, context, other);
});

test('Back after a logout does not show the form of an ad', async () => {
  const provider = await api.signUp('provider');
  const context = await openVisitor(browser, product.url);
  const page = await context.newPage();
  await logIn(page, provider);
  await page.goto('/post-ad');
  await page.getByRole('textbox', { name: 'Title' }).fill('A private evening');
  // Chromium without a window restores no pages. This is what the browser does with a restored page: another tab has
  // removed the session, and the page has received no event.
  await page.evaluate(() => {
    localStorage.removeItem('vpsAuthToken');
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  });
  await page.waitForURL('**/login');
  await page.getByRole('textbox', { name: 'E-mail' }).waitFor();
  expect(await page.content()).not.toContain('A private evening');
});

test('a favorite that the server has not confirmed stays without the name of the user, and is sent later', async () => {
  const client = await api.signUp('client');
  const context = await openVisitor(browser, product.url);
  const page = await context.newPage();
  await logIn(page, client);
  await openAd(page);
  // The requests never get a response.
  await page.route('**/api/favorites', () => undefined);
  await favoriteButton(page).click();
  await page.getByRole('main').getByRole('button', { name: 'Saved' }).waitFor();
  await logOut(page);
  await expectNothingOf(client, context, page);
  const left = await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('favorites')));
  expect(left).toEqual([expect.stringMatching(/^favorites-unsent:[0-9a-f]{64}$/u)]);
  expect(await favoritesOf(client)).toEqual([]);
  await page.unroute('**/api/favorites');

  // Another client at the same computer does not get this favorite.
  const other = await api.signUp('client');
  await logIn(page, other);
  await page.goto('/favorites');
  await page.getByText('Nothing saved yet').waitFor();
  await logOut(page);

  await logIn(page, client);
  await showSavedAd(page);
  await expect.poll(() => favoritesOf(client), { timeout: MAX_WAIT_ms }).toEqual([adId]);
  // The browser learns a moment later than the server that the favorite was sent.
  await expect
    .poll(() => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('unsent'))))
    .toEqual([]);
  expect(await favoritesOf(other)).toEqual([]);
});

test('a session that ends elsewhere leaves no data of the user', async () => {
  const client = await api.signUp('client');
  const context = await openVisitor(browser, product.url);
  const page = await context.newPage();
  await logIn(page, client);
  await openAd(page);
  const added = page.waitForResponse('**/api/favorites');
  await favoriteButton(page).click();
  await added;
  await pool.query('delete from auth.sessions where account_id = $1', [client.user.id]);
  await page.getByRole('banner').getByRole('link', { name: 'Login' }).waitFor();
  await expect
    .poll(() => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('@'))))
    .toEqual([]);
  await eventually(() => expectNothingOf(client, context, page));
});
