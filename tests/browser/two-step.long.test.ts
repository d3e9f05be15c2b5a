import { readFile } from 'node:fs/promises';
import { generateSync } from 'otplib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, PASSWORD, type Person } from '../support/api.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { main, notice, waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * Tests an installation that requires two-step login of its staff (decision 0038). The panel is closed until two-step
 * sign-in is set up.
 */
const STEP_s = 30;
/**
 * Returns the code of the authenticator app, `steps` time steps from now. The product also accepts the codes of the
 * previous and the next time step. It accepts each code only once.
 */
const codeOf = (secret: string, steps = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * STEP_s });

let product: TestProduct;
let browser: Browser;
let admin: Person;
let mona: Person;
const contexts: BrowserContext[] = [];
const watches: ConsoleWatch[] = [];

beforeAll(async () => {
  product = await startTestProduct({ staffTwoStep: true });
  const api = apiClient(product.url);
  const provider = await api.signUp('provider', { email: 'paula@example.com', displayName: 'Paula' });
  admin = await api.signUp('client', { email: 'admin@example.com', displayName: 'Ada' });
  mona = await api.signUp('client', { email: 'mona@example.com', displayName: 'Mona' });
  const { id } = await api.postAd(provider.token, { title: 'Evenings in Reno' });
  const reported = await api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id }, reason: 'spam' } });
  expect(reported.status).toBe(201);
  await waitForRead(api);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  await closeVisitors();
  await product?.stop();
});

async function windowOf(person: Person): Promise<Page> {
  const context = await openVisitor(browser, product.url, { token: person.token });
  contexts.push(context);
  // Requests with wrong passwords and codes fail on purpose.
  watches.push(new ConsoleWatch(context, [/status of 40[01] .*\/api\/auth\/(?:login|two-step\/\w+)$/u]));
  return context.newPage();
}
const at = async (page: Page, address: string) => {
  await page.goto(address);
  await headingOf(page).first().waitFor();
};
const heading = (page: Page, text: string) => headingOf(page).filter({ hasText: text });
const bar = (page: Page) => page.getByRole('banner');
const panelMenu = (page: Page) => page.getByRole('navigation', { name: 'Admin Panel' });
const section = (page: Page) => main(page).getByRole('region', { name: /^Two-step login/u });
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });

interface SetUpResult {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Follows the notice in the panel and sets up two-step login on the profile page. */
async function setUp(page: Page): Promise<SetUpResult> {
  await heading(page, 'Two-step login required').waitFor();
  expect(await panelMenu(page).count()).toBe(0);
  await main(page).getByRole('link', { name: 'Go to your profile' }).click();
  await section(page).getByText('Your role requires two-step login').waitFor();
  await section(page).getByRole('button', { name: 'Set up' }).click();
  const dialog = dialogOf(page, 'Set up two-step login');
  await dialog.getByLabel('Password').fill('wrong horse');
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByText('The current password is incorrect').waitFor();
  await dialog.getByLabel('Password').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Next' }).click();

  await dialog.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
  const secret = (
    await dialog.getByRole('group', { name: 'Or enter this key in the app' }).locator('code').innerText()
  ).replaceAll(' ', '');
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByLabel('Code from the app').fill(codeOf(secret, 10));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await dialog.getByText('This code is wrong or was already used').waitFor();
  await dialog.getByLabel('Code from the app').fill(codeOf(secret));
  await dialog.getByRole('button', { name: 'Turn on' }).click();

  const codes = dialogOf(page, 'Your recovery codes');
  await codes.getByRole('listitem').first().waitFor();
  const recoveryCodes = await codes.getByRole('listitem').allInnerTexts();
  expect(new Set(recoveryCodes).size).toBe(10);
  expect(await axeViolations(page)).toEqual([]);
  // The recovery codes are shown only once, so the Escape key does not close the dialog. Only its button closes it.
  await page.keyboard.press('Escape');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    codes.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(await readFile(await download.path(), 'utf8')).toContain(recoveryCodes.join('\n'));
  await codes.getByRole('button', { name: 'I have saved the codes' }).click();
  await section(page).getByText('10 recovery codes left').waitFor();
  await page.reload();
  await section(page).getByText('10 recovery codes left').waitFor();
  expect(await page.getByText(recoveryCodes[0] ?? '').count()).toBe(0);
  return { secret, recoveryCodes };
}

/** Logs out and logs in with e-mail and password. The page then requests the second step. */
async function logInAgain(page: Page, { email }: Person): Promise<void> {
  await bar(page).getByRole('button', { name: 'Logout' }).click();
  await bar(page).getByRole('link', { name: 'Login' }).click();
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await logIn(page);
  await main(page).getByText('Enter a code in addition to your password.').waitFor();
}
const logIn = (page: Page) => main(page).getByRole('button', { name: 'Log in' }).click();
const expectRejection = (page: Page) =>
  main(page).getByText('Login failed: this code is wrong or was already used').waitFor();

it('an admin needs two-step login for the panel, and appoints a moderator who sees their own pages', async () => {
  const panel = await windowOf(admin);
  await at(panel, '/admin/users');
  const { secret, recoveryCodes } = await setUp(panel);
  await bar(panel).getByRole('link', { name: 'Admin Panel' }).click();
  await heading(panel, 'Overview').waitFor();

  // Logs in with a code of the authenticator app.
  await logInAgain(panel, admin);
  await panel.getByLabel('Code', { exact: true }).fill(codeOf(secret, 10));
  await logIn(panel);
  await expectRejection(panel);
  await panel.getByLabel('Code', { exact: true }).fill(codeOf(secret, 1));
  await logIn(panel);
  await bar(panel).getByRole('link', { name: 'Admin Panel' }).click();
  await heading(panel, 'Overview').waitFor();

  // Logs in with a recovery code, which then becomes invalid.
  const [first = '', second = ''] = recoveryCodes;
  await logInAgain(panel, admin);
  await main(panel).getByRole('button', { name: 'Lost the app?' }).click();
  expect(await axeViolations(panel)).toEqual([]);
  await panel.getByLabel('Recovery code').fill(first);
  await logIn(panel);
  await bar(panel).getByRole('link', { name: 'Profile' }).click();
  await section(panel).getByText('9 recovery codes left').waitFor();
  await logInAgain(panel, admin);
  await main(panel).getByRole('button', { name: 'Lost the app?' }).click();
  await panel.getByLabel('Recovery code').fill(first);
  await logIn(panel);
  await expectRejection(panel);
  await panel.getByLabel('Recovery code').fill(second);
  await logIn(panel);
  await bar(panel).getByRole('link', { name: 'Profile' }).waitFor();

  // The admin makes another account a moderator, with a reason.
  const changeRole = async (role: string) => {
    await at(panel, `/admin/users/${mona.user.id}`);
    await main(panel).getByRole('radio', { name: role }).check();
    await main(panel).getByRole('button', { name: 'Change role' }).click();
    const dialog = dialogOf(panel, 'Change the role of Mona?');
    await dialog.getByRole('button', { name: 'Change role' }).click();
    await dialog.getByText('Please enter a reason').waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Known for years');
    await dialog.getByRole('button', { name: 'Change role' }).click();
    await notice(panel, 'The role of Mona was changed').waitFor();
  };
  const moderator = await windowOf(mona);
  await moderator.goto('/admin/moderation');
  await moderator.waitForURL((url) => url.pathname === '/');
  await changeRole('Moderator');
  await at(moderator, '/admin/moderation');
  await setUp(moderator);
  await bar(moderator).getByRole('link', { name: 'Admin Panel' }).click();
  await heading(moderator, 'Reports and decisions').waitFor();
  expect(await panelMenu(moderator).getByRole('link').allInnerTexts()).toEqual([
    'Reports and decisions',
    'Removal requests',
    'Moderation log',
    'Transparency report',
  ]);
  await main(moderator).getByRole('link', { name: 'Ad: Evenings in Reno' }).click();
  await main(moderator).getByText('Paula').first().waitFor();
  expect(await main(moderator).innerText()).not.toContain('@example.com');
  for (const address of ['/admin/projections', '/admin/users']) {
    await at(moderator, address);
    await heading(moderator, 'For admins only').waitFor();
  }

  // The admin removes the role again.
  await changeRole('No role');
  await moderator.goto('/admin/moderation');
  await moderator.waitForURL((url) => url.pathname === '/');
  for (const watch of watches) watch.expectNoProblems();
});
