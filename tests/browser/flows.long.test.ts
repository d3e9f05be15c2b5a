import { LIVE_RECONNECT_ms } from '@alpenglow/domain';
import type { Browser, BrowserContext, Page, WebSocketRoute } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiClient } from '../support/api.ts';
import { closeDialog, openVisitor, sharedBrowser, type VisitorOptions, trackLiveChannel } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { extendTimers } from '../support/browser-failures.ts';
import { newestCode } from '../support/browser-inbox.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Tests a password reset, the live channel and an edit from the navigation state from the view of a visitor. */
let product: TestProduct;
let browser: Browser;
let world: World;
beforeAll(async () => {
  product = await startTestProduct();
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

const at = async (page: Page, address: string) => {
  await page.goto(address);
  await headingOf(page).first().waitFor();
};

/** Posts an ad of a new provider. No other test uses this ad. */
async function postAd(title: string): Promise<{ readonly id: string; readonly token: string }> {
  const client = apiClient(product.url);
  const { token } = await client.signUp('provider');
  return { token, id: (await client.postAd(token, { title, state: 'NV', city: 'Reno' })).id };
}

describe('a session', () => {
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
    expect(await page.getByRole('button', { name: 'Ad bumped to top!' }).count(), 'one notice').toBe(1);
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
    await page.getByRole('button', { name: 'New ad posted!' }).click();
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
});

describe('the ad form', () => {
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
