import { account, registerAccount, streamOf } from '@alpenglow/domain';
import { createDataKeys, createPostgresEventStore, loadSecrets, withPersonalData } from '@alpenglow/infra';
import { Pool } from 'pg';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type Person } from '../support/api.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { main, notice, untilRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** An admin builds a read model anew, looks at what differs, swaps and goes back, and sees to an event that was set aside. */
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
  pool = new Pool({ connectionString: product.databaseUrl });
  const api = apiClient(product.url);
  admin = await api.signUp('client', { email: 'admin@example.com', displayName: 'Ada' });
  moderator = await api.signUp('client', { displayName: 'Mona' });
  const granted = await api.call('PUT', `/api/admin/users/${moderator.user.id}/role`, {
    token: admin.token,
    body: { role: 'moderator', reason: 'Helps out' },
  });
  // What is falsified below must not be put right by an event that is still on its way.
  await untilRead(api, granted);
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
    .filter({ has: page.getByRole('rowheader', { name: /^accounts/u }) });
const said = (text: string | RegExp) => accounts().getByText(text).waitFor();
const ask = (action: string) =>
  accounts()
    .getByRole('button', { name: `${action}: accounts` })
    .click();
async function confirm(action: string, warning: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: `${action}: accounts` });
  await dialog.getByText(warning).waitFor();
  await dialog.getByRole('button', { name: action, exact: true }).click();
}
const nameRead = async () =>
  (
    await pool.query<{ display_name: string }>('select display_name from rm.accounts where account_id = $1', [
      moderator.user.id,
    ])
  ).rows[0]?.display_name;

it('a rebuild pauses, goes on and is thrown away; the next one shows the row that differs, is swapped in and gone back from', async () => {
  await pool.query(`update rm.accounts set display_name = 'Planted' where account_id = $1`, [moderator.user.id]);
  await said('Up to date');

  // So small a history is read before anybody could pause: another process holds the tables meanwhile.
  const holding = await pool.connect();
  try {
    await holding.query('begin');
    await holding.query(`select pg_advisory_xact_lock(hashtext('alpenglow-rebuild'), hashtext('accounts'))`);
    await ask('Rebuild');
    await notice(page, 'accounts will do so').waitFor();
    await said('Running');
    // As a long history would have it say.
    await pool.query(
      `update rm.rebuilds set events = 12000, events_per_s = 800, fraction = 0.4, left_s = 20 where projection = 'accounts'`,
    );
    await accounts().getByRole('progressbar', { name: 'accounts: 40%' }).waitFor();
    await said('12,000 events · 800 a second · 20 seconds left');
    await ask('Pause');
    await said('Paused');
    await ask('Go on');
    await said('Running');
    await ask('Cancel rebuild');
    await confirm('Cancel rebuild', 'The rebuilt tables will be thrown away.');
    await said('Cancelled');
  } finally {
    await holding.query('rollback');
    holding.release();
  }

  await ask('Rebuild');
  await said('1 row differs');
  await accounts().getByRole('button', { name: 'Differences of accounts' }).click();
  const differences = page.getByRole('dialog', { name: 'Differences of accounts' });
  await differences.getByText('1 of 1 row, with their values as they are now').waitFor();
  await differences.getByRole('row', { name: `${moderator.user.id} accounts · Different` }).waitFor();
  await differences.getByRole('row', { name: 'display_name Planted Mona' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await differences.getByRole('button', { name: 'Close' }).click();

  await ask('Swap in');
  await confirm('Swap in', '1 row differs between what is read and what was rebuilt.');
  await said('Swapped in');
  await said(/^Kept since .*: version \d+$/u);
  expect(await nameRead()).toBe('Mona');
  await ask('Go back');
  await confirm('Go back', 'The tables from before the last swap will be read again');
  await expect.poll(nameRead).toBe('Planted');
  await said('Swapped back');
  watch.expectSilence();
});

it('an event that was set aside shows its error and no personal field, is tried again, and left out with a reason', async () => {
  const { dataKeys } = await loadSecrets(product.dataDir);
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
    createDataKeys(pool, dataKeys),
  );
  // Written by a fault: no account can have this age.
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
  if (registered?.type !== 'AccountRegistered') throw new Error('Nobody was registered');
  const events = [
    { ...registered, data: { ...registered.data, age: 3_000_000_000 } },
    { type: 'ProfileUpdated', data: { accountId: id, displayName: 'Anna Better', age: 3_000_000_000 } },
  ];
  await store.append(
    streamOf(account, id),
    events.map(({ type, data }) => ({ id: crypto.randomUUID(), type, version: 1, data, meta })),
    { expectedRevision: 'any' },
  );
  await store.close();

  await accounts().getByRole('button', { name: 'Show the events accounts has set aside: 2' }).click();
  const parked = page.getByRole('dialog', { name: 'Events accounts has set aside' });
  const faulty = parked.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'AccountRegistered' }) });
  await faulty.getByText('out of range for type integer').waitFor();
  await faulty.getByRole('region', { name: 'Data of the event' }).getByText('"userType": "client"').waitFor();
  await faulty.getByText(/^Personal, not shown: .*email/u).waitFor();
  await parked
    .getByRole('listitem')
    .filter({ hasText: 'ProfileUpdated' })
    .getByText('Waits behind another event of its stream')
    .waitFor();
  expect(await parked.innerText()).not.toContain('ecret');
  expect(await axeViolations(page)).toEqual([]);

  const [retried] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/retry')),
    faulty.getByRole('button', { name: 'Try again' }).click(),
  ]);
  expect(retried.status()).toBe(202);
  await expect
    .poll(() => faulty.getByRole('button', { name: 'Leave out' }).isEnabled(), {
      message: 'it cannot be handled now either',
    })
    .toBe(true);
  await faulty.getByRole('button', { name: 'Leave out' }).click();
  const why = page.getByRole('dialog', { name: 'Leave this event out?' });
  await why.getByRole('button', { name: 'Leave out' }).click();
  await why.getByText('Please say why').waitFor();
  await why.getByRole('textbox', { name: 'Reason' }).fill('Written by a fault.');
  await why.getByRole('button', { name: 'Leave out' }).click();
  await parked.getByText('Nothing is set aside any more').waitFor();
  await parked.getByRole('button', { name: 'Close' }).click();
  await expect
    .poll(() =>
      accounts()
        .getByRole('button', { name: /set aside/u })
        .count(),
    )
    .toBe(0);
  watch.expectSilence();
});

it('a moderator is told that it is for admins', async () => {
  const other = await openVisitor(browser, product.url, { token: moderator.token });
  const heard = new ConsoleWatch(other);
  const window = await other.newPage();
  await window.goto('/admin/projections');
  await headingOf(window).filter({ hasText: 'For admins only' }).waitFor();
  expect(await window.getByRole('link', { name: 'Projections' }).count()).toBe(0);
  heard.expectSilence();
});
