import { createJobQueue, openJobBackend } from '@alpenglow/infra';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { main, notice, waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** An admin uses the panel to manage an account, an ad, a verification code and a job. The overview is updated live. */
let product: TestProduct;
let browser: Browser;
let context: BrowserContext;
let watch: ConsoleWatch;
let page: Page;
let api: ApiClient;
let admin: Person;
let provider: Person;

beforeAll(async () => {
  product = await startTestProduct({ adminEmail: 'admin@example.com' });
  api = apiClient(product.url);
  admin = await api.signUp('client', { email: 'admin@example.com' });
  provider = await api.signUp('provider', { email: 'paula@example.com' });
  await api.postAd(provider.token, { title: 'Evenings in Reno' });
  await waitForRead(api);
  browser = await sharedBrowser();
  context = await openVisitor(browser, product.url, { token: admin.token });
  watch = new ConsoleWatch(context);
  page = await context.newPage();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

const at = async (address: string) => {
  await page.goto(address);
  await headingOf(page).first().waitFor();
};
const row = (name: string) => main(page).getByRole('row').filter({ hasText: name });

/** Chooses an action of the menu in a row. */
async function chooseAction(name: string, action: string): Promise<void> {
  await row(name)
    .getByRole('button', { name: `Actions on ${name}` })
    .click();
  await row(name).getByRole('button', { name: action, exact: true }).click();
}

/** Enters a reason in the dialog and confirms the action. */
async function confirm(title: string, action: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.getByRole('button', { name: action, exact: true }).click();
  await dialog.getByText('Please enter a reason').waitFor();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Asked for by its owner');
  await dialog.getByRole('button', { name: action, exact: true }).click();
}

it('the overview is updated live', async () => {
  await at('/admin');
  const users = main(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: 'Users', exact: true }) });
  await users.getByText('2', { exact: true }).waitFor();
  await main(page).getByRole('img', { name: 'Sign-ups per day' }).locator('canvas').waitFor();
  await main(page).getByText('Show as table').first().click();
  await main(page)
    .getByRole('region', { name: 'Sign-ups per day' })
    .getByRole('row')
    .nth(1)
    .getByText('2', { exact: true })
    .waitFor();
  await api.signUp('client', { email: 'later@example.com', verify: false });
  await users.getByText('3', { exact: true }).waitFor();
});

it('a menu stays open while the list for a new search loads', async () => {
  await at('/admin/ads');
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/admin\/ads\?.*q=evenings/u, async (route) => {
    await released;
    await route.continue();
  });
  const requested = page.waitForRequest(/\/admin\/ads\?.*q=evenings/u);
  await main(page).getByRole('searchbox').fill('evenings');
  await requested;
  const menu = row('Evenings in Reno').getByRole('button', { name: 'Actions on Evenings in Reno' });
  await menu.click();
  const table = main(page)
    .locator('[aria-busy]')
    .filter({ has: page.getByRole('table') });
  expect(await table.count()).toBe(1);
  release();
  await table.waitFor({ state: 'detached' });
  expect(await menu.getAttribute('aria-expanded')).toBe('true');
  await page.unroute(/\/admin\/ads\?.*q=evenings/u);
});

it('an admin finds an ad, features it and removes it with a reason', async () => {
  await at('/admin/ads');
  await main(page).getByRole('searchbox').fill('paula@example');
  await chooseAction('Evenings in Reno', 'Feature');
  await notice(page, 'The ad is featured').waitFor();
  await main(page).getByLabel('Featured').selectOption('Yes');
  await chooseAction('Evenings in Reno', 'Take down…');
  await page.getByRole('dialog').getByRole('button', { name: 'Take down' }).click();
  await page.getByRole('dialog').getByText('Please choose the rule').waitFor();
  await page.getByRole('dialog').getByLabel('Rule').selectOption('No spam');
  const sent = page.waitForRequest((request) => request.method() === 'DELETE' && /admin\/ads\//u.test(request.url()));
  await confirm('Take “Evenings in Reno” down?', 'Take down');
  expect((await sent).postDataJSON()).toEqual({ reason: 'Asked for by its owner', rule: 'spam' });
  await notice(page, '“Evenings in Reno” was taken down').waitFor();
  await row('Evenings in Reno').getByText('Hidden', { exact: true }).waitFor();
});

it('the Back button opens the list with its search and filters, and no address contains the search', async () => {
  await at('/admin/users');
  await page.evaluate(() => scrollTo(0, 0));
  const entries = await page.evaluate(() => history.length);
  await main(page).getByLabel('Type').selectOption('Provider');
  await main(page).getByRole('searchbox').pressSequentially('paula@example');
  await expect.poll(() => main(page).getByRole('row').count()).toBe(2);
  await expect.poll(() => page.evaluate(() => JSON.stringify(history.state))).toContain('paula@example');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
  expect(await page.evaluate(() => history.length)).toBe(entries);
  expect(page.url()).not.toContain('paula');
  await row('paula@example.com').getByRole('link', { name: 'Test' }).click();
  await main(page).getByText('paula@example.com').waitFor();
  await page.goBack();
  await expect.poll(() => main(page).getByRole('searchbox').inputValue()).toBe('paula@example');
  expect(await main(page).getByLabel('Type').inputValue()).toBe('provider');
  await expect.poll(() => main(page).getByRole('row').count()).toBe(2);
});

it('an admin clears the verification code of one user', async () => {
  await waitForRead(api);
  await at('/admin/verification-codes');
  await row('later@example.com').getByRole('button', { name: 'Clear the code of later@example.com' }).click();
  await confirm('Clear the code of later@example.com?', 'Clear');
  await main(page).getByText('No open codes').waitFor();
});

it('an admin finds an account, verifies it and closes it', async () => {
  await at('/admin/users?type=provider');
  await main(page).getByRole('searchbox').fill('paula');
  await row('paula@example.com').getByRole('link', { name: 'Test' }).click();
  await main(page).getByText('paula@example.com').waitFor();
  await main(page).getByRole('button', { name: 'Verify…' }).click();
  await confirm('Verify Test?', 'Verify');
  await notice(page, 'Test is verified').waitFor();
  await main(page).getByRole('button', { name: 'Close account…' }).click();
  await page.getByRole('dialog').getByLabel('Rule').selectOption('Other guideline');
  await confirm('Close the account of Test?', 'Close account');
  await notice(page, 'The account of Test is closed').waitFor();
  await headingOf(page).filter({ hasText: 'Users' }).waitFor();
  expect((await api.call('POST', '/api/auth/verify', { token: provider.token })).status).toBe(401);
});

/** Adds jobs that are due in ten minutes. */
async function enqueue(...mediaIds: readonly string[]): Promise<void> {
  const backend = await openJobBackend({ connectionString: product.databaseUrl });
  const queue = createJobQueue(backend);
  for (const mediaId of mediaIds)
    await queue.enqueue('video-probe', { mediaId }, { jobId: mediaId, delay_ms: 600_000 });
  await queue.close();
  await backend.close();
}

it('an admin views a job and removes it', async () => {
  await enqueue('m1');
  await at('/admin/jobs');
  await main(page).getByRole('button', { name: 'Show Check videos, Scheduled: 1' }).click();
  await main(page)
    .getByRole('button', { name: /^Inspect: Check videos, /u })
    .click();
  const job = page.getByRole('dialog', { name: 'Check videos' });
  await job.getByText('Technical details').click();
  await job.getByText('mediaId').waitFor();
  await job.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog', { name: 'Remove this job?' }).getByRole('button', { name: 'Remove' }).click();
  await notice(page, 'The job will be removed').waitFor();
  // The row stays while the pointer is on the list.
  await page.mouse.move(5, 5);
  await main(page).getByText('No jobs with this status').waitFor();
  watch.expectNoProblems();
});

it('the rows of jobs stay under the pointer while the list changes', async () => {
  await enqueue('m2', 'm3');
  await at('/admin/jobs');
  await main(page).getByRole('button', { name: 'Show Check videos, Scheduled: 2' }).click();
  const rows = main(page).getByRole('region', { name: 'Jobs' }).getByRole('row');
  const last = rows.nth(2).getByRole('button', { name: 'Inspect: Check videos' });
  await last.hover();
  // A press on a row gives the focus to the table, which does not hold the rows when the pointer leaves.
  await rows.nth(2).getByText('Check videos').click();
  const before = await rows.nth(2).boundingBox();
  const asAdmin = { token: admin.token };
  const { body } = await api.call('GET', '/api/admin/jobs/video-probe?state=delayed', asAdmin);
  await enqueue('m4');
  await main(page).getByText('1 new job').or(rows.nth(3)).first().waitFor();
  for (const { id } of body['data'] as readonly { readonly id: string }[])
    expect((await api.call('DELETE', `/api/admin/jobs/video-probe/${id}`, asAdmin)).status).toBe(202);
  await main(page).getByText('No longer in this list').nth(1).waitFor();
  expect((await rows.nth(2).boundingBox())?.y).toBe(before?.y);
  await page.mouse.move(5, 5);
  await main(page).getByText('No longer in this list').first().waitFor({ state: 'detached' });
  await rows.nth(1).waitFor();
  expect(await rows.count()).toBe(2);
  watch.expectNoProblems();
});
