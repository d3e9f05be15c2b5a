import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { DESKTOP, openVisitor, PHONE, sharedBrowser, trackLiveChannel } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { extendTimers, SCROLL_RESTORE_LIMIT_ms } from '../support/browser-failures.ts';
import { connectLive } from '../support/live.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * Tests browsing with demo ads. The scroll position is preserved, live changes do not move the content, and filters are
 * part of the URL.
 */

let product: TestProduct;
let browser: Browser;
let api: ApiClient;
let context: BrowserContext;
/** Waits until the live channel of the current page is subscribed to what the page displays. */
let untilLive: Awaited<ReturnType<typeof trackLiveChannel>>;

beforeAll(async () => {
  product = await startTestProduct({ isDemo: true });
  browser = await sharedBrowser();
  api = apiClient(product.url);
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});
afterEach(() => context.close());

/** Opens a page that displays no live data. */
async function openStill(path: string, viewport = DESKTOP): Promise<Page> {
  context = await openVisitor(browser, product.url, { viewport });
  const page = await context.newPage();
  untilLive = await trackLiveChannel(page);
  // A busy machine may load the content of a page later than the page stops to restore its position.
  await extendTimers(page, SCROLL_RESTORE_LIMIT_ms);
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

async function open(path: string, viewport = DESKTOP): Promise<Page> {
  const page = await openStill(path, viewport);
  // The live channel does not report ads that were posted earlier, so the test waits until the channel is open.
  await untilLive();
  return page;
}

/**
 * Waits until a client that is subscribed to everything has received the message about `change`. The process has then
 * sent this message to all pages that it concerns, and the read models contain the change.
 */
async function untilPublished(type: string, change: () => Promise<string>): Promise<void> {
  const observer = await connectLive(product.url);
  try {
    const id = await change();
    await observer.next((message) => message.type === type && 'adId' in message && message.adId === id);
  } finally {
    observer.close();
  }
}

const cards = (page: Page) => page.locator('main article');
const card = (page: Page, title: string) => cards(page).filter({ hasText: title });
const scrollY = (page: Page) => page.evaluate(() => Math.round(window.scrollY));
const titles = (page: Page) => cards(page).locator('h3').allTextContents();

async function showMore(page: Page, upTo: number): Promise<void> {
  // Waits for the first page of the list, so that it does not count as the result of the first click.
  await cards(page).first().waitFor();
  while ((await cards(page).count()) < upTo) {
    const before = await cards(page).count();
    await page.getByRole('link', { name: 'Show more' }).click();
    await expect.poll(() => cards(page).count()).toBeGreaterThan(before);
  }
}

/**
 * Scrolls down to an ad card by its index. Returns the title of the card, the scroll position of the page, and the
 * distance of the card from the top of the window.
 */
async function readDownTo(page: Page, index: number): Promise<{ title: string; at: number; top: number }> {
  const one = cards(page).nth(index);
  await one.evaluate((element) =>
    window.scrollTo({ top: window.scrollY + element.getBoundingClientRect().top - 300, behavior: 'instant' }),
  );
  return {
    title: (await one.locator('h3').textContent()) ?? '',
    at: await scrollY(page),
    top: (await one.boundingBox())?.y ?? 0,
  };
}

/** Posts an ad of a new provider. Lists may not contain the ad yet. */
async function post(changes: Record<string, unknown>): Promise<{ id: string; token: string }> {
  const { token } = await api.signUp('provider');
  return { id: (await api.postAd(token, changes)).id, token };
}

describe('the scroll position in a list', () => {
  test('Back restores all loaded pages and the position without requests to the server', async () => {
    const page = await open('/listings');
    await showMore(page, 72);
    const place = await readDownTo(page, 55);
    const requestUrls: string[] = [];
    await cards(page).nth(55).getByRole('link').click();
    await page.waitForURL('**/escorts/**');
    await page.getByRole('heading', { level: 1 }).waitFor();
    page.on('request', (request) => {
      if (/\/api\/ads\?/u.test(request.url())) requestUrls.push(request.url());
    });
    await page.goBack();
    await expect.poll(() => scrollY(page)).toBe(place.at);
    expect(await cards(page).count()).toBe(72);
    expect((await cards(page).nth(55).boundingBox())?.y).toBeCloseTo(place.top, 0);
    expect(requestUrls).toEqual([]);
  });

  test('a reload loads the same number of ads and restores the position', async () => {
    const page = await open('/listings?state=CA', PHONE);
    await showMore(page, 72);
    const place = await readDownTo(page, 60);
    await expect
      .poll(() => page.evaluate(() => sessionStorage.getItem('alpenglow.scroll')), {
        message: 'the scroll position is stored',
      })
      .toContain(`,${place.at}]`);
    await page.reload();
    await expect.poll(() => cards(page).count()).toBe(72);
    await expect.poll(() => scrollY(page)).toBe(place.at);
    expect(await cards(page).nth(60).locator('h3').textContent()).toBe(place.title);
  });

  test('Back announces ads that were posted in the meantime without moving the list', async () => {
    const page = await open('/listings?state=TX');
    await showMore(page, 48);
    const place = await readDownTo(page, 40);
    await cards(page).nth(40).getByRole('link').click();
    await page.waitForURL('**/escorts/**');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await untilPublished('ad_created', async () => {
      const { id } = await post({ title: 'Came in between', state: 'TX', city: 'Austin' });
      return id;
    });
    await page.goBack();
    await page.getByRole('button', { name: '1 new ad' }).waitFor();
    await expect.poll(() => scrollY(page)).toBe(place.at);
    expect(await cards(page).nth(40).locator('h3').textContent()).toBe(place.title);
  });
});

describe('live changes of a list', () => {
  test('a new ad waits behind a pill while the reader is further down', async () => {
    const page = await open('/listings?state=FL');
    await showMore(page, 48);
    const place = await readDownTo(page, 30);
    await post({ title: 'One that waits', state: 'FL', city: 'Miami' });
    await post({ title: 'Another that waits', state: 'FL', city: 'Tampa' });
    await page.getByRole('button', { name: '2 new ads' }).waitFor();
    expect((await cards(page).nth(30).boundingBox())?.y).toBeCloseTo(place.top, 0);
    await page.getByRole('button', { name: '2 new ads' }).click();
    await card(page, 'One that waits').waitFor();
    await expect.poll(() => scrollY(page)).toBe(0);
    expect((await titles(page)).slice(0, 2)).toEqual(['Another that waits', 'One that waits']);
    expect(await cards(page).count(), 'loaded ads remain').toBe(50);
  });

  test('a new ad appears at once at the top, but waits while a card has the focus', async () => {
    const page = await open('/listings?state=IL');
    await cards(page).first().waitFor();
    await post({ title: 'Straight to the top', state: 'IL', city: 'Chicago' });
    await card(page, 'Straight to the top').waitFor();
    await cards(page).nth(2).getByRole('link').focus();
    await page.keyboard.press('Tab');
    const before = await titles(page);
    await post({ title: 'Not under the hand', state: 'IL', city: 'Chicago' });
    await page.getByRole('button', { name: '1 new ad' }).waitFor();
    expect(await titles(page)).toEqual(before);
  });

  test('an updated ad changes in place, and a deleted one disappears without a jump', async () => {
    const mine = await post({ title: 'Before the change', state: 'AZ', city: 'Phoenix' });
    await waitForRead(api);
    const page = await open('/listings?state=AZ');
    await card(page, 'Before the change').waitFor();
    const place = await readDownTo(page, 10);
    const changed = await api.call('PUT', `/api/ads/${mine.id}`, {
      token: mine.token,
      body: { title: 'After the change' },
    });
    expect(changed.status).toBe(200);
    await card(page, 'After the change').waitFor();
    await api.call('DELETE', `/api/ads/${mine.id}`, { token: mine.token });
    await page.getByText('No longer available').waitFor();
    expect(await card(page, 'After the change').count()).toBe(0);
    const tenth = page.getByRole('list', { name: 'Ads in Arizona' }).getByRole('listitem').nth(10);
    expect(await tenth.locator('h3').textContent()).toBe(place.title);
    expect((await tenth.boundingBox())?.y).toBeCloseTo(place.top, 0);
  });

  test('a deleted ad of a full page is replaced by the next ad', async () => {
    const mine = await post({ title: 'One of the first', state: 'CA', city: 'Oakland' });
    // The list must contain the ad when it is loaded. Otherwise, the live channel adds the ad to a full page.
    await waitForRead(api);
    const page = await open('/listings?state=CA');
    await card(page, 'One of the first').waitFor();
    await api.call('DELETE', `/api/ads/${mine.id}`, { token: mine.token });
    await card(page, 'One of the first').waitFor({ state: 'detached' });
    await expect.poll(() => cards(page).count()).toBe(24);

    const below = await post({ title: 'One above the reader', state: 'CA', city: 'Oakland' });
    await card(page, 'One above the reader').waitFor();
    const loaded = await cards(page).count();
    const place = await readDownTo(page, 12);
    await api.call('DELETE', `/api/ads/${below.id}`, { token: below.token });
    await page.getByText('No longer available').waitFor();
    await expect.poll(() => cards(page).count()).toBe(loaded);
    expect((await card(page, place.title).first().boundingBox())?.y).toBeCloseTo(place.top, 0);
  });

  test('a notice is shown only on pages with a list that the ad belongs to', async () => {
    const page = await openStill('/blog');
    const notice = page.getByText(/New ad posted!|new ads?$/u);
    let [id, token] = ['', ''];
    await untilPublished('ad_created', async () => {
      ({ id, token } = await post({ title: 'For readers of lists', state: 'FL', city: 'Orlando' }));
      return id;
    });
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Community' }).click();
    await page.getByRole('heading', { level: 1, name: 'Community' }).waitFor();
    expect(await notice.count(), 'not on the blog').toBe(0);

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Browse' }).click();
    await card(page, 'For readers of lists').waitFor();
    await untilLive({ kind: 'ads' });
    await api.call('PUT', `/api/ads/${id}`, { token, body: { title: 'For readers of long lists' } });
    await page.getByText('Ad updated!').waitFor();

    await page.goto('/city/nv/reno');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await untilLive();
    await untilPublished('ad_deleted', async () => {
      await api.call('DELETE', `/api/ads/${id}`, { token });
      return id;
    });
    await post({ title: 'For readers in Reno', state: 'NV', city: 'Reno' });
    // Its exact name shows that the removal in another city is not counted.
    await page.getByRole('button', { name: 'New ad posted!', exact: true }).waitFor();
  });

  test('a new ad waits behind a pill in a list sorted by price', async () => {
    const page = await open('/listings?state=NY&sort=price');
    await cards(page).first().waitFor();
    const before = await titles(page);
    await post({ title: 'The dearest of all', state: 'NY', city: 'Buffalo', price: '9000' });
    await page.getByRole('button', { name: '1 new ad' }).waitFor();
    expect(await titles(page)).toEqual(before);
    await page.goto('/listings?state=NY&sort=price_desc');
    await expect.poll(async () => (await titles(page))[0]).toBe('The dearest of all');
  });

  test('the counts on the home page are updated live', async () => {
    const page = await open('/');
    const place = page.getByRole('link', { name: /^Las Vegas/u });
    const count = async () => Number(((await place.textContent()) ?? '').replaceAll(/\D/gu, ''));
    await expect.poll(count).toBeGreaterThan(0);
    const before = await count();
    await post({ title: 'One more in the city', state: 'NV', city: 'Las Vegas' });
    await card(page, 'One more in the city').waitFor();
    await expect.poll(count).toBe(before + 1);
  });
});

async function choosePlace(page: Page, option: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Place' }).fill(option.replace('All of ', ''));
  await page.getByRole('listbox', { name: 'Cities and states' }).getByRole('option', { name: option }).click();
}

describe('list filters', () => {
  test('are part of the address, can be removed one by one and are restored by Back', async () => {
    const page = await open('/listings');
    await choosePlace(page, 'Los Angeles');
    await page.getByLabel('Category').selectOption('massage');
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByRole('checkbox', { name: /Active today/u }).check();
    await page.getByLabel('to', { exact: true }).fill('200');
    await page.getByLabel('from', { exact: true }).fill('100');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => new URL(page.url()).search)
      .toBe('?state=CA&city=Los+Angeles&category=massage&minPrice=100&maxPrice=200&online=true');
    await page.reload();
    await page.getByRole('button', { name: 'Remove filter: $100–200' }).click();
    await page.getByRole('button', { name: 'Remove filter: Active today' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?state=CA&city=Los+Angeles&category=massage');
    await page.goBack();
    await page.getByRole('button', { name: 'Remove filter: Active today' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  test('typing a search text changes the address without a new history entry', async () => {
    const page = await open('/listings');
    const before = await page.evaluate(() => history.length);
    await page.getByRole('searchbox').pressSequentially('quiet evening', { delay: 40 });
    await expect.poll(() => new URL(page.url()).search).toBe('?q=quiet+evening');
    expect(await page.evaluate(() => history.length)).toBe(before);
  });

  test('the filter sheet of a phone shows the number of results before it is applied', async () => {
    const page = await open('/listings', PHONE);
    await page.getByRole('button', { name: 'Filters' }).click();
    const sheet = page.getByRole('dialog');
    const apply = sheet.getByRole('button', { name: /^Show [\d,]+ ads$/u });
    const everywhere = await apply.textContent();
    await choosePlace(page, 'All of Nevada');
    await expect.poll(() => apply.textContent()).not.toBe(everywhere);
    const promised = /[\d,]+/u.exec((await apply.textContent()) ?? '')?.[0] ?? '';
    expect(new URL(page.url()).search).toBe('');
    await apply.click();
    await page.getByText(`${promised} ads`, { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?state=NV');
  });

  test('a list that fails to load shows an error and recovers by Retry', async () => {
    const page = await open('/listings?state=NV');
    let isBroken = true;
    await page.route('**/api/ads?*', (route) =>
      isBroken
        ? route.fulfill({ status: 400, contentType: 'application/json', body: '{"success":false}' })
        : route.continue(),
    );
    await page.getByLabel('Sort by').selectOption('newest');
    await page.getByRole('alert').getByText('Failed to load ads').waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Retry' }).click();
    await cards(page).first().waitFor();
  });
});

describe('city pages', () => {
  test('another spelling of a city redirects to its address and preserves the filters', async () => {
    const page = await open('/city/Nevada/Las%20Vegas?category=massage');
    await page.waitForURL('**/city/nv/las-vegas?category=massage');
    await page.getByRole('heading', { level: 1, name: 'Massage ads in Las Vegas' }).waitFor();
  });

  test('an ambiguous city name offers a choice, an unknown one shows places with ads', async () => {
    const page = await openStill('/city/peoria');
    await page.getByRole('link', { name: 'Peoria, Illinois' }).click();
    await page.waitForURL('**/city/il/peoria');
    const trail = page.getByRole('navigation', { name: 'You are here' });
    await expect.poll(() => trail.getByRole('listitem').allTextContents()).toEqual(['Home', 'Illinois', 'Peoria']);
    await page.goto('/city/ca/zermatt');
    await page.getByRole('heading', { level: 1, name: 'We do not cover this place yet' }).waitFor();
    await page.getByRole('link', { name: 'All of California' }).click();
    await page.waitForURL('**/listings?state=CA');
  });
});

test('a card is one link with a separate favorite button and label', async () => {
  const owner = await api.signUp('provider');
  const { id } = await api.postAd(owner.token, {
    title: 'Looked at by a person',
    state: 'NV',
    city: 'Sparks',
    name: 'Mira',
  });
  const admin = await api.signUp('client', { email: 'admin@example.com' });
  const verified = await api.call('POST', `/api/admin/users/${owner.user.id}/verify`, { token: admin.token });
  expect(verified.status).toBe(200);
  await waitForRead(api);

  const page = await open('/listings?state=NV&city=Sparks&verified=true', PHONE);
  const one = card(page, 'Looked at by a person');
  await one.waitFor();
  expect(await one.getByRole('link').count()).toBe(1);

  const mark = one.getByRole('button', { name: 'Verified: Identity and age were checked by a person' });
  const meaning = one.locator('[popover]').filter({ hasText: 'checked by a person' });
  await mark.focus();
  await page.keyboard.press('Enter');
  await meaning.waitFor();
  const isInside = async () => {
    const box = await meaning.boundingBox();
    return box !== null && box.x >= 0 && box.x + box.width <= PHONE.width;
  };
  await expect.poll(isInside, { message: 'inside the window' }).toBe(true);
  await page.keyboard.press('Escape');
  await meaning.waitFor({ state: 'hidden' });
  await mark.click();
  await meaning.waitFor();
  await one.getByRole('button', { name: 'Save Mira to favorites' }).click();
  await meaning.waitFor({ state: 'hidden' });
  expect(new URL(page.url()).pathname, 'neither control follows the link').toBe('/listings');

  const frame = await one.boundingBox();
  if (!frame) throw new Error('The card has no box');
  await page.mouse.click(frame.x + frame.width / 2, frame.y + frame.height * 0.4);
  await page.waitForURL(`**/${id}`);
});

test('a card shows the state only in lists of several states, and no favorite button to a provider', async () => {
  const { token } = await post({ title: 'A walk along the river', state: 'NV', city: 'Sparks' });
  await waitForRead(api);
  const page = await open('/listings?q=river');
  await card(page, 'A walk along the river').getByText('Sparks, NV').waitFor();
  await page.goto('/city/nv/sparks');
  await card(page, 'A walk along the river').waitFor();
  expect(await page.getByText('Sparks, NV').count()).toBe(0);
  await page.setViewportSize(PHONE);
  await page.getByRole('button', { name: 'Filters', exact: true }).waitFor();
  await context.close();

  context = await openVisitor(browser, product.url, { token, viewport: PHONE });
  const dashboard = await context.newPage();
  await dashboard.goto('/provider-profile');
  await card(dashboard, 'A walk along the river').waitFor();
  expect(await dashboard.getByRole('button', { name: /to favorites$/u }).count()).toBe(0);
});

test('the contact card on a phone contains the button that shows the contact', async () => {
  const { id } = await post({ title: 'A call away', phone: '+1 702 555 0143' });
  await waitForRead(api);
  const page = await open(`/ad/${id}`, PHONE);
  await page.getByRole('region', { name: 'Contact' }).getByRole('button', { name: 'Show contact' }).waitFor();
});
