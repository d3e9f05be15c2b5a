import { generateSync } from 'otplib';
import type { Browser, Locator, Page } from 'playwright-core';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, PASSWORD, type ApiClient } from '../support/api.ts';
import { openVisitor, PHONE, sharedBrowser, withVisitor } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { createTestPool } from '../support/database.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording } from '../support/recording.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Tests the pages about passwords and sessions. */
let product: TestProduct;
let api: ApiClient;
let browser: Browser;
let pool: Pool;
beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  pool = createTestPool(product.databaseUrl, 1);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await pool?.end();
  await product?.stop();
});

const visit = (token: string | undefined, use: (page: Page) => Promise<void>) =>
  withVisitor(browser, product.url, { token }, async (context) => use(await context.newPage()));
const logIn = async (email: string) =>
  (await api.call('POST', '/api/auth/login', { body: { email, password: PASSWORD } })).body['token'] as string;

test('the sign-up shows at the field why a password is rejected', () =>
  visit(undefined, async (page) => {
    await page.goto('/signup');
    await page.getByLabel('Display name').fill('Anna');
    await page.getByRole('spinbutton').fill('30');
    await page.getByRole('textbox', { name: 'E-mail' }).fill('anna@example.com');
    await page.getByLabel('Password', { exact: true }).fill('password1234');
    await page.getByRole('main').getByRole('button', { name: 'Sign up' }).click();
    await page.getByText('This password is on a list of stolen passwords.').waitFor();
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  }));

test('the profile page lists the sessions and ends one and all others', async () => {
  const { email, token } = await api.signUp('client');
  const others = [await logIn(email), await logIn(email), await logIn(email)];
  await visit(token, async (page) => {
    await page.goto('/profile');
    const section = page.getByRole('region', { name: 'Your sessions' });
    await expect.poll(() => section.getByRole('listitem').count(), { timeout: MAX_WAIT_ms }).toBe(4);
    expect(await section.getByText('This device').count()).toBe(1);
    await section.getByRole('button', { name: 'End session:' }).first().click();
    await expect.poll(() => section.getByRole('listitem').count(), { timeout: MAX_WAIT_ms }).toBe(3);
    await section.getByRole('button', { name: 'End all other sessions' }).click();
    await expect.poll(() => section.getByRole('listitem').count(), { timeout: MAX_WAIT_ms }).toBe(1);
  });
  for (const other of others) expect((await api.call('POST', '/api/auth/verify', { token: other })).status).toBe(401);
});

/** Returns the words of the visible buttons that are broken inside, i.e. that have several boxes. */
const findBrokenWords = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main button')].flatMap((button) => {
      const text = document.createTreeWalker(button, NodeFilter.SHOW_TEXT).nextNode();
      return [...(text?.nodeValue ?? '').matchAll(/\S+/gu)].flatMap(({ 0: word, index }) => {
        const range = document.createRange();
        if (text) range.setStart(text, index);
        if (text) range.setEnd(text, index + word.length);
        return range.getClientRects().length > 1 ? [word] : [];
      });
    }),
  );

test.each([
  ['en', 'Your sessions'],
  ['de', 'Ihre Sitzungen'],
] as const)('no word of a button breaks on a phone (%s)', async (locale, title) => {
  const { email, token } = await api.signUp('client');
  await logIn(email);
  const context = await openVisitor(browser, product.url, { token, viewport: PHONE, locale });
  const page = await context.newPage();
  await page.goto('/profile');
  await page.getByRole('region', { name: title }).getByRole('listitem').nth(1).waitFor();
  expect(await findBrokenWords(page)).toEqual([]);
});

/** Opens the profile of an account with two sessions. Returns the entries of the list of sessions. */
async function openTwoSessions(page: Page): Promise<Locator> {
  await page.goto('/profile');
  const sessions = page.getByRole('region', { name: 'Your sessions' }).getByRole('listitem');
  await expect.poll(() => sessions.count(), { timeout: MAX_WAIT_ms }).toBe(2);
  return sessions;
}

test('the list of sessions changes when two-step login ends the others', async () => {
  const { email, token } = await api.signUp('client');
  await logIn(email);
  await visit(token, async (page) => {
    const sessions = await openTwoSessions(page);
    await page
      .getByRole('region', { name: /^Two-step login/u })
      .getByRole('button', { name: 'Set up' })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Set up two-step login' });
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Next' }).click();
    const key = await dialog.getByRole('group', { name: 'Or enter this key in the app' }).locator('code').innerText();
    await dialog.getByLabel('Code from the app').fill(generateSync({ secret: key.replaceAll(' ', '') }));
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await expect.poll(() => sessions.count(), { timeout: MAX_WAIT_ms }).toBe(1);
  });
});

test('the list of sessions changes when a new password ends the others', async () => {
  const { email, token } = await api.signUp('client');
  await logIn(email);
  await visit(token, async (page) => {
    const sessions = await openTwoSessions(page);
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('a new and long password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await expect.poll(() => sessions.count(), { timeout: MAX_WAIT_ms }).toBe(1);
  });
});

test('the session token is in no address that the pages request', async () => {
  const { token } = await api.signUp('client');
  await visit(token, async (page) => {
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    page.on('websocket', (socket) => addresses.push(socket.url()));
    await page.goto('/profile');
    await expect.poll(() => addresses.filter((address) => address.includes('?ticket=')).length).toBeGreaterThan(0);
    for (const address of addresses) expect(address).not.toContain(token);
  });
});

test('a session that ends on the profile page is explained on the login page', async () => {
  const { user, token } = await api.signUp('client');
  await visit(token, async (page) => {
    // The page verifies the session once when it opens. The session must end after that.
    const verified = page.waitForResponse('**/api/auth/verify');
    await page.goto('/profile');
    await page.getByRole('region', { name: 'Your sessions' }).waitFor();
    await verified;
    await pool.query('delete from auth.sessions where account_id = $1', [user.id]);
    await page.getByText('Your session has ended. Please log in again.').waitFor();
  });
});

test('an upload needs the stored token', async () => {
  const { token } = await api.signUp('provider');
  await visit(token, async (page) => {
    await page.goto('/post-ad');
    await headingOf(page).filter({ hasText: 'Post Your Ad' }).waitFor();
    const uploads: string[] = [];
    page.on('request', (request) => request.url().includes('/uploads/') && uploads.push(request.url()));
    await page.evaluate(() => localStorage.removeItem('vpsAuthToken'));
    const file = { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(await pictures.jpeg(200, 200)) };
    await page.locator('input[type="file"]').first().setInputFiles(file);
    await page.getByText('Account Required').first().waitFor();
    expect(uploads).toEqual([]);
  });
});

test('an admin enters the password again in a dialog, and the change is then sent', async () => {
  const recording = await openRecording(product);
  const admin = await recording.member({ role: 'admin' });
  await recording.close();
  const { email, user } = await api.signUp('client');
  await waitForRead(api);
  await pool.query(`update auth.sessions set confirmed_at = now() - interval '1 hour' where account_id = $1`, [
    admin.user.id,
  ]);
  await visit(admin.token, async (page) => {
    await page.goto(`/admin/users?q=${encodeURIComponent(email)}`);
    await page.getByText(email).first().waitFor();
    const row = page.getByRole('row').filter({ hasText: email });
    await row.getByRole('button', { name: /^Actions on/u }).click();
    await page.getByRole('button', { name: 'Verify…' }).click();
    const reason = page.getByRole('dialog').getByRole('textbox').first();
    await reason.fill('Checked in a test');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Verify/u })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Enter your password' });
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.waitFor({ state: 'detached' });
    const isVerified = async () => {
      const { rows } = await pool.query('select verified from rm.accounts where account_id = $1', [user.id]);
      return (rows as { verified: boolean }[])[0]?.verified;
    };
    await expect.poll(isVerified, { timeout: MAX_WAIT_ms }).toBe(true);
  });
});
