import { UPLOAD_STATUS_LIFETIME_ms } from '@alpenglow/domain';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeDialog, openVisitor, sharedBrowser } from '../support/browser.ts';
import { extendTimers } from '../support/browser-failures.ts';
import { newestCode } from '../support/browser-inbox.ts';
import { GPS_LATITUDE, pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * Performs the main flow in a real browser. A provider signs up and posts an ad with a photo. The provider then edits
 * and deletes the ad. A visitor sees these changes live.
 */
const UPDATED =
  'Ad updated successfully! Would you like to view your updated ad? Click OK to view, Cancel to go to profile.';

let product: TestProduct;
let browser: Browser;
const problems: string[] = [];

beforeAll(async () => {
  product = await startTestProduct();
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

/** Opens a new visitor in a separate browser profile and records console problems. */
async function newVisitor(name: string, viewport: { width: number; height: number }): Promise<Page> {
  const context = await openVisitor(browser, product.url, { viewport, hasPassedGates: false });
  const page = await context.newPage();
  // A busy test may check the page only after the usual lifetime of the status of an upload.
  await extendTimers(page, UPLOAD_STATUS_LIFETIME_ms);
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${name}: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => problems.push(`${name}: ${error.message}`));
  return page;
}

async function passGates(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'I am 18+ — Enter' }).click();
  await page.getByRole('button', { name: 'Accept & Continue' }).click();
  await page.getByRole('button', { name: 'Essential only' }).click();
}

const card = (page: Page, title: string) => page.getByRole('link', { name: new RegExp(title, 'u') });

test('a provider posts an ad with a photo, and visitors see it at once', async () => {
  const provider = await newVisitor('provider', { width: 390, height: 844 });
  const watcher = await newVisitor('watcher', { width: 1280, height: 900 });

  await watcher.goto('/listings');
  await passGates(watcher);
  await watcher.getByRole('heading', { level: 1 }).waitFor();

  await provider.goto('/');
  await passGates(provider);
  expect(
    await provider.evaluate(() => [
      localStorage.getItem('age_ok'),
      localStorage.getItem('guidelines_accepted'),
      localStorage.getItem('cookie_consent'),
    ]),
  ).toEqual(['true', 'true', expect.stringMatching(/"analytics":false/u)]);
  await provider.reload();
  await provider.getByRole('heading', { level: 1 }).waitFor();
  expect(await provider.getByRole('button', { name: 'I am 18+ — Enter' }).count(), 'choices are stored').toBe(0);

  // The provider signs up and verifies the e-mail address.
  await provider.goto('/signup');
  await provider.getByRole('radio', { name: /Provider/u }).check();
  await provider.getByLabel('Display name').fill('Anna');
  await provider.getByRole('spinbutton', { name: 'Age' }).fill('30');
  await provider.getByRole('textbox', { name: 'E-mail' }).fill('anna@example.com');
  await provider.getByLabel('Password').fill('correct horse');
  await provider.getByRole('button', { name: /Sign up|Create/iu }).click();
  await provider.waitForURL('**/verify-email');
  const code = await newestCode(product.url, 'anna@example.com');
  await provider.getByRole('textbox').first().fill(code);
  await provider.getByRole('button', { name: /Verify|Confirm/u }).click();
  await provider.waitForURL((url) => url.pathname !== '/verify-email');
  expect(await provider.evaluate(() => localStorage.getItem('vpsAuthToken'))).toMatch(/^[\w-]{43}$/u);

  // The provider posts an ad.
  await provider.goto('/post-ad');
  await provider.getByRole('heading', { name: 'Post Your Ad' }).waitFor();
  const city = provider.getByLabel('City');
  expect(await city.isDisabled(), 'the city is disabled before a state is chosen').toBe(true);
  await provider.getByRole('textbox', { name: 'Name', exact: true }).fill('Anna, 30');
  await provider.getByLabel('Title').fill('An evening by the lake');
  await provider.getByLabel('Category').selectOption('companion');
  await provider.getByLabel('State').selectOption('NV');
  await city.selectOption('Reno');
  await provider.getByLabel('Description').fill('Calm and kind company.');
  const photo = await pictures.withGps();
  expect(photo.includes(GPS_LATITUDE), 'the photo contains its location').toBe(true);
  await provider
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'lake.jpg', mimeType: 'image/jpeg', buffer: photo });
  await provider.getByText('Photo uploaded').first().waitFor();

  // The visitor waits for the toasts in parallel with the other actions, because toasts disappear after a
  // while.
  await Promise.all([
    watcher.getByText('New ad posted!').waitFor(),
    provider
      .getByRole('button', { name: 'Post Ad' })
      .click()
      .then(() => closeDialog(provider, 'Ad posted successfully!', 'OK')),
    provider.waitForURL('**/provider-ad/*'),
  ]);
  const adId = new URL(provider.url()).pathname.split('/').at(-1) ?? '';
  await provider
    .getByRole('heading', { name: /An evening by the lake|Anna/u })
    .first()
    .waitFor();

  // Visitors see the ad without a reload.
  await card(watcher, 'An evening by the lake').first().waitFor();

  // The served photo contains no metadata.
  const { data } = (await (await fetch(`${product.url}/api/ads/${adId}`)).json()) as { data: { photos: string[] } };
  expect(data.photos).toHaveLength(1);
  for (const width of [320, 640, 1600]) {
    for (const format of ['jpg', 'webp', 'avif']) {
      const address = new URL(data.photos[0] ?? '', product.url).href.replace('1600.jpg', `${width}.${format}`);
      // On a busy machine, the upload is acknowledged before all variants exist, so the request is repeated.
      await expect.poll(async () => (await fetch(address, { method: 'HEAD' })).status, { message: address }).toBe(200);
      const served = Buffer.from(await (await fetch(address)).arrayBuffer());
      expect(served.length, address).toBeGreaterThan(100);
      expect((await sharp(served).metadata()).exif, address).toBeUndefined();
      for (const secret of ['AlpenCam', 'Somebody', 'secret-source'])
        expect(served.includes(secret), `${address}: ${secret}`).toBe(false);
    }
  }

  // The product rejects a second ad.
  await provider.goto('/post-ad');
  await provider.getByText('Ad Already Posted').waitFor();

  // The provider edits the ad.
  await provider.goto(`/edit/${adId}`);
  await provider.getByRole('heading', { name: 'Edit Your Ad' }).waitFor();
  await provider.getByText('Existing').first().waitFor();
  await provider.getByLabel('Title').fill('A morning by the lake');
  await Promise.all([
    watcher.getByText('Ad updated!').waitFor(),
    provider
      .getByRole('button', { name: 'Update Ad' })
      .click()
      .then(() => closeDialog(provider, UPDATED, 'OK')),
    provider.waitForURL('**/provider-ad/*'),
  ]);
  await card(watcher, 'A morning by the lake').first().waitFor();

  // Bumping the ad is rejected, and the page shows the time until the next possible bump.
  await provider.goto('/provider-profile');
  await provider
    .getByText(/2\d:\d\d|2\d min/u)
    .first()
    .waitFor();
  const rejection = await provider.evaluate(
    async ([id, token]) =>
      (
        await fetch(`/api/ads/${id}/bump`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
      ).json() as Promise<{ message: string }>,
    [adId, await provider.evaluate(() => localStorage.getItem('vpsAuthToken'))] as const,
  );
  expect(rejection.message).toMatch(/^You can bump your ad again in 2\d min/u);
  problems.splice(0, problems.length, ...problems.filter((problem) => !/429/u.test(problem)));

  // The provider deletes the ad. The ad disappears in both windows.
  await provider
    .getByRole('button', { name: /Delete/u })
    .first()
    .click();
  await provider
    .getByRole('alertdialog')
    .or(provider.getByRole('dialog'))
    .getByRole('button', { name: /Delete/u })
    .click();
  await watcher.getByText('Ad removed!').waitFor();
  await card(watcher, 'A morning by the lake').first().waitFor({ state: 'detached' });
  await provider.goto(`/ad/${adId}`);
  await provider.getByText('Ad not found').first().waitFor();
  problems.splice(0, problems.length, ...problems.filter((problem) => !/404/u.test(problem)));

  expect(problems, 'the console has no errors or warnings').toEqual([]);
});
