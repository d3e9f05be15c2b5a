import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, PASSWORD, type ApiClient } from '../support/api.ts';
import { DESKTOP, openVisitor, PHONE, sharedBrowser } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { newestCode } from '../support/browser-inbox.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

// A person signs up, verifies and resets the password with an address that another sign-up has used.

let product: TestProduct;
let api: ApiClient;
let browser: Browser;
beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

const NEW_PASSWORD = 'a new donkey battery';

async function openPage(path: string, viewport = PHONE): Promise<Page> {
  const page = await (await openVisitor(browser, product.url, { viewport })).newPage();
  await page.goto(path);
  return page;
}

async function signUp(page: Page, email: string, displayName: string): Promise<void> {
  await page.getByLabel('Display name').fill(displayName);
  await page.getByLabel('Age', { exact: true }).fill('30');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign up', exact: true }).click();
  await page.getByRole('heading', { name: 'Verify your e-mail' }).waitFor();
}

test('a person signs up again with other details, reloads half-way, and verifies with “Use this code”', async () => {
  const email = 'again@example.com';
  const page = await openPage('/signup');
  await signUp(page, email, 'First');
  await page.getByRole('button', { name: 'Sign up again with other details' }).click();
  await page.getByRole('heading', { name: 'Sign Up', level: 1 }).waitFor();
  await page.getByRole('radio', { name: /Provider/u }).check();
  await signUp(page, email, 'Second');
  await page.reload();
  await page.getByRole('button', { name: 'Use this code' }).click();
  await page.getByRole('button', { name: 'Verify e-mail' }).click();
  await page.waitForURL('**/post-ad');
  const login = await api.call('POST', '/api/auth/login', { body: { email, password: PASSWORD } });
  expect(login.body['user']).toMatchObject({ displayName: 'Second', userType: 'provider', isEmailVerified: true });
});

test('a guest signs up from the favorites, learns of a wrong code, and returns to the saved favorites', async () => {
  for (const title of ['A walk by the river', 'An evening by the lake'])
    await api.postAd((await api.signUp('provider')).token, { title, state: 'NV', city: 'Elko' });
  await waitForRead(api);
  const page = await openPage('/city/nv/elko');
  const hearts = page.getByRole('main').getByRole('button', { name: /to favorites$/u });
  for (const index of [0, 1]) await hearts.nth(index).click();
  await page.goto('/favorites');
  await page.getByRole('link', { name: 'client account' }).click();
  await signUp(page, 'keeper@example.com', 'Keeper');
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Verify e-mail' }).click();
  await page.getByText('You have at most 4 more attempts with this code.').waitFor();
  await page.getByRole('button', { name: 'Use this code' }).click();
  await page.getByRole('button', { name: 'Verify e-mail' }).click();
  await page.waitForURL('**/favorites');
  await page.getByText('2 favorites saved in your account').waitFor();
  await page.getByRole('heading', { name: 'An evening by the lake' }).waitFor();
});

test('an incomplete sign-up focuses the first invalid field and repeats the rule for passwords', async () => {
  const page = await openPage('/signup');
  const isFocused = (label: string) =>
    page.getByLabel(label, { exact: true }).evaluate((field) => field === document.activeElement);
  const submit = page.getByRole('button', { name: 'Sign up', exact: true });
  await submit.click();
  await expect.poll(() => isFocused('Display name')).toBe(true);
  const rule = /at least 12 characters, or at least 8 that are hard to guess/iu;
  expect(await page.getByText(rule).count(), 'the hint and the error').toBe(2);
  await page.getByLabel('Display name').fill('Anna');
  await submit.click();
  await expect.poll(() => isFocused('Age')).toBe(true);
});

test('a guest sees a login link and no error on the page that verifies an e-mail', async () => {
  const page = await openPage('/verify-email');
  await page.getByText('Log in to verify your e-mail.').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Log ?in$/u })
    .click();
  await page.waitForURL('**/login');
});

test.each([
  ['phone', PHONE],
  ['desktop', DESKTOP],
])('a reset on a %s asks the owner of an unverified address for type, name and age', async (device, viewport) => {
  const { email } = await api.signUp('client', { verify: false, email: `squatted-${device}@example.com` });
  const page = await openPage('/login', viewport);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByRole('button', { name: 'Send the code' }).click();
  const enterCode = async (code: string) => {
    await page.getByLabel('Code').fill(code);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Set new password' }).click();
  };
  const code = await newestCode(product.url, email, 'Reset your');
  await enterCode(code);
  await page.getByRole('heading', { name: 'Tell us who you are' }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await page.getByRole('button', { name: 'Back to the code' }).click();
  expect(await page.getByLabel('Code').inputValue()).toBe(code);
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByRole('heading', { name: 'Tell us who you are' }).waitFor();
  // A reload returns to the first step. The code is still valid.
  await page.reload();
  await enterCode(code);
  await page.getByRole('radio', { name: /Provider/u }).check();
  await page.getByRole('button', { name: 'Save and set password' }).click();
  await page.getByText('Please enter a display name').waitFor();
  await page.getByLabel('Display name').fill('The owner');
  await page.getByLabel('Age', { exact: true }).fill('40');
  await page.getByRole('button', { name: 'Save and set password' }).click();
  await page.waitForURL('**/login');
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.waitForURL('**/provider-profile');
  const login = await api.call('POST', '/api/auth/login', { body: { email, password: NEW_PASSWORD } });
  expect(login.body['user']).toMatchObject({ displayName: 'The owner', userType: 'provider', age: 40 });
});

test('a sign-up with the address of a verified account leads to the login or a reset', async () => {
  const { email } = await api.signUp('client', { email: 'taken@example.com' });
  const page = await openPage('/signup', DESKTOP);
  await signUp(page, email, 'Again');
  await page.getByRole('button', { name: 'set a new password' }).click();
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
});
