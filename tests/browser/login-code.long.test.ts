import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, PASSWORD, type ApiClient } from '../support/api.ts';
import { openVisitor, PHONE, sharedBrowser } from '../support/browser.ts';
import { newestCode } from '../support/browser-inbox.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

// After many failed logins from many networks, the login page asks for a mailed code.

let product: TestProduct;
let api: ApiClient;
let browser: Browser;
beforeAll(async () => {
  product = await startTestProduct({ rateLimits: true, trustedProxies: 1 });
  api = apiClient(product.url);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

test('a person logs in with a mailed code', async () => {
  const { email } = await api.signUp('client', { email: 'attacked@example.com' });
  for (let turn = 0; turn < 100; turn += 1)
    await api.call('POST', '/api/auth/login', {
      body: { email, password: 'wrong horse' },
      headers: { 'x-forwarded-for': `10.1.${turn}.1` },
    });
  const page = await (await openVisitor(browser, product.url, { viewport: PHONE })).newPage();
  await page.goto('/login');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByText('There were many failed logins to this account').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  const code = await newestCode(product.url, email, 'login code');
  await page.getByLabel('Code').fill(code === '000000' ? '000001' : '000000');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByText('Login failed. Check the password and the code.').waitFor();
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/');
});
