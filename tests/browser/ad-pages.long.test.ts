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

test('a landscape photo next to a portrait photo has no bars', async () => {
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
  expect(backgrounds).toEqual(['rgba(0, 0, 0, 0)', 'none']);
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
