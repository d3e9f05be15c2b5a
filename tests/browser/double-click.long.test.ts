import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { openVisitor, PHONE, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { chooseModeratorAction, waitForRead } from '../support/browser-community.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording } from '../support/recording.ts';
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

/**
 * Presses the middle of a button twice, with a pause in between. The second press hits what is there then. The clock of
 * the page is paused except for the pause between the presses, so a slow computer does not make it longer.
 */
async function doubleTap(page: Page, name: string, pause_ms: number): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const box = await page.getByRole('button', { name }).boundingBox();
  if (!box) throw new Error(`The button ${name} is not visible`);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.click(x, y);
  await page.clock.runFor(pause_ms);
  await page.mouse.click(x, y);
  await page.clock.resume();
}

test.each([0, 150, 400])('a double tap after %d ms gives only the consent of the first question', async (pause_ms) => {
  const { page, posts } = await open('/', { hasPassedGates: false, viewport: PHONE });
  await page.getByRole('button', { name: 'I am 18+ — Enter' }).waitFor();
  await doubleTap(page, 'I am 18+ — Enter', pause_ms);
  await page.getByRole('heading', { name: 'Community guidelines' }).waitFor();
  const stored = (key: string) => page.evaluate((name) => localStorage.getItem(name), key);
  expect([await stored('age_ok'), await stored('guidelines_accepted')]).toEqual(['true', null]);
  await page.getByRole('button', { name: 'Accept & Continue' }).click();
  await expect.poll(() => stored('guidelines_accepted')).toBe('true');
  await expect.poll(() => posts.filter((path) => path.endsWith('/consents'))).toHaveLength(2);
});

test('a second press of the keyboard gives no consent to the guidelines', async () => {
  const { page } = await open('/', { hasPassedGates: false });
  await page.getByRole('button', { name: 'I am 18+ — Enter' }).click();
  // The program focuses the button earlier than a person can reach it.
  await page.getByRole('button', { name: 'Accept & Continue' }).evaluate((button: HTMLButtonElement) => button.click());
  expect(await page.evaluate(() => localStorage.getItem('guidelines_accepted'))).toBeNull();
});

/** Clicks a button twice before the page can change. */
const clickTwice = (button: Locator) =>
  button.evaluate((element: HTMLButtonElement) => {
    element.click();
    element.click();
  });

test('"Post Ad" and "Update Ad" send one request', async () => {
  const { token } = await api.signUp('provider');
  const { page } = await open('/post-ad', { token });
  const writes: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^(?:POST|PUT) \/api\/ads(?:\/(?!preview)[\w-]+)?$/u.test(`${request.method()} ${pathname}`))
      writes.push(request.method());
  });
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Anna');
  await page.getByLabel('Title').fill('An evening by the lake');
  await page.getByLabel('Category').selectOption('Companion');
  await page.getByLabel('State').selectOption('Nevada');
  await page.getByLabel('City').selectOption('Reno');
  await page.getByLabel('Description').fill('Calm and kind company.');
  await clickTwice(page.getByRole('button', { name: 'Post Ad' }));
  await page.getByRole('dialog', { name: 'Ad posted successfully!' }).getByRole('button', { name: 'OK' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Title').fill('A morning by the lake');
  await clickTwice(page.getByRole('button', { name: 'Update Ad' }));
  await page.getByRole('dialog').getByRole('button', { name: 'OK' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(writes).toEqual(['POST', 'PUT']);
});

test('"Hide" of a thread sends one request', async () => {
  const recording = await openRecording(product);
  const author = await recording.member();
  const admin = await api.signUp('client', { email: 'admin@example.com' });
  const { status, body } = await api.call('POST', '/api/community/threads', {
    token: author.token,
    body: {
      country: 'us',
      state: 'NV',
      city: 'Reno',
      title: 'A calm place',
      body: 'Who knows a calm place for a coffee?',
    },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  await waitForRead(api);
  const { id } = body['data'] as { id: string };
  const { page } = await open(`/community/${id}`, { token: admin.token });
  const hides: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') hides.push(request.url());
  });
  await chooseModeratorAction(page, 'Hide the thread');
  await clickTwice(page.getByRole('dialog').getByRole('button', { name: 'Hide', exact: true }));
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(hides).toHaveLength(1);
});

test('the second press on a button that opens a dialog does not close the dialog', async () => {
  const provider = await api.signUp('provider');
  const { id } = await api.postAd(provider.token);
  await waitForRead(api);
  const { token } = await api.signUp('client');
  const { page } = await open(`/ad/${id}`, { token });
  // The program presses the backdrop at once. A real second press could be late on a slow computer.
  await page.getByRole('button', { name: 'Report this ad' }).evaluate(async (button: HTMLButtonElement) => {
    button.click();
    while (!document.querySelector('dialog[open]')) await new Promise(requestAnimationFrame);
    for (const type of ['pointerdown', 'pointerup', 'click'])
      document.querySelector('dialog[open]')?.dispatchEvent(new PointerEvent(type, { bubbles: true }));
  });
  await page.getByRole('dialog', { name: 'Report this ad' }).getByLabel('Details').fill('She is my sister.');
  await page.waitForTimeout(600);
  await page.mouse.click(5, 5);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('"Show contact" requests the contact details once', async () => {
  const { token } = await api.signUp('provider');
  const { id } = await api.postAd(token, { phone: '+1 702 555 0142' });
  await waitForRead(api);
  const { page, posts } = await open(`/ad/${id}`);
  await page.getByRole('button', { name: 'Show contact' }).first().dblclick();
  await page.getByRole('link', { name: '(702) 555-0142' }).first().waitFor();
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
