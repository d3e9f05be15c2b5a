import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { sharedBrowser, withVisitor } from '../support/browser.ts';
import { UPLOAD_RETRY_WAITS_ms, UPLOAD_STATUS_LIFETIME_ms } from '@alpenglow/domain';
import {
  extendTimers,
  respondWith,
  shortenTimeLimits,
  injectFailure,
  noResponse,
} from '../support/browser-failures.ts';
import { populate, type Visitor, type World } from '../support/people.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * Causes messages of the rules, at least one for each action. Unit tests of `ui`
 * and `mf-post-ad` check the other texts. Each message has a user role and actions that lead to it.
 */
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

interface Situation {
  readonly as: Visitor;
  /** Performs the actions that lead to the message. Injects a failure first if necessary. */
  readonly act: (page: Page) => Promise<unknown>;
}
const as = (visitor: Visitor, act: Situation['act']): Situation => ({ as: visitor, act });

const at = async (page: Page, address: string) => {
  await page.goto(address);
  await headingOf(page).first().waitFor();
};
/**
 * Opens the list of ads from another page. The first page of a visit contains its data in the HTML, so it would send no
 * request that can fail.
 */
async function browse(page: Page): Promise<void> {
  await at(page, '/about');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Browse' }).click();
}
const press = (page: Page, name: string | RegExp) =>
  page.getByRole('main').getByRole('button', { name }).first().click();

async function logIn(page: Page): Promise<void> {
  if (!page.url().endsWith('/login')) await at(page, '/login');
  await page.getByRole('textbox', { name: 'E-mail' }).fill('somebody@example.com');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await press(page, 'Log in');
}

async function signUp(page: Page): Promise<void> {
  await at(page, '/signup');
  await page.getByRole('radio', { name: /Client/u }).check();
  await page.getByLabel('Display name').fill('Somebody');
  await page.getByRole('spinbutton', { name: 'Age' }).fill('30');
  await page.getByRole('textbox', { name: 'E-mail' }).fill('somebody@example.com');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await press(page, 'Sign up');
}

async function openForm(page: Page): Promise<void> {
  await at(page, '/post-ad');
  await page.getByRole('button', { name: 'Post Ad' }).waitFor();
}

async function fillForm(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Berta');
  await page.getByLabel('Title').fill('A walk in the woods');
  await page.getByLabel('Category').selectOption('companion');
  await page.getByLabel('State').selectOption('NV');
  await page.getByLabel('City').selectOption('Reno');
  await page.getByLabel('Description').fill('Calm and kind company.');
}

async function post(page: Page): Promise<void> {
  await openForm(page);
  await fillForm(page);
  await press(page, 'Post Ad');
}

async function update(page: Page): Promise<void> {
  await at(page, `/edit/${world.ad.id}`);
  await page.getByLabel('Title').fill('Another title');
  await press(page, 'Update Ad');
}

const photoInput = (page: Page) => page.locator('input[type=file]').first();
const photo = async (name = 'photo.jpg') => ({ name, mimeType: 'image/jpeg', buffer: await pictures.jpeg(80, 60) });

async function addPhoto(page: Page): Promise<void> {
  await openForm(page);
  await photoInput(page).setInputFiles(await photo());
}

/** Opens the dashboard with an ad that can be bumped, because its last bump was long ago. */
async function openBumpable(page: Page): Promise<void> {
  await page.route('**/api/ads/user*', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: Record<string, unknown>[] };
    await route.fulfill({
      response,
      json: { ...body, data: body.data.map((ad) => ({ ...ad, lastBumpedAt: '2026-01-01T00:00:00.000Z' })) },
    });
  });
  await at(page, '/provider-profile');
}

async function requestDeletion(page: Page): Promise<void> {
  await at(page, '/provider-profile');
  await press(page, 'Delete');
  await page.getByRole('dialog').or(page.getByRole('alertdialog')).getByRole('button', { name: 'Delete ad' }).click();
}

const heart = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('button', { name: /^Save .+ to favorites|^Save$/u })
    .first()
    .click();
const oneAd = () => `GET /api/ads/${world.ad.id}` as const;

const SITUATIONS: readonly (readonly [message: string, situation: Situation])[] = [
  [
    'Login failed',
    as('guest', async (page) => (await injectFailure(page, 'POST /api/auth/login', respondWith(401, {})), logIn(page))),
  ],
  [
    'Request was cancelled. Please try again.',
    as('guest', async (page) => {
      await injectFailure(page, 'POST /api/auth/login', noResponse);
      await at(page, '/login');
      await shortenTimeLimits(page);
      await logIn(page);
    }),
  ],
  [
    'Signup failed',
    as(
      'guest',
      async (page) => (await injectFailure(page, 'POST /api/auth/signup', respondWith(400, {})), signUp(page)),
    ),
  ],
  [
    'HTTP 503',
    as(
      'admin',
      async (page) => (await injectFailure(page, 'GET /api/health', respondWith(503, '')), at(page, '/admin')),
    ),
  ],
  [
    'Verification failed',
    as('unverified', async (page) => {
      await injectFailure(page, 'POST /api/auth/verify-email', respondWith(400, {}));
      await at(page, '/verify-email');
      await page.getByRole('main').getByRole('textbox').first().fill('123456');
      await page.getByRole('button', { name: /^Verify/u }).click();
    }),
  ],
  [
    'Failed to resend verification code',
    as('unverified', async (page) => {
      await injectFailure(page, 'POST /api/auth/resend-verification', respondWith(500, {}));
      await at(page, '/verify-email');
      await press(page, 'Send a new code');
    }),
  ],

  [
    'Error loading ads',
    as(
      'client',
      async (page) => (await injectFailure(page, oneAd(), respondWith(400, {})), page.goto(`/ad/${world.ad.id}`)),
    ),
  ],
  [
    'Failed to load user ads',
    as(
      'provider',
      async (page) => (await injectFailure(page, 'GET /api/ads/user', respondWith(400, {})), at(page, '/my-ads')),
    ),
  ],
  [
    'Failed to create ad',
    as(
      'newcomer',
      async (page) => (await injectFailure(page, 'POST /api/ads', respondWith(200, { success: false })), post(page)),
    ),
  ],
  [
    'Failed to update ad',
    as(
      'provider',
      async (page) => (await injectFailure(page, 'PUT /api/ads/*', respondWith(200, { success: false })), update(page)),
    ),
  ],
  [
    'Failed to delete ad',
    as(
      'provider',
      async (page) => (await injectFailure(page, 'DELETE /api/ads/*', respondWith(500, {})), requestDeletion(page)),
    ),
  ],
  [
    'Error bumping ad',
    as(
      'provider',
      async (page) => (
        await injectFailure(page, 'POST /api/ads/*/bump', respondWith(500, {})),
        await openBumpable(page),
        press(page, 'Bump to top')
      ),
    ),
  ],
  [
    'Error getting sync status',
    as(
      'admin',
      async (page) => (await injectFailure(page, 'GET /api/sync/status', respondWith(400, {})), at(page, '/admin')),
    ),
  ],
  [
    'Error forcing sync',
    as(
      'admin',
      async (page) => (
        await injectFailure(page, 'POST /api/sync/force', respondWith(500, {})),
        await at(page, '/admin'),
        press(page, /now|catch|force/iu)
      ),
    ),
  ],
  [
    'Error adding to favorites',
    as(
      'client',
      async (page) => (
        await injectFailure(page, 'POST /api/favorites', respondWith(500, {})),
        await at(page, `/ad/${world.ad.id}`),
        heart(page)
      ),
    ),
  ],

  [
    'You already have a visible ad. You can only post one ad at a time.',
    as('provider', (page) => at(page, '/post-ad')),
  ],
  [
    'Please fill in all required fields',
    as('newcomer', async (page) => (await openForm(page), press(page, 'Post Ad'))),
  ],

  [
    'Upload in progress...',
    as('newcomer', async (page) => (await injectFailure(page, 'POST /api/uploads/photos', noResponse), addPhoto(page))),
  ],
  [
    'Upload attempt 1 failed: Upload failed: 500 the disk is full. Retrying in 2s...',
    as(
      'newcomer',
      async (page) => (
        await injectFailure(page, 'POST /api/uploads/photos', respondWith(500, 'the disk is full')), addPhoto(page)
      ),
    ),
  ],
  [
    'Upload attempt 1 failed: Upload timeout - please try again. Retrying in 2s...',
    as('newcomer', async (page) => {
      await injectFailure(page, 'POST /api/uploads/photos', noResponse);
      await openForm(page);
      await shortenTimeLimits(page);
      await photoInput(page).setInputFiles(await photo());
    }),
  ],
  [
    'Photo upload failed',
    as(
      'newcomer',
      async (page) => (
        await injectFailure(page, 'POST /api/uploads/photos', respondWith(415, 'not like this')), addPhoto(page)
      ),
    ),
  ],
  [
    'Please select an image file (JPG, PNG, GIF)',
    as(
      'newcomer',
      async (page) => (
        await openForm(page),
        photoInput(page).setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') })
      ),
    ),
  ],

  // The following messages are not caused by a failed request.
  [
    'Unexpected Application Error!',
    as(
      'client',
      async (page) => (
        await injectFailure(
          page,
          'GET /api/ads',
          respondWith(200, { success: true, data: [{ id: 'half an ad' }], nextCursor: null }),
        ),
        browse(page)
      ),
    ),
  ],
  [
    'Unexpected Application Error!',
    as(
      'client',
      async (page) => (
        await injectFailure(page, oneAd(), respondWith(200, { success: true, data: { id: world.ad.id } })),
        page.goto(`/ad/${world.ad.id}`)
      ),
    ),
  ],
];

describe.concurrent('the message is shown', () => {
  it.each(SITUATIONS)('%s', async (message, situation) => {
    await withVisitor(browser, product.url, { token: world.tokenOf(situation.as) }, async (context) => {
      const page = await context.newPage();
      page.on('dialog', (dialog) => void dialog.accept());
      // Some messages are shown only briefly, so the test waits for them from the start. They stay longer than usual,
      // because a busy test checks the page less often.
      for (const wait_ms of [UPLOAD_STATUS_LIFETIME_ms, ...UPLOAD_RETRY_WAITS_ms]) await extendTimers(page, wait_ms);
      await Promise.all([
        page.getByText(message, { exact: true }).filter({ visible: true }).first().waitFor(),
        situation.act(page),
      ]);
    });
  });
});
