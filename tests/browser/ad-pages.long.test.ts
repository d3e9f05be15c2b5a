import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { closeDialog, openVisitor, sharedBrowser, trackLiveChannel, type VisitorOptions } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { upload } from '../support/uploads.ts';

/** Tests posting, finding and reading an ad in a real browser. */

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

async function open(path: string, options: VisitorOptions = {}): Promise<Page> {
  const context = await openVisitor(browser, product.url, options);
  const page = await context.newPage();
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

/** Posts an ad, and waits until all reads contain it. Returns its id. */
async function postAd(token: string, fields: Readonly<Record<string, unknown>>): Promise<string> {
  const { id } = await api.postAd(token, fields);
  await waitForRead(api);
  return id;
}

describe('the form of an ad', () => {
  test('has a price and a physique, which the ad and the price filter use', async () => {
    const { token } = await api.signUp('provider', { displayName: 'Berta' });
    const page = await open('/post-ad', { token });
    await page.getByText('Your ad shows your age: 30.').waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Berta');
    await page.getByLabel('Title').fill('An evening in Henderson');
    await page.getByLabel('Category').selectOption('companion');
    await page.getByLabel('State').selectOption('NV');
    await page.getByLabel('City').selectOption('Henderson');
    await page.getByLabel('Description').fill('Calm and kind company.');
    await page.getByLabel('Physique').fill('Slim, 168 cm');
    await page.getByLabel('Price').fill('-100');
    await page.getByRole('button', { name: 'Post Ad' }).click();
    const main = page.getByRole('main');
    await main.getByText('The price cannot be negative').first().waitFor();
    await page.getByLabel('Price').fill('200 / h');
    await page.getByRole('button', { name: 'Post Ad' }).click();
    await closeDialog(page, 'Ad posted successfully!', 'OK');
    await page.waitForURL('**/provider-ad/*');
    await main.getByText('$200/h', { exact: true }).waitFor();
    await main.getByText('Slim, 168 cm').waitFor();
    await main.getByText('30', { exact: true }).waitFor();

    await page.goto('/listings?minPrice=150&maxPrice=250');
    await main.getByRole('link', { name: 'Berta An evening in Henderson' }).waitFor();

    await page.goto('/my-ads');
    await main.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByRole('heading', { name: 'Edit Your Ad' }).waitFor();
    expect(await page.getByLabel('Price').inputValue()).toBe('200 / h');
    expect(await page.getByLabel('Physique').inputValue()).toBe('Slim, 168 cm');
  });

  test('shows its success in a dialog that a reload closes without a second ad', async () => {
    const { token } = await api.signUp('provider');
    const page = await open('/post-ad', { token });
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Clara');
    await page.getByLabel('Title').fill('Posted before a reload');
    await page.getByLabel('Category').selectOption('companion');
    await page.getByLabel('State').selectOption('NV');
    await page.getByLabel('City').selectOption('Reno');
    await page.getByLabel('Description').fill('Calm and kind company.');
    await page.getByRole('button', { name: 'Post Ad' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ad posted successfully!', exact: true });
    await dialog.waitFor();
    expect(await dialog.getByRole('button').allTextContents()).toEqual(['OK']);
    await page.reload();
    await page.getByText('Ad Already Posted').waitFor();
  });
});

describe('an ad without photos', () => {
  test('shows the first letter of the name and no stock pictures', async () => {
    const { token } = await api.signUp('provider', { displayName: 'Anna' });
    const id = await postAd(token, { title: 'No photos here', name: 'élodie', state: 'NV', city: 'Sparks' });
    const page = await open(`/ad/${id}`, { viewport: { width: 390, height: 844 } });
    const main = page.getByRole('main');
    // Below the ad, there are cards of other ads, which may have no photos either.
    const ad = main.getByRole('article').first();
    await ad.getByText('No photos yet').waitFor();
    await ad.getByText('É', { exact: true }).waitFor();
    expect(await ad.locator('img').count()).toBe(0);
    expect(await main.getByText('1 / 3').count()).toBe(0);

    await page.goto('/city/NV/Sparks');
    await main.getByRole('link', { name: /No photos here/u }).waitFor();
    const card = main.getByRole('article').filter({ hasText: 'No photos here' });
    expect(await card.getByText('No photos yet').count()).toBe(1);
    const { body } = await api.call('GET', `/api/ads/${id}`);
    expect(body['data']).toMatchObject({ media: [], photos: [expect.stringContaining('demo-01'), {}, {}] });
  });
});

test('a photo is never enlarged, and the stage has the shape of a landscape photo', async () => {
  const { token } = await api.signUp('provider');
  const { body } = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(300, 200) }], token);
  const id = await postAd(token, { title: 'A small photo', photos: body['urls'] });
  const page = await open(`/ad/${id}`, { viewport: { width: 1280, height: 900 } });
  const photo = page.getByRole('main').getByRole('img').first();
  await expect
    .poll(() => photo.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0))
    .toBe(true);
  const box = await photo.boundingBox();
  expect([box?.width, box?.height]).toEqual([300, 200]);
  const stage = await photo.evaluate((image) => {
    const { width, height } = (image.closest('li') as HTMLElement).getBoundingClientRect();
    return width / height;
  });
  expect(stage).toBeCloseTo(1.5, 1);

  // In a list, the card is wider than this photo, so the card's plain surface is visible around the photo.
  await page.goto('/listings?q=small+photo');
  const card = page.getByRole('main').getByRole('article').filter({ hasText: 'A small photo' });
  const cover = card.locator('img');
  await expect.poll(() => cover.evaluate((image: HTMLImageElement) => image.naturalHeight > 0)).toBe(true);
  const shown = await cover.boundingBox();
  expect(shown?.height).toBe(200);
  expect(await cover.evaluate((image) => getComputedStyle(image).objectFit)).toBe('cover');
});

test('a landscape photo next to a portrait photo has its own colors as backdrop, and no bars', async () => {
  const { token } = await api.signUp('provider');
  const { body } = await upload(
    product.url,
    'photos',
    [{ bytes: await pictures.jpeg(900, 600) }, { bytes: await pictures.jpeg(600, 900) }],
    token,
  );
  const id = await postAd(token, { title: 'Two shapes', photos: body['urls'] });
  const page = await open(`/ad/${id}`, { viewport: { width: 1280, height: 900 } });
  const photo = page.getByRole('main').getByRole('img').first();
  await expect.poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth > 0)).toBe(true);
  const backgrounds = await photo.evaluate((image) => {
    const colors: string[] = [];
    for (let element: Element | null = image; element && element.tagName !== 'SECTION'; element = element.parentElement)
      colors.push(getComputedStyle(element).backgroundColor, getComputedStyle(element).backgroundImage);
    return [...new Set(colors)];
  });
  expect(backgrounds).toEqual(['rgba(0, 0, 0, 0)', 'none', expect.stringMatching(/^url\("data:image\/webp;base64,/u)]);
});

describe('on a phone', () => {
  const viewport = { width: 390, height: 844 };

  test('price and rating of an ad stay visible at the bottom, and a card says who is online', async () => {
    const { token } = await api.signUp('provider', { displayName: 'Dora' });
    const id = await postAd(token, {
      title: 'An evening in Elko',
      state: 'NV',
      city: 'Elko',
      price: '200/h',
      description: 'A long text. '.repeat(200),
    });
    const reviewer = await api.signUp('client');
    await api.call('POST', `/api/ads/${id}/reviews`, {
      token: reviewer.token,
      body: { rating: 4, name: 'Robin', comment: 'A calm evening, thank you.' },
    });
    await waitForRead(api);
    const page = await open(`/ad/${id}`, { viewport });
    const bar = page.locator('[data-bottom-bar]');
    for (const scroll of [0, 900]) {
      await page.evaluate((top) => scrollTo({ top }), scroll);
      const box = await bar.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
      for (const text of ['200/h', '4.0']) expect(await bar.getByText(text).isVisible(), text).toBe(true);
    }

    await page.goto('/city/NV/Elko');
    const card = page.getByRole('main').getByRole('article').filter({ hasText: 'An evening in Elko' });
    await card.getByText('Online now').waitFor();
    await card.getByText('4.0').waitFor();
  });

  test('a card says "Active today" ten minutes after the last change', async () => {
    const { token } = await api.signUp('provider');
    await postAd(token, { title: 'A morning in Ely', state: 'NV', city: 'Ely' });
    const context = await openVisitor(browser, product.url, { viewport });
    const page = await context.newPage();
    await page.clock.install();
    await page.goto('/city/NV/Ely');
    const card = page.getByRole('main').getByRole('article').filter({ hasText: 'A morning in Ely' });
    await card.getByText('Online now').waitFor();
    await page.clock.fastForward('11:00');
    await card.getByText('Active today').waitFor();
    expect(await card.getByText('Online now').count()).toBe(0);
  });

  test('the buttons that save or cancel an edit are in reach without scrolling', async () => {
    const { token } = await api.signUp('provider');
    const id = await postAd(token, { title: 'An hour in Elko' });
    const page = await open(`/edit/${id}`, { viewport, token });
    for (const name of ['Update Ad', 'Cancel']) {
      const box = await page.getByRole('button', { name, exact: true }).last().boundingBox();
      expect(box?.y, name).toBeGreaterThan(0);
      expect((box?.y ?? Infinity) + (box?.height ?? 0), name).toBeLessThanOrEqual(viewport.height);
    }
  });

  test('the head of a city counts the ads that match the filter', async () => {
    const { token } = await api.signUp('provider');
    await postAd(token, { title: 'Quiet company', state: 'NV', city: 'Pahrump', price: '100/h' });
    const other = await api.signUp('provider');
    await postAd(other.token, { title: 'Loud company', state: 'NV', city: 'Pahrump', price: '900/h' });
    const page = await open('/city/NV/Pahrump?maxPrice=200', { viewport });
    await page.getByRole('main').getByText('1 of 2').first().waitFor();
  });

  test('an address of a removed ad differs from a wrong one, and offers ads of the same place', async () => {
    const { token } = await api.signUp('provider');
    const id = await postAd(token, { title: 'Soon gone', state: 'NV', city: 'Mesquite' });
    const other = await api.signUp('provider');
    await postAd(other.token, { title: 'Still there', state: 'NV', city: 'Mesquite' });
    const { body } = await api.call('GET', `/api/ads/${id}`);
    expect(body['data']).toMatchObject({ title: 'Soon gone' });
    await api.call('DELETE', `/api/ads/${id}`, { token });
    await waitForRead(api);
    const page = await open(`/escorts/nv/mesquite/soon-gone/${id}`, { viewport });
    const main = page.getByRole('main');
    await main.getByText('This ad is no longer online').waitFor();
    await main.getByRole('link', { name: /Still there/u }).waitFor();
    await page.goto(`/ad/${id}`);
    await main.getByText('This ad is no longer online').waitFor();
    await main
      .getByRole('region', { name: /Mesquite/u })
      .getByRole('link', { name: /Still there/u })
      .waitFor();
    // An ad with this id never existed.
    await page.goto(`/ad/${id.replace(/.$/u, (last) => (last === '0' ? '1' : '0'))}`);
    await main.getByText('No ad has this address').waitFor();
    await main
      .getByRole('region', { name: 'Recently active' })
      .getByRole('link', { name: /Still there/u })
      .waitFor();
    await page.goto('/ad/no-such-ad');
    await main.getByText('No ad has this address').waitFor();
  });
});

describe('a view of an ad', () => {
  /** Records the requests of a page that count views. */
  function recordViews(page: Page): readonly string[] {
    const paths: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (request.method() === 'POST' && pathname.endsWith('/views')) paths.push(pathname);
    });
    return paths;
  }

  test('is counted once, after the visitor has accepted both questions', async () => {
    const { token } = await api.signUp('provider');
    const id = await postAd(token, { title: 'Before the change' });
    const context = await openVisitor(browser, product.url, { hasPassedGates: false });
    const page = await context.newPage();
    const paths = recordViews(page);
    const whenSubscribed = await trackLiveChannel(page);
    await page.goto(`/ad/${id}`);
    await whenSubscribed({ kind: 'ad', adId: id });
    await page.getByRole('button', { name: 'I am 18+ — Enter' }).click();
    await page.getByRole('button', { name: 'Accept & Continue' }).waitFor();
    expect(paths).toEqual([]);
    const counted = page.waitForResponse(`**/api/ads/${id}/views`);
    await page.getByRole('button', { name: 'Accept & Continue' }).click();
    expect((await counted).status()).toBe(200);

    // The page fetches the changed ad again, but the visitor still sees the same page.
    await api.call('PUT', `/api/ads/${id}`, { token, body: { title: 'After the change' } });
    await page.getByRole('heading', { name: 'After the change' }).waitFor();
    expect(paths).toEqual([`/api/ads/${id}/views`]);

    await expect
      .poll(async () => (await api.call('GET', `/api/ads/${id}`, { token })).body['data'], { timeout: MAX_WAIT_ms })
      .toMatchObject({ views: 1 });
  });

  test('by the owner is not counted', async () => {
    const { token } = await api.signUp('provider');
    const [own, other] = [
      await postAd(token, { title: 'My own ad' }),
      await postAd((await api.signUp('provider')).token, { title: 'Of another provider' }),
    ];
    const context = await openVisitor(browser, product.url, { token });
    const page = await context.newPage();
    const paths = recordViews(page);
    await page.goto(`/ad/${own}`);
    await page.getByRole('heading', { level: 1, name: 'My own ad' }).waitFor();
    await page.getByRole('link', { name: 'Edit', exact: true }).first().waitFor();
    const counted = page.waitForResponse('**/views');
    await page.goto(`/ad/${other}`);
    await counted;
    expect(paths).toEqual([`/api/ads/${other}/views`]);
  });
});
