import { readFile } from 'node:fs/promises';
import type { ResponseOf } from '@alpenglow/domain';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { main, waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** A moderator reads the figures of a period and saves them. An invalid period shows a message. */
let product: TestProduct;
let browser: Browser;
let context: BrowserContext;
let watch: ConsoleWatch;
let page: Page;

beforeAll(async () => {
  product = await startTestProduct();
  const api = apiClient(product.url);
  const admin = await api.signUp('client', { email: 'admin@example.com' });
  const moderator = await api.signUp('client');
  const granted = await api.call('PUT', `/api/admin/users/${moderator.user.id}/role`, {
    token: admin.token,
    body: { role: 'moderator', reason: 'Helps out' },
  });
  expect(granted.status).toBe(200);
  await reportAndDecide(api, moderator);
  await waitForRead(api);
  browser = await sharedBrowser();
  context = await openVisitor(browser, product.url, { token: moderator.token });
  watch = new ConsoleWatch(context, [/status of 400 .*\/admin\/transparency\?/u]);
  page = await context.newPage();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

/** Posts an ad that three visitors report. A moderator hides the ad, and its owner appeals. */
async function reportAndDecide(api: ApiClient, moderator: Person): Promise<void> {
  const provider = await api.signUp('provider');
  const { id } = await api.postAd(provider.token);
  await waitForRead(api);
  for (const reason of ['spam', 'spam', 'stolen'])
    expect((await api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id }, reason } })).status).toBe(
      201,
    );
  const onCase = (what: string, body?: unknown) =>
    api.call('POST', `/api/admin/moderation/cases/ad-${id}/${what}`, {
      token: moderator.token,
      ...(body !== undefined && { body }),
    });
  await onCase('claim');
  const decided = await onCase('decide', { outcome: 'hidden', rule: 'spam', facts: 'The same words everywhere.' });
  expect(decided.status).toBe(200);
  await waitForRead(api);
  const { body } = await api.call('GET', '/api/account/decisions', { token: provider.token });
  const [statement] = body['data'] as readonly { readonly id: string }[];
  const appealed = await api.call('POST', `/api/account/decisions/${statement?.id}/appeal`, {
    token: provider.token,
    body: { text: 'They are my own words.' },
  });
  expect(appealed.status).toBe(200);
}

const rowsOf = async (table: string) =>
  (await main(page).getByRole('region', { name: table, exact: true }).locator('tbody tr').allInnerTexts()).map((text) =>
    text.replaceAll(/\s+/gu, ' '),
  );
const day = (name: 'First day' | 'Last day') => main(page).getByLabel(name);
const saveAs = (format: string) => main(page).getByRole('button', { name: `Save as ${format}` });

async function saveFigures(format: 'JSON' | 'CSV'): Promise<{ readonly name: string; readonly text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), saveAs(format).click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

/** Returns the figures of a file, one line each. */
const figuresIn = (csv: string) =>
  csv
    .trim()
    .split('\r\n')
    .map((line) =>
      line
        .split(',')
        .slice(2)
        .filter((value) => value !== '')
        .join(' '),
    )
    .filter((line) => /^(?:reports|decisions|appeals) /u.test(line));

it('the page and its files have the same figures of a period; an invalid period shows a message', async () => {
  await page.goto('/admin/transparency');
  await headingOf(page).filter({ hasText: 'Transparency report' }).waitFor();
  await expect.poll(() => rowsOf('Reports by subject and reason')).toEqual(['Ad Spam 2', 'Ad Copied 1']);
  expect(await rowsOf('Decisions by outcome and rule')).toEqual(['Ad Hidden No spam by a person 1']);
  const json = await saveFigures('JSON');
  expect(json.name).toMatch(/^transparency-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.json$/u);
  expect((JSON.parse(json.text) as ResponseOf<'getTransparencyReport'>).data).toMatchObject({
    reports: [
      { subject: 'ad', reason: 'spam', count: 2 },
      { subject: 'ad', reason: 'stolen', count: 1 },
    ],
    decisions: [{ subject: 'ad', outcome: 'hidden', rule: 'spam', isAutomated: false, count: 1 }],
    appeals: { filed: 1 },
  });
  const csv = await saveFigures('CSV');
  expect(csv.name).toBe(json.name.replace('.json', '.csv'));
  expect(figuresIn(csv.text)).toEqual([
    'reports ad spam 2',
    'reports ad stolen 1',
    'decisions ad hidden spam false 1',
    'appeals 1',
  ]);

  await day('First day').fill('2100-01-01');
  await main(page).getByText('The first day must not be after the last day').waitFor();
  await expect.poll(() => rowsOf('Reports by subject and reason')).toEqual([]);
  expect(await saveAs('JSON').isDisabled()).toBe(true);
  expect(await axeViolations(page)).toEqual([]);
  await day('First day').fill('2001-01-01');
  await main(page).getByText('A report can cover at most ten years').waitFor();
  await day('Last day').fill('2026-01-31');
  await day('First day').fill('2026-01-01');
  await expect.poll(() => main(page).getByText('None in this period').count()).toBe(6);
  await main(page).getByRole('button', { name: 'Last 365 days' }).click();
  await expect.poll(() => rowsOf('Reports by subject and reason')).toEqual(['Ad Spam 2', 'Ad Copied 1']);
  watch.expectNoProblems();
});
