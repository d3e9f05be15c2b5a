import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD } from '../support/api-client.ts';
import { apiClient } from '../support/api.ts';
import { DESKTOP, openVisitor, PHONE, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { populate, type Visitor, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Tests the parts that every page has: the gates, the navigation bar, language, theme, session and connection. */

let product: TestProduct;
let browser: Browser;
let world: World;
let context: BrowserContext;

beforeAll(async () => {
  product = await startTestProduct();
  browser = await sharedBrowser();
  world = await populate(product.url);
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});
afterEach(() => context.close());

async function open(path: string, options: VisitorOptions = {}): Promise<Page> {
  context = await openVisitor(browser, product.url, options);
  const page = await context.newPage();
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

/** Opens a separate session. A test can end this session without affecting other tests. */
async function newSession(visitor: Exclude<Visitor, 'guest'>): Promise<string> {
  const { body } = await apiClient(product.url).call('POST', '/api/auth/login', {
    body: { email: world.people[visitor].email, password: PASSWORD },
  });
  return String(body['token']);
}

const bar = (page: Page) => page.getByRole('banner');
const toast = (page: Page, text: string) => page.getByRole('region', { name: 'Notifications' }).getByText(text);
const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');
const openPreferences = (page: Page) => bar(page).getByRole('button', { name: 'Language and appearance' }).click();

/** Checks that only the open question can be reached with the keyboard, and that it covers the page. */
async function expectPageIsInert(page: Page): Promise<void> {
  const frame = page.locator('[data-frame]');
  expect(await frame.getAttribute('inert')).toBe('');
  expect(await frame.locator('a').count(), 'the page is below the question').toBeGreaterThan(0);
  for (let step = 0; step < 10; step += 1) {
    await page.keyboard.press('Tab');
    expect(await frame.evaluate((below) => below.contains(document.activeElement))).toBe(false);
  }
  const atCenter = await page.evaluate(() =>
    document
      .elementFromPoint(innerWidth / 2, 80)
      ?.closest('[role="dialog"], [data-frame]')
      ?.getAttribute('role'),
  );
  expect(atCenter).toBe('dialog');
}

describe('the gates', () => {
  test('cover the page, are available in every language and lead to the place in the address', async () => {
    const page = await open('/about#help', { hasPassedGates: false, viewport: PHONE });
    await expect.poll(() => focused(page)).toBe('For adults only');
    await expectPageIsInert(page);
    const question = page.getByRole('dialog');
    await question.getByRole('link', { name: 'Français' }).click();
    await question.getByRole('button', { name: 'J’ai 18 ans ou plus — Entrer' }).click();
    await question.getByRole('link', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Community guidelines' }).waitFor();
    await expectPageIsInert(page);
    await page.getByRole('button', { name: 'Accept & Continue' }).click();
    await page.getByRole('heading', { level: 1, name: 'About' }).waitFor();
    await expect
      .poll(() => page.locator('#help').evaluate((help) => Math.round(help.getBoundingClientRect().top)))
      .toBeLessThan(200);

    await page.getByRole('button', { name: 'Essential only' }).click();
    await page.getByRole('button', { name: 'Accept all' }).waitFor({ state: 'detached' });
    expect([await stored(page, 'age_ok'), await stored(page, 'guidelines_accepted')]).toEqual(['true', 'true']);
    expect(JSON.parse((await stored(page, 'cookie_consent')) ?? '')).toMatchObject({
      essential: true,
      analytics: false,
    });
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'About' }).waitFor();
    expect(await page.getByRole('button', { name: 'Accept all' }).count()).toBe(0);
  });

  test.each([
    ['Exit', []],
    ['Decline', ['I am 18+ — Enter']],
  ])('%s leads to a search engine', async (leave, before) => {
    const page = await open('/', { hasPassedGates: false });
    await page.route('https://duckduckgo.com/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: 'A search engine' }),
    );
    for (const name of before) await page.getByRole('button', { name }).click();
    await page.getByRole('button', { name: leave }).click();
    await page.waitForURL('https://duckduckgo.com/');
  });
});

describe('the navigation bar', () => {
  const PLACES = ['Home', 'Browse', 'Blog', 'Community', 'Admin Panel'];
  const PLACES_OF_GUEST = ['Home', 'Browse', 'Blog', 'Community', 'Favorites', 'Admin Panel'];

  test.each([
    ['a guest', 'guest', PLACES_OF_GUEST, ['Login', 'Sign Up']],
    ['a client', 'client', ['Favorites', ...PLACES], ['Profile', 'Logout']],
    [
      'a provider',
      'provider',
      ['Post Ad', ...PLACES.slice(0, -1), 'Favorites', 'Admin Panel'],
      ['Provider Dashboard', 'Logout'],
    ],
    ['an admin', 'admin', ['Admin Panel', ...PLACES.slice(0, -1), 'Favorites'], ['Profile', 'Logout']],
  ] as const)('shows the links of %s, the most useful first', async (_, visitor, places, account) => {
    const page = await open('/about', { token: world.tokenOf(visitor) });
    await bar(page).getByText(account[1]).waitFor();
    expect(await bar(page).getByRole('listitem').allTextContents()).toEqual([...places, ...account]);
  });

  test.each(['de', 'fr', 'it', 'en'] as const)('of a client fits into one line from 1232 px on: %s', async (locale) => {
    const page = await open('/about', {
      token: world.tokenOf('client'),
      locale,
      viewport: { width: 1232, height: 800 },
    });
    await bar(page).getByRole('listitem').nth(7).waitFor();
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    expect((await bar(page).boundingBox())?.height).toBeLessThan(80);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1232);
  });

  test('a client who opens the admin area sees why access is denied', async () => {
    const page = await open('/about', { token: world.tokenOf('client') });
    await bar(page).getByRole('link', { name: 'Admin Panel' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await page.getByRole('alert').getByText('The Admin Panel is for staff only').waitFor();
    await bar(page).getByRole('link', { name: 'Browse' }).click();
    await page.getByRole('heading', { level: 1, name: 'Browse ads' }).waitFor();
    expect(await page.getByText('The Admin Panel is for staff only').count()).toBe(0);
  });

  test('the footer and the sign-up link the prices', async () => {
    const page = await open('/signup');
    await page.getByRole('contentinfo').getByRole('link', { name: 'Pricing' }).waitFor();
    await page.getByText('Accounts are free').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Pricing' }).click();
    await page.getByText('Account Required').waitFor();
  });

  test('shows no account until the server has confirmed the session', async () => {
    context = await openVisitor(browser, product.url, { token: world.tokenOf('client') });
    const page = await context.newPage();
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/auth/verify', async (route) => (await released, route.continue()));
    await page.goto('/profile');
    await page.getByRole('main').getByText('Loading Alpenglow…').waitFor();
    expect(await bar(page).getByRole('listitem').allTextContents()).toEqual(PLACES_OF_GUEST);
    release();
    await bar(page).getByText('Profile').waitFor();
  });

  test('is a menu on a phone, which Esc and navigation close', async () => {
    const page = await open('/about', { viewport: PHONE });
    const menu = () => bar(page).getByRole('button', { name: 'Menu' });
    await menu().click();
    await page.keyboard.press('Tab');
    await expect.poll(() => focused(page)).toBe('Home');
    await page.keyboard.press('Escape');
    await expect
      .poll(async () => [await focused(page), await menu().getAttribute('aria-expanded')])
      .toEqual(['Menu', 'false']);
    await menu().click();
    await bar(page).getByRole('link', { name: 'Community' }).click();
    await page.getByRole('heading', { level: 1, name: 'Community' }).waitFor();
    await expect.poll(() => menu().getAttribute('aria-expanded')).toBe('false');
    await expect.poll(() => focused(page)).toBe('Community');
    await menu().click();
    await expect
      .poll(() => bar(page).getByRole('link', { name: 'Community' }).getAttribute('aria-current'))
      .toBe('page');
  });

  test.each([
    ['de', 390],
    ['fr', 320],
  ] as const)('does not move the button of the menu when it opens (%s, %d px)', async (locale, width) => {
    const page = await open('/about', { viewport: { width, height: 844 }, locale });
    const button = bar(page).locator('button[aria-expanded][aria-controls]').first();
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    const closed = await button.boundingBox();
    await button.click();
    await expect.poll(() => button.getAttribute('aria-expanded')).toBe('true');
    expect(await button.boundingBox()).toEqual(closed);
  });

  test('can be skipped with the first Tab key', async () => {
    const page = await open('/about');
    await page.keyboard.press('Tab');
    await expect.poll(() => focused(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content');
    expect(new URL(page.url()).hash).toBe('');
  });
});

describe('language and colors', () => {
  test('a change of language keeps the page and applies to the next first HTML', async () => {
    const page = await open('/login');
    await page.getByRole('textbox', { name: 'E-mail' }).fill('anna@example.com');
    await openPreferences(page);
    await bar(page).getByRole('link', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { level: 1, name: 'Anmelden' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'E-Mail' }).inputValue()).toBe('anna@example.com');
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toContain('Sprache und Darstellung');
    expect(await (await page.request.get('/login')).text()).toContain('<html lang="de"');
  });

  test('colors follow the system until the visitor chooses, then apply in every tab from the first paint', async () => {
    const page = await open('/about', { theme: 'light' });
    const other = await context.newPage();
    await other.goto('/terms');
    const isDark = (of: Page) =>
      of.evaluate(() => getComputedStyle(document.documentElement).backgroundColor === 'rgb(20, 19, 28)');
    expect(await isDark(page)).toBe(false);
    await openPreferences(page);
    await bar(page).getByRole('button', { name: 'Dark' }).click();
    await expect.poll(() => isDark(page)).toBe(true);
    await expect.poll(() => isDark(other)).toBe(true);
    expect(await (await page.request.get('/')).text()).toContain('data-theme="dark"');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await openPreferences(page);
    await bar(page).getByRole('button', { name: 'Dark', pressed: true }).waitFor();
    expect(await isDark(page)).toBe(true);
    await bar(page).getByRole('button', { name: 'System' }).click();
    await expect.poll(() => isDark(other)).toBe(false);
    expect(await (await page.request.get('/')).text()).not.toContain('data-theme');
  });
});

describe('a session', () => {
  test('is cleared with one message if it is invalid at the start', async () => {
    context = await openVisitor(browser, product.url, { token: 'of-nobody' });
    const page = await context.newPage();
    // The toast may disappear before the page has loaded, so the test waits for the toast and the page at the same
    // time.
    await Promise.all([toast(page, 'Token verification failed').waitFor(), page.goto('/my-ads')]);
    await page.waitForURL('**/login');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect([new URL(page.url()).pathname, await stored(page, 'vpsAuthToken'), await stored(page, 'user')]).toEqual([
      '/login',
      null,
      null,
    ]);
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await toast(page, 'Token verification failed').count()).toBe(0);
  });

  test('that ends during use leads to the login and back', async () => {
    const token = await newSession('client');
    const page = await open('/pricing', { token });
    // The live channel would report the end of the session before the click, and the link would be another one.
    await page.routeWebSocket(/\/api\/live/u, () => undefined);
    // The page verifies the session once when it opens. The session must end after that.
    const verified = page.waitForResponse('**/api/auth/verify');
    await page.reload();
    await verified;
    await bar(page).getByRole('link', { name: 'Profile' }).waitFor();
    await apiClient(product.url).call('POST', '/api/auth/logout', { token });
    await bar(page).getByRole('link', { name: 'Profile' }).click();
    await toast(page, 'Authentication required').waitFor();
    await page.waitForURL('**/login');
    await page.getByRole('textbox', { name: 'E-mail' }).fill(world.people.client.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL('**/profile');
  });

  test('ends with a full load of the home page, also in other tabs', async () => {
    const page = await open('/pricing', { token: await newSession('client') });
    const other = await context.newPage();
    await other.goto('/profile');
    await bar(other).getByText('Logout').waitFor();
    const visited: string[] = [];
    page.on('framenavigated', (frame) => visited.push(new URL(frame.url()).pathname));
    await page.evaluate(() => Reflect.set(globalThis, 'isSamePage', true));
    await bar(page).getByRole('button', { name: 'Logout' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await bar(page).getByText('Login').waitFor();
    expect([...new Set(visited)]).toEqual(['/']);
    expect(
      await page.evaluate(() => Reflect.get(globalThis, 'isSamePage') as unknown),
      'a new document',
    ).toBeUndefined();
    expect([await stored(page, 'vpsAuthToken'), await stored(page, 'user')]).toEqual([null, null]);

    await other.waitForURL('**/login');
    await other.getByRole('textbox', { name: 'E-mail' }).fill(world.people.client.email);
    await other.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await other.getByRole('button', { name: 'Log in' }).click();
    await bar(page).getByText('Logout').waitFor();
  });

  test('can end without a logout while a form is open, and the input is preserved', async () => {
    const page = await open('/post-ad', { token: await newSession('newcomer') });
    await page.getByLabel('Title', { exact: true }).fill('Half written');
    const other = await context.newPage();
    await other.goto('/about');
    await other.evaluate(() => localStorage.removeItem('vpsAuthToken'));
    await page.getByRole('heading', { name: 'Account Required' }).waitFor();
    expect([new URL(page.url()).pathname, await page.getByLabel('Title', { exact: true }).inputValue()]).toEqual([
      '/post-ad',
      'Half written',
    ]);
  });

  test('is required before the form opens', async () => {
    const page = await open('/post-ad');
    await page.waitForURL('**/login');
    await page.getByText('Account Required').waitFor();
  });
});

test('shows a lost connection without moving the content', async () => {
  const page = await open('/about', { viewport: DESKTOP });
  const top = () => page.getByRole('heading', { level: 1 }).evaluate((heading) => heading.getBoundingClientRect().top);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  const before = await top();
  const notice = page.getByText('You are offline. The page may be out of date.');
  await context.setOffline(true);
  await notice.waitFor();
  expect(await top()).toBe(before);
  await context.setOffline(false);
  await notice.waitFor({ state: 'hidden' });
});

test('a failure of the shell shows a plain text and a button to continue', async () => {
  const page = await open('/about');
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'onLine', {
      get() {
        throw new Error('The network is unavailable');
      },
    });
    dispatchEvent(new Event('offline'));
  });
  await page.getByRole('heading', { level: 1, name: 'Unexpected Application Error!' }).waitFor();
  await page.getByText('Something went wrong while this page was being shown').waitFor();
  expect(await page.getByText('The network is unavailable').count(), 'the text of the error is not shown').toBe(0);
  await page.getByText(/Reference: [0-9a-f]{24}$/u).waitFor();
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('heading', { level: 1, name: 'About' }).waitFor();
});
