import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type Person } from '../support/api.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { main, waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * An admin reads the history of an ad, with earlier versions, differences, ranking and files. The admin also reads the
 * transparency report.
 */
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
  const editResponse = await api.call('PUT', `/api/ads/${id}`, {
    token: provider.token,
    body: { title: 'Second words', price: '200' },
  });
  expect(editResponse.status).toBe(200);
  await api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id }, reason: 'spam' } });
  await waitForRead(api);
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

it('an ad shows its earlier versions, the differences between them and who made each change', async () => {
  await page.goto(`/admin/ads/${adId}`);
  await headingOf(page).getByText('Ad history').waitFor();
  await main(page).getByText('Second words').first().waitFor();
  await main(page).getByText('Rank 1 of 1 in Las Vegas, NV: Escort.').waitFor();

  await main(page).getByRole('button', { name: 'Previous event', exact: true }).click();
  await page.waitForURL(/\?at=/u);
  const earlierTitle = main(page).locator('dd', { hasText: 'First words' });
  await earlierTitle.waitFor();
  await expect
    .poll(() => main(page).getByRole('button', { name: 'Previous event', exact: true }).isDisabled())
    .toBe(true);

  await main(page)
    .getByRole('button', { name: /^Compare with “Edited”/u })
    .click();
  const difference = region('Comparison');
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

  // The End key moves the slider to the present.
  await main(page).getByRole('slider', { name: 'Point in time' }).press('End');
  await main(page).locator('dd', { hasText: 'Second words' }).waitFor();
  watch.expectNoProblems();
});

it('the transparency report counts the report in the selected period', async () => {
  await page.goto('/admin/transparency');
  await region('Reports by subject and reason').getByRole('row', { name: 'Ad Spam 1' }).waitFor();
  await main(page).getByRole('button', { name: 'Last month', exact: true }).click();
  await page.waitForURL(/from=\d{4}-\d\d-01/u);
  await expect.poll(() => region('Reports by subject and reason').count()).toBe(0);
  watch.expectNoProblems();
});
