import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { after, apiClient } from '../support/api.ts';
import { openVisitor, PHONE, sharedBrowser, waitForTakeover, type VisitorOptions } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { extendTimers, slowEventTimes } from '../support/browser-failures.ts';
import { eventually } from '../support/eventually.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { sampleOf } from '../support/sample.ts';
import { headingOf } from '../support/screens.ts';
import { waitForServerRendering } from '../support/server-rendering.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * The scripts of a page take over the server-rendered HTML (F-44, decision 0087). The HTML never disappears meanwhile,
 * and nothing is lost that the visitor does before the scripts have loaded.
 */
let product: TestProduct;
let browser: Browser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct({ isDemo: true });
  world = await populate(product.url);
  await waitForServerRendering(product.url);
  browser = await sharedBrowser();
});
afterEach(closeVisitors);
afterAll(() => product?.stop());

/** The scripts of the shell's pages and of the remotes. Their requests wait until `release` is called. */
const LATE_SCRIPTS = /\/(?:assets|mf)\/.*\.js$/u;

interface SlowPage {
  readonly page: Page;
  readonly console: ConsoleWatch;
  /**
   * Lets the browser receive the scripts. Resolves when they have taken over the page, or after one second if they must
   * not do this.
   */
  readonly release: (isTakenOver?: boolean) => Promise<void>;
}

/**
 * Opens a page whose scripts are late. Records each heading and each card that is removed from the document.
 * @param runs the scripts that run before: those that the HTML itself starts, or only the inline scripts
 */
async function openSlowly(
  path: string,
  options: VisitorOptions = {},
  runs: 'first scripts' | 'inline scripts' = 'first scripts',
): Promise<SlowPage> {
  const context = await openVisitor(browser, product.url, options);
  const console = new ConsoleWatch(context);
  const page = await context.newPage();
  const html = await (await fetch(new URL(path, product.url))).text();
  const first = [...html.matchAll(/<script defer src="([^"]+)"/gu)].map(([, src]) => src);
  expect(first.length).toBeGreaterThan(0);
  const runsEarly = (url: string) => runs === 'first scripts' && first.includes(new URL(url).pathname);
  const held: Route[] = [];
  let isReleased = false;
  await page.route(LATE_SCRIPTS, async (route) => {
    if (isReleased || runsEarly(route.request().url())) await route.continue();
    else held.push(route);
  });
  await page.addInitScript(() => {
    const removed: string[] = [];
    Object.assign(globalThis, { removedParts: removed });
    new MutationObserver((changes) => {
      for (const node of changes.flatMap(({ removedNodes }) => [...removedNodes])) {
        if (!(node instanceof Element)) continue;
        const parts = [node, ...node.querySelectorAll('*')].filter((element) => element.matches('h1, article'));
        removed.push(...parts.map(({ textContent }) => textContent ?? ''));
      }
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(path, { waitUntil: 'commit' });
  await headingOf(page).first().waitFor();
  // The scripts that the HTML itself starts have run then. They remove the list of the inline scripts.
  if (runs === 'first scripts') await page.waitForFunction(() => globalThis.alpenglowHydration !== undefined);
  const release = async (isTakenOver = true) => {
    isReleased = true;
    await Promise.all(held.splice(0).map((route) => route.continue()));
    if (isTakenOver) await waitForTakeover(page);
    else await page.waitForTimeout(1_000);
  };
  return { page, console, release };
}

const removedParts = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { removedParts: readonly string[] }).removedParts);

const PAGES: readonly (readonly [name: string, path: (world: World) => string])[] = [
  ['the home page', () => '/'],
  ['the list of ads', () => '/listings?state=NV'],
  ['the list of ads in German', () => '/de/listings'],
  ['a city', () => '/city/NV/Reno'],
  ['an ad', ({ ad }) => `/ad/${ad.id}`],
  ['the community', () => '/community'],
  ['a thread in French', ({ thread }) => `/fr${thread.path}`],
  ['the blog', () => '/blog'],
  ['the login', () => '/login'],
  ['a text page', () => '/about'],
];

test('a page that only the browser renders records no early presses', async () => {
  const context = await openVisitor(browser, product.url, { token: world.people.client.token });
  const page = await context.newPage();
  await page.goto('/favorites', { waitUntil: 'load' });
  await headingOf(page).filter({ hasText: 'Favorites' }).waitFor();
  expect(await page.evaluate(() => globalThis.alpenglowPresses)).toBeUndefined();
});

describe('the server-rendered HTML', () => {
  test.each(sampleOf(PAGES, 4))('of %s stays while the scripts load', async (_name, pathOf) => {
    const { page, console, release } = await openSlowly(pathOf(world));
    const shown = await page.locator('main h1, main article').count();
    expect(shown).toBeGreaterThan(0);
    await release();
    await page.waitForLoadState('networkidle');
    expect(await removedParts(page)).toEqual([]);
    expect(await page.locator('main h1, main article').count()).toBeGreaterThanOrEqual(shown);
    console.expectNoProblems();
  });
});

test('a phone number in a title stays hidden in lists, and appears after Show contact', async () => {
  const api = apiClient(product.url);
  const { token } = await api.signUp('provider');
  const { id, position } = await api.postAd(token, { title: 'Call 702-555-0188 today', state: 'NV', city: 'Elko' });
  await api.call('GET', '/api/ads', { headers: after(position) });
  const { page, console, release } = await openSlowly('/city/NV/Elko');
  const hidden = page.getByRole('article').getByRole('heading', { name: /Call [^0-9]+ today$/u });
  await hidden.waitFor();
  await release();
  await hidden.getByTitle(/Show contact/u).waitFor();
  console.expectNoProblems();
  // A later page contains the ad after the newest one.
  await api.postAd((await api.signUp('provider')).token, { title: 'A newer ad', state: 'NV', city: 'Elko' });
  await waitForRead(api);
  const { body } = await api.call('GET', '/api/ads?city=Elko&state=NV&limit=1');
  await page.goto(`/listings?state=NV&city=Elko&cursor=${String(body['nextCursor'])}`);
  await hidden.waitFor();

  await page.goto(`/ad/${id}`);
  await page.getByRole('heading', { level: 1, name: /^Call [^0-9]+ today$/u }).waitFor();
  await page.getByRole('button', { name: 'Show contact' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Call 702-555-0188 today' }).waitFor();
  expect(await page.getByText('Updated while you were reading').count(), 'the ad itself has not changed').toBe(0);
});

/** The longest time for which a page waits for its paint (`shell/server/inline/inline-scripts.ts`). */
const MAX_WAIT_FOR_PAINT_ms = 3_000;

test('scripts are requested after the first paint', async () => {
  const page = await (await openVisitor(browser, product.url)).newPage();
  // A page that is painted late does not wait for its paint.
  await extendTimers(page, MAX_WAIT_FOR_PAINT_ms);
  await page.goto('/listings');
  await waitForTakeover(page);
  const [paint_ms, first_ms] = await page.evaluate(() => [
    performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    Math.min(
      ...performance
        .getEntriesByType('resource')
        .filter(({ name }) => /\/(?:assets|mf)\/.*\.js$/u.test(name))
        .map(({ startTime }) => startTime),
    ),
  ]);
  expect(first_ms).toBeGreaterThanOrEqual(paint_ms ?? Infinity);
});

describe('before any script has loaded', () => {
  test('a pressed button acts later', async () => {
    const { page, release } = await openSlowly(
      `/ad/${world.ad.id}`,
      { token: world.tokenOf('client') },
      'inline scripts',
    );
    await page.getByRole('main').getByRole('button', { name: /^Save/u }).first().click();
    await release();
    await page.getByRole('main').getByRole('button', { name: 'Saved' }).first().waitFor();
    // The other tests begin without a favorite.
    const removed = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.getByRole('main').getByRole('button', { name: 'Saved' }).first().click();
    await page.getByRole('main').getByRole('button', { name: 'Save', exact: true }).first().waitFor();
    expect((await removed).status()).toBe(200);
    await waitForRead(apiClient(product.url));
  });

  test('a form is sent later', async () => {
    const { page, release } = await openSlowly('/login', {}, 'inline scripts');
    await page.getByRole('textbox', { name: 'E-mail' }).fill('nobody@example.com');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByLabel('Password', { exact: true }).press('Enter');
    await release();
    await page.getByRole('main').getByRole('alert').waitFor();
    expect(page.url()).not.toContain('password=');
  });

  test('three presses of Escape leave the site', async () => {
    const { page } = await openSlowly('/listings', {}, 'inline scripts');
    await page.route('https://duckduckgo.com/**', (route) => route.fulfill({ body: 'Another site' }));
    await slowEventTimes(page);
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape');
    await page.getByText('Another site').waitFor();
  });

  test('after a quick exit, the page stays blank while the other site loads', async () => {
    const { page, release } = await openSlowly('/listings', {}, 'inline scripts');
    // With this status, the browser stays on the page, as it does while the other site loads.
    await page.route('https://duckduckgo.com/**', (route) => route.fulfill({ status: 204 }));
    // The navigation never ends, so the click must not wait for it.
    await page.getByRole('banner').getByRole('link', { name: 'Quick exit' }).click({ noWaitAfter: true });
    await release(false);
    expect(await page.evaluate(() => document.title)).toBe('\u200b');
    expect(await page.locator('h1').isVisible()).toBe(false);
  });

  test('the cookie banner is visible for a visitor who has not chosen', async () => {
    const { page, release } = await openSlowly('/listings', { hasChosenCookies: false }, 'inline scripts');
    const banner = page.getByRole('region', { name: 'Cookies' });
    await banner.waitFor();
    await banner.getByRole('button', { name: 'Essential only' }).click();
    await release();
    await banner.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => localStorage.getItem('cookie_consent'))).toContain('"analytics":false');
  });

  test('the cookie banner is hidden for a visitor who has chosen', async () => {
    const { page } = await openSlowly('/listings', {}, 'inline scripts');
    const banner = page.locator('[aria-label="Cookies"]');
    await banner.waitFor({ state: 'attached' });
    expect(await banner.isVisible()).toBe(false);
  });
});

describe('before the scripts have loaded', () => {
  test('a form keeps what is typed, and is sent when the scripts have loaded', async () => {
    const { page, release } = await openSlowly('/login');
    await page.getByRole('textbox', { name: 'E-mail' }).fill('nobody@example.com');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
    await release();
    await page.getByRole('main').getByRole('alert').waitFor();
    expect(await page.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe('nobody@example.com');
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('not the password');
    expect(page.url()).not.toContain('password=');
  });

  test('a form keeps what is typed while an extension inserts nodes next to its fields (R-2.86)', async () => {
    for (const [path, name] of [
      ['/login', 'E-mail'],
      ['/signup', 'E-mail'],
      ['/listings', 'Search'],
    ] as const) {
      const { page, release } = await openSlowly(path);
      const field = page.getByRole('main').getByLabel(name, { exact: true }).first();
      await field.fill('typed@example.com');
      await page.evaluate(() => {
        for (const input of document.querySelectorAll('main input'))
          input.after(Object.assign(document.createElement('div'), { textContent: 'extension' }));
      });
      await release(false);
      await expect.poll(() => field.inputValue()).toBe('typed@example.com');
      await page.waitForFunction(() => globalThis.alpenglowHydration === undefined);
      await expect.poll(() => field.inputValue()).toBe('typed@example.com');
    }
  });

  test('a chosen filter is used', async () => {
    const { page, release } = await openSlowly('/listings?state=NV');
    await page.getByRole('combobox', { name: 'Category' }).selectOption('Massage');
    await release();
    await page.waitForURL(/category=massage/u);
  });

  test('a pressed button acts once, for the signed-in visitor', async () => {
    const { page, release } = await openSlowly(`/ad/${world.ad.id}`, { token: world.tokenOf('client') });
    const added: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/favorites')) added.push(request.url());
    });
    const heart = page.getByRole('main').getByRole('button', { name: /^Save/u }).first();
    await heart.click();
    await heart.click();
    await release();
    await page.getByRole('main').getByRole('button', { name: 'Saved' }).first().waitFor();
    await expect.poll(() => added.length).toBe(1);
  });

  test('an action uses the account of the visitor', async () => {
    const { page, release } = await openSlowly(`/ad/${world.ad.id}`, { token: world.tokenOf('provider') });
    await page.getByRole('main').getByRole('button', { name: /^Save/u }).first().click();
    await release();
    await page.getByText('Only clients can add favorites').first().waitFor();
  });

  test('a form meets the typed text', async () => {
    const { page, release } = await openSlowly('/help');
    await page.getByLabel('Report number').fill('R-1C6T2M4XA07KQ2M');
    await page.getByRole('button', { name: 'Check status' }).click();
    await release();
    // The number is complete, but no report has it.
    await page.getByRole('main').getByRole('alert').waitFor();
    expect(await page.getByText('A report number looks like').count()).toBe(0);
  });

  test('the quick exit leaves the site', async () => {
    const { page } = await openSlowly('/listings');
    const entries = await page.evaluate(() => history.length);
    await page.route('https://duckduckgo.com/**', (route) => route.fulfill({ body: 'Another site' }));
    await page.getByRole('banner').getByRole('link', { name: 'Quick exit' }).click();
    await page.getByText('Another site').waitFor();
    expect(await page.evaluate(() => history.length), 'the other site replaces the page').toBe(entries);
  });

  test('the age can be confirmed', async () => {
    const { page, release } = await openSlowly('/listings', { hasPassedGates: false, viewport: PHONE });
    await page.getByRole('dialog').getByRole('button').first().click();
    await release();
    await page.getByRole('dialog', { name: /guidelines/iu }).waitFor();
  });
});

describe('times of a visitor whose clock is three days wrong are those of the server (R-2.81)', () => {
  const THREE_DAYS_ms = 3 * 24 * 60 * 60_000;
  const FRESH = /^(?:just now|\d+ min ago)$/u;
  const CLOCKS = [
    ['ahead', THREE_DAYS_ms],
    ['behind', -THREE_DAYS_ms],
  ] as const;
  test.each(sampleOf(CLOCKS, 1))('clock %s', async (_direction, offset_ms) => {
    const context = await openVisitor(browser, product.url);
    await context.clock.install({ time: Date.now() + offset_ms });
    const page = await context.newPage();
    const times = page.locator('main time');
    const expectFresh = async () => expect(await times.first().textContent()).toMatch(FRESH);
    for (const path of [`/ad/${world.ad.id}`, world.thread.path]) {
      await page.goto(path);
      await expectFresh();
      // The page updates its times every 30 s.
      await page.clock.runFor(31_000);
      await expectFresh();
    }
    // The demo ads of a list are older.
    const right = await (await openVisitor(browser, product.url)).newPage();
    for (const one of [right, page]) {
      await one.goto('/listings?state=NV&city=Reno');
      await one.locator('main time').first().waitFor();
    }
    // A time may change between the two reads. Both pages then show the same times after their next update.
    await eventually(async () =>
      expect(await times.allTextContents()).toEqual(await right.locator('main time').allTextContents()),
    );
  });
});

describe('values that a program sets without an event (R-2.86)', () => {
  const setSilently = (page: Page, name: string, value: string) =>
    page
      .getByRole('main')
      .getByLabel(name, { exact: true })
      .first()
      .evaluate((field, text) => {
        (field as HTMLInputElement).value = text;
      }, value);

  test('are sent by the login', async () => {
    const context = await openVisitor(browser, product.url);
    const page = await context.newPage();
    await page.goto('/login');
    await waitForTakeover(page);
    await setSilently(page, 'E-mail', 'nobody@example.com');
    await setSilently(page, 'Password', 'not the password');
    const request = page.waitForRequest('**/api/auth/login');
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
    expect((await request).postDataJSON()).toMatchObject({
      email: 'nobody@example.com',
      password: 'not the password',
    });
  });

  test('are sent by the sign-up', async () => {
    const context = await openVisitor(browser, product.url);
    const page = await context.newPage();
    await page.goto('/signup');
    await waitForTakeover(page);
    await setSilently(page, 'E-mail', 'newcomer@example.com');
    await setSilently(page, 'Password', 'a long and calm passphrase');
    await page.getByRole('main').getByRole('button', { name: 'Sign up', exact: true }).click();
    // The other fields are empty, so the form reports only them.
    await expect.poll(() => page.getByRole('main').locator('[aria-invalid="true"]').count()).toBeGreaterThan(0);
    const problems = await page
      .getByRole('main')
      .locator('[aria-invalid="true"]')
      .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).name));
    expect(problems).not.toContain('email');
    expect(problems).not.toContain('password');
  });

  test('are sent by the form of an ad', async () => {
    const context = await openVisitor(browser, product.url, { token: world.people.newcomer.token });
    const page = await context.newPage();
    await page.goto('/post-ad');
    await page.getByRole('main').getByLabel('Title').waitFor();
    await setSilently(page, 'Title', 'A calm evening');
    await page.getByRole('main').getByRole('button', { name: 'Post Ad' }).click();
    const title = page.getByRole('main').getByLabel('Title');
    await expect.poll(() => page.getByRole('main').locator('[aria-invalid="true"]').count()).toBeGreaterThan(0);
    expect(await title.getAttribute('aria-invalid')).not.toBe('true');
    expect(await title.inputValue()).toBe('A calm evening');
  });

  test('are used by the search', async () => {
    const context = await openVisitor(browser, product.url);
    const page = await context.newPage();
    await page.goto('/listings');
    await waitForTakeover(page);
    await setSilently(page, 'Search', 'massage');
    await page.getByRole('searchbox').press('Enter');
    await expect.poll(() => page.url()).toContain('q=massage');
  });
});
