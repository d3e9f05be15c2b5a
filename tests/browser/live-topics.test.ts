import type { LiveMessage, LiveSubscribe, LiveSubscribed } from '@alpenglow/domain';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { sharedBrowser, trackLiveChannel, withVisitor } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { connectLive } from '../support/live.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

let product: TestProduct;
let api: ApiClient;
let browser: Browser;
beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  browser = await sharedBrowser();
  // Both cities have an ad, so that their pages show lists.
  await postAd('Las Vegas', 'First in Vegas');
  await postAd('Reno', 'First in Reno');
  await waitForRead(api);
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

async function postAd(city: string, title: string): Promise<string> {
  const { token } = await api.signUp('provider');
  return (await api.postAd(token, { city, title })).id;
}

const poll = <T>(value: () => T | Promise<T>) => expect.poll(value, { timeout: MAX_WAIT_ms });
const card = (page: Page, title: string) => page.getByRole('main').getByText(title).first();

/** Opens a page and records the messages of its live channel. */
function openPage(use: (page: Page, live: RecordedChannel) => Promise<void>): Promise<void> {
  return withVisitor(browser, product.url, {}, async (context) => {
    const page = await context.newPage();
    const [sent, received]: [LiveSubscribe[], (LiveMessage | LiveSubscribed)[]] = [[], []];
    page.on('websocket', (socket) => {
      socket.on('framesent', ({ payload }) => sent.push(JSON.parse(String(payload)) as LiveSubscribe));
      socket.on('framereceived', ({ payload }) =>
        received.push(JSON.parse(String(payload)) as LiveMessage | LiveSubscribed),
      );
    });
    const untilLive = await trackLiveChannel(page);
    await use(page, {
      topics: () => sent.at(-1)?.topics ?? null,
      adIds: () => received.flatMap((message) => ('adId' in message ? [message.adId] : [])),
      untilLive,
    });
  });
}

interface RecordedChannel {
  topics(): LiveSubscribe['topics'] | null;
  adIds(): readonly string[];
  untilLive(): Promise<void>;
}

const topicOf = (city: string) =>
  expect.arrayContaining([{ kind: 'ads', state: 'NV', city }]) as unknown as LiveSubscribe['topics'];
const otherCity = (city: string) =>
  expect.not.arrayContaining([{ kind: 'ads', state: 'NV', city }]) as unknown as LiveSubscribe['topics'];

test('a page receives the changes of its place, and shows those of a place to which it returns', () =>
  openPage(async (page, live) => {
    await page.goto('/city/NV/las-vegas');
    await card(page, 'First in Vegas').waitFor();
    await live.untilLive();
    await poll(live.topics).toEqual(topicOf('Las Vegas'));
    const elsewhere = await postAd('Reno', 'Second in Reno');
    const here = await postAd('Las Vegas', 'Second in Vegas');
    await card(page, 'Second in Vegas').waitFor();
    expect(live.adIds()).toContain(here);
    expect(live.adIds()).not.toContain(elsewhere);

    await page.getByRole('main').getByRole('link', { name: /^Reno/u }).first().click();
    await card(page, 'Second in Reno').waitFor();
    await poll(live.topics).toEqual(topicOf('Reno'));
    await poll(live.topics).toEqual(otherCity('Las Vegas'));
    await live.untilLive();
    const missed = await postAd('Las Vegas', 'Third in Vegas');
    await postAd('Reno', 'Third in Reno');
    await card(page, 'Third in Reno').waitFor();
    expect(live.adIds()).not.toContain(missed);

    // The list of Las Vegas is cached. It is loaded again, because an ad was posted meanwhile.
    await page.goBack();
    await card(page, 'First in Vegas').waitFor();
    await page
      .getByRole('button', { name: '1 new ad' })
      .or(page.getByRole('main').getByText('Third in Vegas'))
      .first()
      .waitFor();
  }));

test('a hidden tab receives nothing, and shows the changes when it is shown again', () =>
  openPage(async (page, live) => {
    const setHidden = (isHidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    await page.goto('/city/NV/reno');
    await card(page, 'First in Reno').waitFor();
    await live.untilLive();
    await setHidden(true);
    await poll(live.topics).toEqual([]);
    // The server has confirmed the empty subscription before the ad is posted.
    await page.waitForFunction(() => {
      const { lastSubscription, confirmedSubscription } = globalThis as Record<string, unknown>;
      return lastSubscription === confirmedSubscription;
    });
    const unnoticed = await postAd('Reno', 'While it is hidden');
    // The message about this ad was sent before the message about the next one, which another client has received.
    const observer = await connectLive(product.url);
    const next = await postAd('Reno', 'Also while it is hidden');
    await observer.next((message) => 'adId' in message && message.adId === next);
    observer.close();
    expect(live.adIds()).not.toContain(unnoticed);
    await setHidden(false);
    await card(page, 'While it is hidden').waitFor();
    await poll(live.topics).toEqual(topicOf('Reno'));
    await live.untilLive();
    const shown = await postAd('Reno', 'After it is shown');
    await card(page, 'After it is shown').waitFor();
    expect(live.adIds()).toContain(shown);
  }));
