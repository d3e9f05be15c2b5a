import { LIVE_RECONNECT_ms } from '@alpenglow/domain';
import type { Browser, BrowserContext, Page, WebSocketRoute } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiClient, PASSWORD } from '../support/api.ts';
import { closeDialog, openVisitor, sharedBrowser, type VisitorOptions, trackLiveChannel } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { extendTimers, SCROLL_RESTORE_LIMIT_ms } from '../support/browser-failures.ts';
import { newestCode } from '../support/browser-inbox.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Tests the states and transitions of the rules from the view of a visitor, with all demo ads. */
let product: TestProduct;
let browser: Browser;
let world: World;
beforeAll(async () => {
  product = await startTestProduct({ isDemo: true });
  world = await populate(product.url);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

const contexts: BrowserContext[] = [];
let console: ConsoleWatch[] = [];
beforeEach(() => {
  console = [];
});
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
});

async function newContext(options: VisitorOptions = {}): Promise<BrowserContext> {
  const context = await openVisitor(browser, product.url, options);
  contexts.push(context);
  console.push(new ConsoleWatch(context));
  return context;
}
const newPage = async (options: VisitorOptions = {}) => (await newContext(options)).newPage();
const expectSilence = () => console.forEach((watch) => watch.expectNoProblems());

const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);
const bar = (page: Page) => page.getByRole('banner');
const at = async (page: Page, address: string) => {
  await page.goto(address);
  await headingOf(page).first().waitFor();
};
const AS_BEFORE = { message: 'as many ads as before' };
const SAME_PLACE = { message: 'the same place' };
/** Marks the page. A reload removes the mark, so `isMarked` then returns false. */
const markPage = (page: Page) => page.evaluate(() => Object.assign(globalThis, { isMarked: true }));
const isMarked = (page: Page) => page.evaluate(() => 'isMarked' in globalThis);

/** Posts an ad of a new provider. No other test uses this ad. */
async function postAd(title: string): Promise<{ readonly id: string; readonly token: string }> {
  const client = apiClient(product.url);
  const { token } = await client.signUp('provider');
  return { token, id: (await client.postAd(token, { title, state: 'NV', city: 'Reno' })).id };
}

describe('the gates', () => {
  it('appear one after the other before any page, and only once', async () => {
    const page = await newPage({ hasPassedGates: false });
    await page.goto('/about');
    await page.getByRole('button', { name: 'I am 18+ — Enter' }).click();
    expect(await stored(page, 'age_ok')).toBe('true');
    expect(await page.locator('[data-frame]').getAttribute('inert'), 'the page cannot be used yet').toBe('');
    await page.getByRole('button', { name: 'Accept & Continue' }).click();
    expect(await stored(page, 'guidelines_accepted')).toBe('true');
    await headingOf(page).filter({ hasText: 'About' }).waitFor();
    await page.reload();
    await headingOf(page).filter({ hasText: 'About' }).waitFor();
    expectSilence();
  });

  it.each([
    ['Essential only', false],
    ['Accept all', true],
  ])('store the choice of cookies: %s', async (name, analytics) => {
    const page = await newPage();
    await page.goto('/robots.txt');
    await page.evaluate(() => localStorage.removeItem('cookie_consent'));
    await at(page, '/about');
    await page.getByRole('button', { name }).click();
    expect(JSON.parse((await stored(page, 'cookie_consent')) ?? '')).toEqual({
      essential: true,
      analytics,
      date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u) as string,
    });
    await page.reload();
    await headingOf(page).waitFor();
    expect(await page.getByRole('button', { name }).count()).toBe(0);
    expectSilence();
  });

  it.each(['Exit', 'Decline'])('lead to another site by %s', async (name) => {
    const page = await newPage({ hasPassedGates: false });
    await page.route('https://**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>Search</title>' }),
    );
    await page.goto('/');
    if (name === 'Decline') await page.getByRole('button', { name: 'I am 18+ — Enter' }).click();
    await page.getByRole('button', { name, exact: true }).click();
    await page.waitForURL((url) => url.origin !== product.url);
    expect(await page.title()).toBe('Search');
  });
});

describe('a session', () => {
  it('begins on the requested page and ends with a redirect to the home page in every tab', async () => {
    const client = apiClient(product.url);
    const { email } = await client.signUp('client');
    const context = await newContext();
    const page = await context.newPage();
    const other = await context.newPage();
    await at(other, '/about');

    await at(page, '/my-ads');
    await page.getByText('Account Required').waitFor();
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL('**/my-ads');
    await headingOf(page).filter({ hasText: 'My ads' }).waitFor();
    await bar(other).getByRole('button', { name: 'Logout' }).waitFor();

    await markPage(page);
    await bar(page).getByRole('button', { name: 'Logout' }).click();
    await page.waitForURL(`${product.url}/`);
    await bar(page).getByRole('link', { name: 'Login' }).waitFor();
    expect(await isMarked(page), 'the page was reloaded').toBe(false);
    expect([await stored(page, 'vpsAuthToken'), await stored(page, 'user')]).toEqual([null, null]);
    await bar(other).getByRole('link', { name: 'Login' }).waitFor();
    expectSilence();
  });

  it('is cleared if the server rejects it', async () => {
    const page = await newPage({ token: 'x'.repeat(43) });
    console[0]?.allow(/\/api\/auth\/verify/u);
    await Promise.all([page.getByText('Token verification failed').waitFor(), page.goto('/about')]);
    await bar(page).getByRole('link', { name: 'Login' }).waitFor();
    expect(await stored(page, 'vpsAuthToken')).toBeNull();
    expectSilence();
  });

  it('can be opened again after a password reset', async () => {
    const client = apiClient(product.url);
    const { email } = await client.signUp('client');
    const page = await newPage();
    await at(page, '/login');
    await page
      .getByRole('main')
      .getByRole('link', { name: /Forgot/u })
      .click();
    await headingOf(page).filter({ hasText: 'Forgot your password?' }).waitFor();
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await page.getByRole('button', { name: 'Send the code' }).click();
    await headingOf(page).filter({ hasText: 'Set a new password' }).waitFor();
    await page.getByRole('textbox', { name: /Code/u }).fill(await newestCode(product.url, email, 'Reset your'));
    await page.getByLabel('New password').fill('battery staple');
    await page.getByRole('button', { name: 'Set new password' }).click();
    await headingOf(page).filter({ hasText: 'Login' }).waitFor();
    expect((await client.call('POST', '/api/auth/login', { body: { email, password: 'battery staple' } })).status).toBe(
      200,
    );
    expectSilence();
  });
});

describe('the live channel', () => {
  it('shows changes by other people on a page with a list that contains the ad', async () => {
    const page = await newPage();
    const untilLive = await trackLiveChannel(page);
    await at(page, '/listings');
    await untilLive();
    const { id, token } = await postAd('Told to everybody');
    await page.getByText('New ad posted!').waitFor();
    const client = apiClient(product.url);
    await client.call('PUT', `/api/ads/${id}`, { token, body: { title: 'Told again' } });
    await page.getByText('Ad updated!').waitFor();
    await client.call('DELETE', `/api/ads/${id}`, { token });
    await page.getByText('Ad removed!').waitFor();
    expectSilence();
  });

  it('announces a bumped ad and ignores unknown events', async () => {
    const page = await newPage();
    const opened: WebSocketRoute[] = [];
    let isSubscribed = false;
    // The server is not connected, because the page could also receive messages about the changes of other tests.
    await page.routeWebSocket(/\/api\/live/u, (socket) => {
      socket.onMessage((message) => {
        if (String(message).includes('"kind"')) isSubscribed = true;
      });
      opened.push(socket);
    });
    await at(page, '/listings');
    await expect.poll(() => isSubscribed).toBe(true);
    expect(opened).toHaveLength(1);
    opened[0]?.send(JSON.stringify({ type: 'ad_dreamt_of', seq: '~1', adId: world.ad.id }));
    opened[0]?.send(JSON.stringify({ type: 'ad_bumped', seq: '~2', adId: world.ad.id, ad: null }));
    await page.getByText('Ad bumped to top!').waitFor();
    expect(
      await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Dismiss' }).count(),
      'one toast',
    ).toBe(1);
    expectSilence();
  });

  it('reconnects at least 5 s after it broke and misses no changes', async () => {
    const page = await newPage();
    const opened: { readonly socket: WebSocketRoute; readonly at_ms: number; readonly url: string }[] = [];
    await page.routeWebSocket(/\/api\/live/u, (socket) => {
      socket.connectToServer();
      opened.push({ socket, at_ms: Date.now(), url: socket.url() });
    });
    // The page shows only until it reconnects that the updates are paused. Without a random part, the delay is exact.
    await page.addInitScript(() => (Math.random = () => 0));
    await extendTimers(page, LIVE_RECONNECT_ms, 3);
    const untilLive = await trackLiveChannel(page);
    await at(page, '/listings');
    await untilLive();
    expect(opened).toHaveLength(1);
    await postAd('Seen before it breaks');
    await page.getByText('New ad posted!').waitFor();
    const broken_ms = Date.now();
    await opened[0]?.socket.close();
    await page.getByText('Live updates are paused').waitFor();
    await postAd('Posted meanwhile');
    await expect.poll(() => opened.length).toBe(2);
    expect((opened[1]?.at_ms ?? 0) - broken_ms).toBeGreaterThan(4_500);
    expect(opened[1]?.url).toContain('since=');
    await page.getByText('New ad posted!').waitFor();
    await page.getByText('Live updates are paused').waitFor({ state: 'detached' });
    expectSilence();
  });

  it('shows new ads behind a pill, so that the content does not move', async () => {
    const page = await newPage();
    const untilLive = await trackLiveChannel(page);
    await at(page, '/listings');
    await untilLive();
    await page
      .getByRole('main')
      .getByRole('link', { name: /Freya|An evening|ad/iu })
      .first()
      .waitFor();
    await page.evaluate(() => scrollTo(0, 700));
    const place = await page.evaluate(() => scrollY);
    await postAd('Waits behind a pill');
    const pill = page.getByRole('button', { name: '1 new ad' });
    await pill.waitFor();
    expect(await page.getByText('Waits behind a pill').count()).toBe(0);
    expect(await page.evaluate(() => scrollY), 'the content did not move').toBe(place);
    await pill.click();
    await page.getByRole('main').getByText('Waits behind a pill').first().waitFor();
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
    expectSilence();
  });
});

describe('a list of ads', () => {
  it('has the same position after Back and after a reload', async () => {
    const page = await newPage();
    await extendTimers(page, SCROLL_RESTORE_LIMIT_ms);
    await at(page, '/listings?state=CA');
    const cards = page.getByRole('main').locator('a[href^="/escorts/"]');
    await cards.nth(10).waitFor();
    const first = await cards.count();
    const more = page.getByRole('main').getByRole('link', { name: 'Show more' });
    await more.scrollIntoViewIfNeeded();
    await more.click();
    await expect.poll(() => cards.count()).toBeGreaterThan(first);
    const count = await cards.count();
    const card = cards.nth(first + 6);
    await card.scrollIntoViewIfNeeded();
    const href = (await card.getAttribute('href')) ?? '';
    const place = await page.evaluate(() => scrollY);
    expect(place).toBeGreaterThan(500);
    await card.click();
    await page.waitForURL(`**${href}`);
    await headingOf(page).waitFor();
    await page.goBack();
    await expect.poll(() => cards.count(), AS_BEFORE).toBe(count);
    await expect.poll(async () => Math.abs((await page.evaluate(() => scrollY)) - place), SAME_PLACE).toBeLessThan(60);
    await page.reload();
    await expect.poll(() => cards.count(), AS_BEFORE).toBe(count);
    await expect.poll(async () => Math.abs((await page.evaluate(() => scrollY)) - place), SAME_PLACE).toBeLessThan(60);
    expectSilence();
  });

  it('stores its filters in the address', async () => {
    const page = await newPage();
    await at(page, '/listings');
    await page.getByRole('search').getByLabel('Category').selectOption('massage');
    await page.waitForURL(/category=massage/u);
    await headingOf(page).filter({ hasText: 'Massage' }).waitFor();
    await page.goBack();
    await headingOf(page).filter({ hasText: 'Browse ads' }).waitFor();
    expectSilence();
  });
});

describe('the preferences of a visitor', () => {
  it('store the language, in the browser and for the first HTML', async () => {
    const page = await newPage();
    await at(page, '/about');
    await page.getByRole('contentinfo').getByRole('link', { name: 'Deutsch' }).click();
    await bar(page).getByRole('link', { name: 'Anmelden' }).waitFor();
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de');
    await page.reload();
    await bar(page).getByRole('link', { name: 'Anmelden' }).waitFor();
    const response = await page.goto('/listings');
    expect(await response?.text()).toMatch(/<html[^>]* lang="de"/u);
    await bar(page).getByRole('link', { name: 'Anmelden' }).waitFor();
    expectSilence();
  });

  it('use the language of the browser until the visitor chooses one', async () => {
    const page = await newPage({ locale: 'fr' });
    await page.goto('/about');
    await bar(page).getByRole('link', { name: 'Se connecter' }).waitFor();
    expectSilence();
  });

  it('store the theme', async () => {
    const page = await newPage();
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await at(page, '/about');
    const light = await background();
    await page.getByRole('contentinfo').getByRole('button', { name: 'Dark' }).click();
    await expect.poll(background).not.toBe(light);
    const dark = await background();
    await page.reload();
    await headingOf(page).waitFor();
    await expect.poll(background).toBe(dark);
    expectSilence();
  });

  it('store favorites in the browser for a guest and move them to the account of a client', async () => {
    const client = apiClient(product.url);
    const person = await client.signUp('client');
    const context = await newContext();
    const page = await context.newPage();
    await at(page, `/ad/${world.ad.id}`);
    await page.getByRole('main').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('main').getByRole('button', { name: 'Saved', pressed: true }).waitFor();
    await page.reload();
    await page.getByRole('main').getByRole('button', { name: 'Saved', pressed: true }).waitFor();
    await at(page, '/favorites');
    await page.getByRole('main').getByText(world.ad.title).first().waitFor();

    await at(page, '/login');
    await page.getByRole('textbox', { name: 'E-mail' }).fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click();
    await bar(page).getByRole('button', { name: 'Logout' }).waitFor();
    await at(page, '/favorites');
    await page.getByRole('main').getByText(world.ad.title).first().waitFor();
    const known = async () =>
      (await client.call('GET', `/api/favorites/${person.user.id}`, { token: person.token })).body['adIds'];
    await expect.poll(known).toEqual([world.ad.id]);
    expectSilence();
  });
});

describe('the ad form', () => {
  it('restores the input after a reload', async () => {
    const page = await newPage({ token: world.people.newcomer.token });
    await at(page, '/post-ad');
    await page.getByLabel('Title').fill('A draft to come back to');
    await page.getByLabel('State').selectOption('NV');
    await page.getByLabel('City').selectOption('Reno');
    await page.getByLabel('Description').fill('Half a sentence');
    await expect.poll(() => page.evaluate(() => JSON.stringify({ ...localStorage }))).toContain('Half a sentence');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('A draft to come back to');
    await expect
      .poll(async () => [await page.getByLabel('City').inputValue(), await page.getByLabel('Description').inputValue()])
      .toEqual(['Reno', 'Half a sentence']);
    expectSilence();
  });

  it('edits the ad from the navigation state, and Cancel leads to the profile', async () => {
    const { id, token } = await postAd('Comes with the navigation');
    // The form loads the ad only once.
    await waitForRead(apiClient(product.url));
    const page = await newPage({ token });
    await at(page, '/about');
    await page.evaluate(
      (adId) => history.pushState({ usr: { edit: true, ad: { id: adId } }, key: 'edit', idx: 1 }, '', '/post-ad'),
      id,
    );
    await page.reload();
    await headingOf(page).filter({ hasText: 'Edit Your Ad' }).waitFor();
    await page.getByLabel('Title').fill('Went with the navigation');
    await page.getByRole('button', { name: 'Update Ad' }).click();
    await closeDialog(
      page,
      'Ad updated successfully! Would you like to view your updated ad? Click OK to view, Cancel to go to profile.',
      'Cancel',
    );
    await page.waitForURL('**/provider-profile');
    expectSilence();
  });
});

it('a page shows when the connection is lost and when it is restored', async () => {
  const context = await newContext();
  const page = await context.newPage();
  await at(page, '/about');
  await context.setOffline(true);
  await page.getByText('You are offline').waitFor();
  await context.setOffline(false);
  await page.getByText('You are offline').waitFor({ state: 'detached' });
});
