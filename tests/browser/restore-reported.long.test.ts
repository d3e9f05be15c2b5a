import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { createApiClient, type ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { populate, type Visitor, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** An admin restores everything that reports have hidden, in one step. */

const REASON = 'These reports were a coordinated attack.';

let product: TestProduct;
let browser: Browser;
let world: World;
let client: ApiClient;
let secondAd: string;

beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url);
  client = createApiClient(product.url);
  const provider = await client.signUp('provider', { email: 'dana@example.com', displayName: 'Dana' });
  secondAd = (await client.postAd(provider.token, { title: 'A walk in the park' })).id;
  for (const id of [world.ad.id, secondAd]) {
    const filed = await client.call('POST', '/api/reports', {
      body: { subject: { kind: 'ad', id }, reason: 'under_age', text: null },
    });
    expect(filed.status).toBe(201);
  }
  browser = await sharedBrowser();
});
afterAll(() => product?.stop());
afterEach(() => closeVisitors());

async function openQueue(visitor: Visitor) {
  const context = await openVisitor(browser, product.url, { token: world.tokenOf(visitor) });
  const page = await context.newPage();
  await page.goto('/admin/moderation');
  await headingOf(page).first().waitFor();
  await page.getByRole('link', { name: 'Ad: A walk in the park' }).waitFor();
  return page;
}
const statusesOf = async () =>
  Promise.all([world.ad.id, secondAd].map(async (id) => (await client.call('GET', `/api/ads/${id}`)).status));

test('an admin restores all content that reports have hidden, and the cases stay open', async () => {
  await eventually(async () => expect(await statusesOf()).toEqual([404, 404]));
  const moderator = await openQueue('moderator');
  expect(await moderator.getByRole('button', { name: /^Restore content hidden by reports/u }).count()).toBe(0);

  const page = await openQueue('admin');
  const restore = page.getByRole('button', { name: 'Restore content hidden by reports (2)' });
  await restore.click();
  const dialog = page.getByRole('dialog', { name: 'Restore 2 items hidden by reports?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await statusesOf()).toEqual([404, 404]);

  await restore.click();
  await dialog.getByRole('textbox').fill(REASON);
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('2 items are visible again').first().waitFor();
  await eventually(async () => expect(await statusesOf()).toEqual([200, 200]));
  await restore.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Ad: A walk in the park' }).waitFor();
  await page.getByRole('link', { name: `Ad: ${world.ad.title}` }).click();
  await page.getByText(REASON).first().waitFor();
});
