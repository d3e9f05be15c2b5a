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

/** What is held about somebody, theirs to have and to have erased (decision 0044): as they do it themselves, and as an admin does it for them. */
const STEPS = [
  'New key for whoever signs up next',
  'Account closed',
  'Photos and videos removed',
  'Key destroyed',
  'Lists and search purged',
  'Jobs, mails and sessions removed',
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
  admin = await api.signUp('client', { email: 'admin@example.com', displayName: 'Admin' });
  adId = (await api.postAd(provider.token, { title: 'Evenings in Reno' })).id;
  browser = await sharedBrowser();
});
afterAll(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  await closeVisitors();
  await product?.stop();
});

/** `allowed`: addresses whose refusal is part of the test. */
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

/** The files of an archive, by name. */
async function unzipped(bytes: Buffer): Promise<ReadonlyMap<string, string>> {
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

/** Downloads by a button, and answers what events are in the archive, and whose account. */
async function exported(
  page: Page,
  button: string,
): Promise<{ readonly account: unknown; readonly types: readonly string[]; readonly reads: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    main(page).getByRole('button', { name: button }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('your-data.zip');
  const files = await unzipped(await readFile(await download.path()));
  const types = (JSON.parse(files.get('events.json') ?? '') as { readonly type: string }[]).map(({ type }) => type);
  return { account: JSON.parse(files.get('account.json') ?? ''), types, reads: files.get('staff-reads.json') ?? '' };
}

/** Does something to the person whose page stands, with a reason. */
async function confirm(panel: Page, ask: string, title: string, action: string): Promise<void> {
  await main(panel).getByRole('button', { name: ask }).click();
  const dialog = dialogOf(panel, title);
  await dialog.getByRole('button', { name: action, exact: true }).click();
  await dialog.getByText('Please say why').waitFor();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Asked for by letter');
  await dialog.getByRole('button', { name: action, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

it('everything held is had as a file, kept while it has to be, and erased for good, by oneself and by an admin', async () => {
  // Somebody answers the gates; what they said is in their archive.
  const own = await newPage(client.token, { viewport: PHONE, hasPassedGates: false }, [
    /status of 4\d\d .*\/api\/account\/erasure$/u,
  ]);
  await own.goto('/profile');
  for (const name of ['I am 18+ — Enter', 'Accept & Continue', 'Essential only']) {
    await Promise.all([own.waitForResponse('**/api/consents'), own.getByRole('button', { name }).click()]);
  }
  const { account, types } = await exported(own, 'Download my data');
  await main(own).getByText('Your data has been downloaded').waitFor();
  expect(account).toMatchObject({ email: 'robin@example.com', displayName: 'Robin' });
  expect(types.filter((type) => type === 'ConsentRecorded')).toHaveLength(3);

  // An admin looks at them, has the same file, and sees to it that nothing is erased for now.
  const panel = await newPage(admin.token, {}, [
    new RegExp(`status of 404 .*/api/admin/users/${provider.user.id}$`, 'u'),
  ]);
  await panel.goto(`/admin/users/${client.user.id}`);
  await heading(panel, 'Robin').waitFor();
  expect((await exported(panel, 'Download everything held about them')).reads).toContain('getUser');
  await confirm(panel, 'Set a legal hold…', 'Keep everything held about this person?', 'Set the hold');
  await notice(panel, 'The hold is set').waitFor();
  await main(panel)
    .getByText(/^Legal hold since/u)
    .waitFor();
  expect(await main(panel).getByRole('button', { name: 'Erase this person…' }).isDisabled()).toBe(true);
  expect(await axeViolations(panel)).toEqual([]);

  await main(own).getByRole('button', { name: 'Erase my data…' }).click();
  const dialog = dialogOf(own, 'Erase everything about you?');
  const erase = dialog.getByRole('button', { name: 'Erase everything' });
  await dialog.getByLabel('Your password').fill('wrong horse');
  expect(await erase.isDisabled()).toBe(true);
  await dialog.getByRole('checkbox', { name: 'I understand that this cannot be undone' }).check();
  await erase.click();
  await dialog.getByText('The current password is not right').waitFor();
  await dialog.getByLabel('Your password').fill(PASSWORD);
  await erase.click();
  await dialog.getByText('What is held about this account has to be kept for now, by law.').waitFor();
  expect(await axeViolations(own)).toEqual([]);

  await confirm(panel, 'Lift the hold…', 'Lift the legal hold?', 'Lift the hold');
  await main(panel).getByText('No legal hold').waitFor();

  // The admin erases somebody else meanwhile: what the panel knew of her goes from the page.
  await panel.goto(`/admin/users/${provider.user.id}`);
  await heading(panel, 'Paula').waitFor();
  await confirm(panel, 'Erase this person…', 'Erase everything about this person?', 'Erase');
  await notice(panel, 'The erasure is under way').waitFor();

  // Erased, they are signed out, and nothing of them is left in the browser, which shows how far it is.
  await own.evaluate((id) => localStorage.setItem(`alpenglow.draft.${id}.reply`, 'Half a word'), client.user.id);
  await own.evaluate(() =>
    ['favorites:robin@example.com', 'favorites-known:robin@example.com'].forEach((key) =>
      localStorage.setItem(key, '[]'),
    ),
  );
  await erase.click();
  await heading(own, 'Receipt of an erasure').waitFor();
  await own.getByRole('button', { name: 'Menu', exact: true }).click();
  await own.getByRole('banner').getByRole('link', { name: 'Login' }).waitFor();
  expect(
    await own.evaluate(() => Object.keys(localStorage).filter((key) => /vpsAuthToken|user|draft|robin/u.test(key))),
  ).toEqual([]);
  // Nothing but what everybody hears: the ad of the one the admin has erased is gone.
  expect(await own.getByRole('region', { name: 'Notifications' }).innerText()).toMatch(/^(?:Ad removed!)?$/u);
  await main(own).getByText('Complete', { exact: true }).waitFor();
  expect(await main(own).getByRole('listitem').allInnerTexts()).toEqual(
    STEPS.map((step) => expect.stringContaining(step) as string),
  );
  expect(await main(own).getByText('To come').count()).toBe(0);
  await main(panel)
    .getByText(/Complete since/u)
    .waitFor();
  await main(panel).getByText('No open account').waitFor();
  expect(await main(panel).innerText()).not.toContain('Paula');
  expect(await main(panel).getByRole('button', { name: 'Erase this person…' }).isDisabled()).toBe(true);
  expect(await axeViolations(panel)).toEqual([]);

  // Whoever has the receipt may look at it; a number nobody has names nothing; the account is no more, nor is the ad of the other.
  expect((await api.call('GET', `/api/ads/${adId}`)).status).toBe(404);
  const anybody = await newPage(undefined, {}, [
    /status of 404 .*\/api\/account\/erasure\/[\w-]+$/u,
    /status of 401 .*\/api\/auth\/login$/u,
  ]);
  await anybody.goto(own.url());
  await main(anybody).getByText('Complete', { exact: true }).waitFor();
  expect(await axeViolations(anybody)).toEqual([]);
  await anybody.goto('/account/erasure/0b7b5c1e-3f77-4c53-9a61-7f7f4f0c2b1d');
  await main(anybody).getByText('There is no receipt with this number.').waitFor();
  await anybody.goto('/login');
  await anybody.getByRole('textbox', { name: 'E-mail' }).fill(client.email);
  await anybody.getByLabel('Password').fill(PASSWORD);
  await main(anybody).getByRole('button', { name: 'Log in' }).click();
  await main(anybody).getByText('Login failed').waitFor();

  // Who looked at whom is known all the same.
  await panel.getByRole('navigation', { name: 'Admin Panel' }).getByRole('link', { name: 'Reads by staff' }).click();
  await main(panel).getByLabel('About').fill(client.user.id);
  await main(panel).getByRole('button', { name: 'Filter' }).click();
  const reads = main(panel).getByRole('region', { name: 'Reads of personal data' }).getByRole('row');
  await reads.filter({ hasText: 'Everything held about a person' }).waitFor();
  expect(await reads.filter({ hasText: provider.user.id }).count()).toBe(0);
  for (const watch of watches) watch.expectSilence();
});
