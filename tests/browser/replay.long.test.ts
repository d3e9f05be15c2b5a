import { account, toStreamId } from '@alpenglow/domain';
import { registerAccount } from '@alpenglow/domain/deciders';
import { createDataKeys, createPostgresEventStore, loadSecrets, withPersonalData } from '@alpenglow/infra';
import type { Pool } from 'pg';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type Person } from '../support/api.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { main, notice, waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { createTestPool } from '../support/database.ts';

/**
 * An admin rebuilds a read model, reviews the differences, and replaces the live table by the rebuilt table. The admin
 * then reverts this swap and handles a parked event, which a projection could not process.
 */
let product: TestProduct;
let pool: Pool;
let browser: Browser;
let context: BrowserContext;
let watch: ConsoleWatch;
let page: Page;
let admin: Person;
let moderator: Person;

beforeAll(async () => {
  product = await startTestProduct();
  pool = createTestPool(product.databaseUrl);
  const api = apiClient(product.url);
  admin = await api.signUp('client', { email: 'admin@example.com', displayName: 'Ada' });
  moderator = await api.signUp('client', { displayName: 'Mona' });
  await api.call('PUT', `/api/admin/users/${moderator.user.id}/role`, {
    token: admin.token,
    body: { role: 'moderator', reason: 'Helps out' },
  });
  // Waits until the read models include the role change before the test changes a row, because the event of the role
  // change overwrites that row.
  await waitForRead(api);
  browser = await sharedBrowser();
  context = await openVisitor(browser, product.url, { token: admin.token });
  watch = new ConsoleWatch(context);
  page = await context.newPage();
  await page.goto('/admin/projections');
  await headingOf(page).filter({ hasText: 'Projections' }).waitFor();
});
afterAll(async () => {
  await closeVisitors();
  await pool?.end();
  await product?.stop();
});

const accounts = () =>
  main(page)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: /^Accounts/u }) });
const expectMessage = (text: string | RegExp) => accounts().getByText(text).waitFor();
const press = (action: string) =>
  accounts()
    .getByRole('button', { name: `${action}: Accounts` })
    .click();
async function confirm(action: string, warning: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: `${action}: Accounts` });
  await dialog.getByText(warning).waitFor();
  await dialog.getByRole('button', { name: action, exact: true }).click();
}
const shownName = async () =>
  (
    await pool.query<{ display_name: string }>('select display_name from rm.accounts where account_id = $1', [
      moderator.user.id,
    ])
  ).rows[0]?.display_name;

it('a rebuild can be paused, resumed and cancelled, and another one can be swapped and reverted', async () => {
  await pool.query(`update rm.accounts set display_name = 'Planted' where account_id = $1`, [moderator.user.id]);
  await expectMessage('Up to date');

  // The history is short, so the rebuild ends quickly. Another connection holds the lock of the rebuild until the
  // rebuild is paused.
  const lockClient = await pool.connect();
  try {
    await lockClient.query('begin');
    await lockClient.query(`select pg_advisory_xact_lock(hashtext('alpenglow-rebuild'), hashtext('accounts'))`);
    await press('Rebuild');
    await notice(page, 'Request accepted for “Accounts”').waitFor();
    await expectMessage('Running');
    // This change of a database row simulates the progress of a long rebuild.
    await pool.query(
      `update rm.rebuilds set events = 12000, events_per_s = 800, fraction = 0.4, left_s = 20
        where projection = 'accounts'`,
    );
    await accounts().getByRole('progressbar', { name: 'Accounts: 40%' }).waitFor();
    await expectMessage('12,000 events · 800 per second · 20 seconds left');
    await press('Pause');
    await expectMessage('Paused');
    await press('Resume');
    await expectMessage('Running');
    await press('Cancel rebuild');
    await confirm('Cancel rebuild', 'The rebuilt tables will be discarded.');
    await expectMessage('Cancelled');
  } finally {
    await lockClient.query('rollback');
    lockClient.release();
  }

  await press('Rebuild');
  await expectMessage('1 row differs');
  await accounts().getByRole('button', { name: 'Differences of Accounts' }).click();
  const differences = page.getByRole('dialog', { name: 'Differences of Accounts' });
  await differences.getByText('1 of 1 row, with current values').waitFor();
  await differences.getByRole('row', { name: `${moderator.user.id} accounts · Different` }).waitFor();
  await differences.getByRole('row', { name: 'display_name Planted Mona' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await differences.getByRole('button', { name: 'Close' }).click();

  await press('Swap in');
  await confirm('Swap in', '1 row differs between the live and the rebuilt tables.');
  await expectMessage('Swapped in');
  await expectMessage(/^Previous version \d+ kept since .+$/u);
  expect(await shownName()).toBe('Mona');
  await press('Revert');
  await confirm('Revert', 'The tables from before the last swap will be live again');
  await expect.poll(shownName).toBe('Planted');
  await expectMessage('Reverted');
  watch.expectNoProblems();
});

it('a parked event shows its error without personal data, can be retried and is skipped with a reason', async () => {
  const { dataKeys } = await loadSecrets(product.dataDir);
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
    createDataKeys(pool, dataKeys),
  );
  // This event is invalid, because no account can have this age.
  const id = 'account-of-a-fault';
  const meta = {
    correlationId: 'c',
    causationId: null,
    actor: { kind: 'system', name: 'test' },
    at: new Date().toISOString(),
  } as const;
  const [registered] = registerAccount(
    {
      accountId: id,
      email: 'anna.secret@example.com',
      passwordHash: null,
      userType: 'client',
      displayName: 'Anna Secret',
      age: 20,
      isDemo: false,
    },
    null,
    { now: meta.at, newId: () => crypto.randomUUID() },
  );
  if (registered?.type !== 'AccountRegistered') throw new Error('No account was registered');
  const events = [
    { ...registered, data: { ...registered.data, age: 3_000_000_000 } },
    { type: 'ProfileUpdated', data: { accountId: id, displayName: 'Anna Better', age: 3_000_000_000 } },
  ];
  await store.append(
    toStreamId(account, id),
    events.map(({ type, data }) => ({ id: crypto.randomUUID(), type, version: 1, data, meta })),
    { expectedRevision: 'any' },
  );
  await store.close();

  await accounts().getByRole('button', { name: 'Show parked events of Accounts: 2' }).click();
  const parked = page.getByRole('dialog', { name: 'Parked events of Accounts' });
  const parkedEvent = parked.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Signed up' }) });
  await parkedEvent.getByText('out of range for type integer').waitFor();
  await parkedEvent.getByRole('region', { name: 'Event data' }).getByText('"userType": "client"').waitFor();
  await parkedEvent.getByText(/^Personal data, not shown: .*email/u).waitFor();
  await parked
    .getByRole('listitem')
    .filter({ hasText: 'Profile changed' })
    .getByText('Waiting for an earlier event of the same stream')
    .waitFor();
  expect(await parked.innerText()).not.toContain('ecret');
  expect(await axeViolations(page)).toEqual([]);

  const [retried] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/retry')),
    parkedEvent.getByRole('button', { name: 'Try again' }).click(),
  ]);
  expect(retried.status()).toBe(202);
  await expect
    .poll(() => parkedEvent.getByRole('button', { name: 'Skip' }).isEnabled(), {
      message: 'the event still cannot be handled',
    })
    .toBe(true);
  await parkedEvent.getByRole('button', { name: 'Skip' }).click();
  const why = page.getByRole('dialog', { name: 'Skip this event?' });
  await why.getByRole('button', { name: 'Skip' }).click();
  await why.getByText('Please enter a reason').waitFor();
  await why.getByRole('textbox', { name: 'Reason' }).fill('Written by a fault.');
  await why.getByRole('button', { name: 'Skip' }).click();
  await parked.getByText('No more parked events').waitFor();
  await parked.getByRole('button', { name: 'Close' }).click();
  await expect
    .poll(() =>
      accounts()
        .getByRole('button', { name: /parked events/u })
        .count(),
    )
    .toBe(0);
  watch.expectNoProblems();
});

it('a moderator sees that the page is for admins only', async () => {
  const other = await openVisitor(browser, product.url, { token: moderator.token });
  const consoleWatch = new ConsoleWatch(other);
  const window = await other.newPage();
  await window.goto('/admin/projections');
  await headingOf(window).filter({ hasText: 'For admins only' }).waitFor();
  expect(await window.getByRole('link', { name: 'Projections' }).count()).toBe(0);
  consoleWatch.expectNoProblems();
});
