import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type Person } from '../support/api.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { main, untilRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** An admin looks back: how an ad stood, what differs, why it ranked where it did, the files of it all, and the transparency report. */
let product: TestProduct;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let watch: ConsoleWatch;
let admin: Person;
let adId = '';

beforeAll(async () => {
  product = await startTestProduct();
  const api = apiClient(product.url);
  const provider = await api.signUp('provider', { displayName: 'Anna' });
  admin = await api.signUp('client', { email: 'admin@example.com' });
  const { id } = await api.postAd(provider.token, { title: 'First words' });
  adId = id;
  const edited = await api.call('PUT', `/api/ads/${id}`, {
    token: provider.token,
    body: { title: 'Second words', price: '200' },
  });
  expect(edited.status).toBe(200);
  await untilRead(
    api,
    await api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id }, reason: 'spam' } }),
  );
  browser = await sharedBrowser();
  context = await openVisitor(browser, product.url, { token: admin.token });
  watch = new ConsoleWatch(context, []);
  page = await context.newPage();
});
afterAll(async () => {
  await context?.close();
  await closeVisitors();
  await product?.stop();
});

const region = (name: string) => main(page).getByRole('region', { name, exact: true });

it('an ad stands as it stood, differs from what it was, and tells who did what', async () => {
  await page.goto(`/admin/ads/${adId}`);
  await headingOf(page).getByText('History of an ad').waitFor();
  await main(page).getByText('Second words').first().waitFor();
  await main(page).getByText('Place 1 of 1 in Las Vegas, NV: Escort.').waitFor();

  await main(page).getByRole('button', { name: 'Event before', exact: true }).click();
  await page.waitForURL(/\?at=/u);
  const stood = main(page).locator('dd', { hasText: 'First words' });
  await stood.waitFor();
  await expect
    .poll(() => main(page).getByRole('button', { name: 'Event before', exact: true }).isDisabled())
    .toBe(true);

  await main(page)
    .getByRole('button', { name: /^Compare with “Edited”/u })
    .click();
  const difference = region('Difference');
  await difference.getByRole('row', { name: 'Title First words Second words' }).waitFor();
  await difference.getByRole('row', { name: 'Price – 200' }).waitFor();

  await main(page).getByRole('combobox', { name: 'Events', exact: true }).selectOption({ label: 'Edited' });
  await expect.poll(() => main(page).getByRole('listitem').filter({ hasText: 'Revision' }).count()).toBe(1);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    main(page).getByRole('button', { name: 'Save as CSV', exact: true }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`history-${adId}.csv`);
  expect(await readFile(await download.path(), 'utf8')).toContain('title,First words,Second words');

  // The slider is for the keyboard, too: its end is now.
  await main(page).getByRole('slider', { name: 'Moment' }).press('End');
  await main(page).locator('dd', { hasText: 'Second words' }).waitFor();
  watch.expectSilence();
});

it('the transparency report counts the report, in the period that is chosen', async () => {
  await page.goto('/admin/transparency');
  await region('Reports by subject and reason').getByRole('row', { name: 'Ad Spam 1' }).waitFor();
  await main(page).getByRole('button', { name: 'Last month', exact: true }).click();
  await page.waitForURL(/from=\d{4}-\d\d-01/u);
  await expect.poll(() => region('Reports by subject and reason').count()).toBe(0);
  watch.expectSilence();
});
