import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { createApiClient, type ApiClient } from '../support/api-client.ts';
import { populate, type World } from '../support/people.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** The order of the moderation queue while a moderator uses it. */
let product: TestProduct;
let browser: Browser;
let world: World;
let client: ApiClient;
const adIds: Record<string, string> = {};

beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url);
  client = createApiClient(product.url);
  for (const [index, title] of ['The first ad', 'The second ad', 'The third ad'].entries()) {
    const provider = await client.signUp('provider', { email: `p${index}@example.com`, displayName: `P${index}` });
    adIds[title] = (await client.postAd(provider.token, { title })).id;
  }
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

async function report(title: string, reason: string): Promise<void> {
  const { status } = await client.call('POST', '/api/reports', {
    body: { subject: { kind: 'ad', id: adIds[title] }, reason, text: null },
  });
  expect(status).toBe(201);
}
async function keep(title: string): Promise<void> {
  const path = `/api/admin/moderation/cases/ad-${adIds[title] ?? ''}`;
  const token = world.tokenOf('admin') ?? '';
  expect((await client.call('POST', `${path}/claim`, { token })).status).toBe(200);
  const { status } = await client.call('POST', `${path}/decide`, {
    token,
    body: { outcome: 'kept', rule: 'other', facts: 'Nothing is wrong.' },
  });
  expect(status).toBe(200);
}
const titles = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('link', { name: /^Ad: The/u })
    .allInnerTexts();

test('the rows stay under the pointer, and the current order follows when it leaves', async () => {
  await report('The first ad', 'spam');
  await report('The second ad', 'spam');
  const page = await (await openVisitor(browser, product.url, { token: world.tokenOf('moderator') })).newPage();
  await page.goto('/admin/moderation');
  await expect.poll(() => titles(page), { timeout: MAX_WAIT_ms }).toEqual(['Ad: The first ad', 'Ad: The second ad']);

  const second = page.getByRole('link', { name: 'Ad: The second ad' });
  await second.hover();
  const { y } = (await second.boundingBox()) ?? { y: 0 };
  // An urgent case is first in the queue, and a decided one leaves it.
  await report('The third ad', 'under_age');
  await keep('The first ad');
  await page.getByRole('button', { name: '1 new case' }).waitFor();
  await page.getByText('No longer in this queue').waitFor();
  expect(await titles(page)).toEqual(['Ad: The first ad', 'Ad: The second ad']);
  expect((await second.boundingBox())?.y).toBe(y);

  await page.mouse.move(5, 5);
  await expect.poll(() => titles(page), { timeout: MAX_WAIT_ms }).toEqual(['Ad: The third ad', 'Ad: The second ad']);
  expect(await page.getByText('No longer in this queue').count()).toBe(0);
});
