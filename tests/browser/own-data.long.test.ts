import { readFile } from 'node:fs/promises';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader, type FileEntry } from '@zip.js/zip.js';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, PASSWORD, type ApiClient, type Person } from '../support/api.ts';
import { openVisitor, PHONE, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { main, notice } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * A person exports and erases their own data, and an admin does the same for another person (decision 0044).
 */
const STEPS = [
  'New encryption key for later sign-ups',
  'Account closed',
  'Photos and videos removed',
  'Encryption key destroyed',
  'Data removed from lists and search',
  'Background tasks, e-mails and sessions removed',
];

let product: TestProduct;
let browser: Browser;
let api: ApiClient;
let client: Person;
let provider: Person;
let admin: Person;
let adId = '';
const contexts: BrowserContext[] = [];
const watches: ConsoleWatch[] = [];

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  client = await api.signUp('client', { email: 'robin@example.com', displayName: 'Robin' });
  provider = await api.signUp('provider', { email: 'paula@example.com', displayName: 'Paula' });
  admin = await api.signUp('client', { email: 'admin@example.com', displayName: 'Ada' });
  adId = (await api.postAd(provider.token, { title: 'Evenings in Reno' })).id;
  browser = await sharedBrowser();
});
afterAll(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  await closeVisitors();
  await product?.stop();
});

/** Opens a page in a new browser context. `allowed` matches the console errors that the test expects. */
async function newPage(
  token: string | undefined,
  options: VisitorOptions = {},
  allowed: readonly RegExp[] = [],
): Promise<Page> {
  const context = await openVisitor(browser, product.url, { token, ...options });
  contexts.push(context);
  watches.push(new ConsoleWatch(context, allowed));
  return context.newPage();
}
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });
const heading = (page: Page, text: string) => headingOf(page).filter({ hasText: text });

/** Returns the files of an archive by name. */
async function unzip(bytes: Buffer): Promise<ReadonlyMap<string, string>> {
  const entries = await new ZipReader(new Uint8ArrayReader(new Uint8Array(bytes))).getEntries();
  const files = entries.filter((entry): entry is FileEntry => !entry.directory);
  return new Map(
    await Promise.all(
      files.map(
        async (file) =>
          [file.filename, Buffer.from(await file.getData(new Uint8ArrayWriter())).toString('utf8')] as const,
      ),
    ),
  );
}

/** Downloads an archive. Returns the types of its events and the id of its account. */
async function exportArchive(
  page: Page,
  button: string,
): Promise<{ readonly account: unknown; readonly types: readonly string[]; readonly reads: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    main(page).getByRole('button', { name: button }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('your-data.zip');
  const files = await unzip(await readFile(await download.path()));
  const types = (JSON.parse(files.get('events.json') ?? '') as { readonly type: string }[]).map(({ type }) => type);
  return { account: JSON.parse(files.get('account.json') ?? ''), types, reads: files.get('staff-reads.json') ?? '' };
}

/** Clicks an action for the open account, enters a reason and confirms the action. */
async function confirm(
  panel: Page,
  ask: string,
  title: string,
  action: string,
  typed: string | null = null,
): Promise<void> {
  await main(panel).getByRole('button', { name: ask }).click();
  const dialog = dialogOf(panel, title);
  await dialog.getByRole('button', { name: action, exact: true }).click();
  await dialog.getByText('Please enter a reason').waitFor();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Asked for by letter');
  if (typed !== null) await dialog.getByLabel('Type the e-mail address of this person').fill(typed);
  await dialog.getByRole('button', { name: action, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

it('a person and an admin export and erase all data of an account, except during a legal hold', async () => {
  // The client passes the age gate and the guidelines gate. The exported archive contains these choices.
  const own = await newPage(client.token, { viewport: PHONE, hasPassedGates: false }, [
    /status of 4\d\d .*\/api\/account\/erasure$/u,
  ]);
  await own.goto('/profile');
  for (const name of ['I am 18+ — Enter', 'Accept & Continue', 'Essential only']) {
    await Promise.all([own.waitForResponse('**/api/consents'), own.getByRole('button', { name }).click()]);
  }
  const { account, types } = await exportArchive(own, 'Download my data');
  await main(own).getByText('Your data has been downloaded').waitFor();
  expect(account).toMatchObject({ email: 'robin@example.com', displayName: 'Robin' });
  expect(types.filter((type) => type === 'ConsentRecorded')).toHaveLength(3);

  // An admin opens the account, downloads the same file and sets a legal hold.
  const panel = await newPage(admin.token, {}, [
    new RegExp(`status of 404 .*/api/admin/users/${provider.user.id}$`, 'u'),
  ]);
  await panel.goto(`/admin/users/${client.user.id}`);
  await heading(panel, 'Robin').waitFor();
  expect((await exportArchive(panel, 'Download all data')).reads).toContain('getUser');
  await confirm(panel, 'Set a legal hold…', 'Set a legal hold for this person?', 'Set the hold');
  await notice(panel, 'The hold is set').waitFor();
  await main(panel)
    .getByText(/^Legal hold since/u)
    .waitFor();
  expect(await main(panel).getByRole('button', { name: 'Erase all data…' }).isDisabled()).toBe(true);
  expect(await axeViolations(panel)).toEqual([]);

  await main(own).getByRole('button', { name: 'Erase my data…' }).click();
  const dialog = dialogOf(own, 'Erase all your data?');
  const erase = dialog.getByRole('button', { name: 'Erase everything' });
  await dialog.getByLabel('Your password').fill('wrong horse');
  expect(await erase.isDisabled()).toBe(true);
  await dialog.getByRole('checkbox', { name: 'I understand that this cannot be undone' }).check();
  await erase.click();
  await dialog.getByText('The current password is incorrect').waitFor();
  await dialog.getByLabel('Your password').fill(PASSWORD);
  await erase.click();
  await dialog.getByText('The law requires us to keep the data of this account for now.').waitFor();
  expect(await axeViolations(own)).toEqual([]);

  await confirm(panel, 'Lift the hold…', 'Lift the legal hold?', 'Lift the hold');
  await main(panel).getByText('No legal hold').waitFor();

  // Meanwhile, the admin erases another account. Its data disappears from the page.
  await panel.goto(`/admin/users/${provider.user.id}`);
  await heading(panel, 'Paula').waitFor();
  await confirm(panel, 'Erase all data…', 'Erase all data about Paula?', 'Erase all data', provider.email);
  await notice(panel, 'The erasure has started').waitFor();

  // After the erasure, the client is logged out and the browser storage is empty. The page shows the progress of the
  // erasure.
  await own.evaluate((id) => localStorage.setItem(`alpenglow.draft.${id}.reply`, 'Half a word'), client.user.id);
  await own.evaluate(() =>
    ['favorites:robin@example.com', 'favorites-known:robin@example.com'].forEach((key) =>
      localStorage.setItem(key, '[]'),
    ),
  );
  await erase.click();
  await heading(own, 'Erasure receipt').waitFor();
  await own.getByRole('button', { name: 'Menu', exact: true }).click();
  await own.getByRole('banner').getByRole('link', { name: 'Login' }).waitFor();
  expect(
    await own.evaluate(() => Object.keys(localStorage).filter((key) => /vpsAuthToken|user|draft|robin/u.test(key))),
  ).toEqual([]);
  expect(await own.getByRole('region', { name: 'Notifications' }).innerText()).toBe('');
  await main(own).getByText('Complete', { exact: true }).waitFor();
  expect(await main(own).getByRole('listitem').allInnerTexts()).toEqual(
    STEPS.map((step) => expect.stringContaining(step) as string),
  );
  expect(await main(own).getByText('Pending').count()).toBe(0);
  await main(panel)
    .getByText(/Completed on/u)
    .waitFor();
  await main(panel).getByText('No open account').waitFor();
  expect(await main(panel).innerText()).not.toContain('Paula');
  expect(await main(panel).getByRole('button', { name: 'Erase all data…' }).isDisabled()).toBe(true);
  expect(await axeViolations(panel)).toEqual([]);

  // Anyone can open the receipt with its number. The account and the ad of the erased provider do not exist.
  expect((await api.call('GET', `/api/ads/${adId}`)).status).toBe(404);
  const guest = await newPage(undefined, {}, [
    /status of 404 .*\/api\/account\/erasure\/[\w-]+$/u,
    /status of 401 .*\/api\/auth\/login$/u,
  ]);
  await guest.goto(own.url());
  await main(guest).getByText('Complete', { exact: true }).waitFor();
  expect(await axeViolations(guest)).toEqual([]);
  await guest.goto('/account/erasure/0b7b5c1e-3f77-4c53-9a61-7f7f4f0c2b1d');
  await main(guest).getByText('No receipt has this number.').waitFor();
  await guest.goto('/login');
  await guest.getByRole('textbox', { name: 'E-mail' }).fill(client.email);
  await guest.getByLabel('Password').fill(PASSWORD);
  await main(guest).getByRole('button', { name: 'Log in' }).click();
  await main(guest).getByText('Login failed').waitFor();
  await main(guest).getByText('The e-mail address or the password is wrong.').waitFor();

  // The record of the admin's access to the account still exists after the erasure.
  await panel.getByRole('navigation', { name: 'Admin Panel' }).getByRole('link', { name: 'Staff access log' }).click();
  await main(panel).getByLabel('Subject').selectOption(client.user.id);
  await main(panel).getByRole('button', { name: 'Filter' }).click();
  const reads = main(panel).getByRole('region', { name: 'Access to personal data' }).getByRole('row');
  await reads.filter({ hasText: 'Personal data export' }).waitFor();
  expect(await reads.filter({ hasText: provider.user.id }).count()).toBe(0);
  for (const watch of watches) watch.expectNoProblems();
});
