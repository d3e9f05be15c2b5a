import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiClient, type ApiClient } from '../support/api-client.ts';
import { DESKTOP, openVisitor, PHONE, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { expectAccessible } from '../support/browser-axe.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { populate, type World } from '../support/people.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { waitForReadModels } from '../support/threads.ts';
import { upload } from '../support/uploads.ts';

/** A person requests the removal of an ad, and a moderator decides the request. */

let product: TestProduct;
let browser: Browser;
let world: World;
let client: ApiClient;
const watches: ConsoleWatch[] = [];

beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url);
  client = createApiClient(product.url);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

async function openPage(address: string, options: VisitorOptions, allowed: readonly RegExp[] = []): Promise<Page> {
  const context: BrowserContext = await openVisitor(browser, product.url, options);
  watches.push(new ConsoleWatch(context, allowed));
  const page = await context.newPage();
  await page.goto(address);
  await headingOf(page).first().waitFor();
  return page;
}

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('For myself').check();
  await page.getByLabel('Your name').fill('Anna Example');
  await page.getByLabel('Your e-mail address').fill('anna.example@example.com');
  await page.getByLabel(/I believe in good faith/u).check();
  await page.getByLabel('Signature').fill('Anna Example');
}

it('a request hides the content, shows its state, and is decided by a moderator', async () => {
  const adPath = `/ad/${world.ad.id}`;
  const page = await openPage(`/removal?link=${encodeURIComponent(product.url + adPath)}`, { viewport: PHONE });
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send the request' }).click();
  // The first wrong field has the focus.
  await expect.poll(() => page.locator(':focus').evaluate((field) => field.getAttribute('value'))).toBe('self');
  await fillIn(page);
  await page.getByRole('button', { name: 'Send the request' }).click();
  await headingOf(page).filter({ hasText: 'Your request was received' }).waitFor();
  await page.getByText('We found 1 item. It is hidden.').waitFor();
  await expectAccessible(page);
  const reference = (await page.locator('main strong').innerText()).trim();
  expect(reference).toMatch(/^T-[0-9A-Z]{15}$/u);
  await expect.poll(async () => (await client.call('GET', `/api/ads/${world.ad.id}`)).status).toBe(404);

  await page.getByRole('link', { name: 'Open your private page' }).click();
  await headingOf(page).filter({ hasText: 'Your removal request' }).waitFor();
  // The token is neither visible nor in the history.
  await expect.poll(() => new URL(page.url()).hash).toBe('');
  await page.getByText('A moderator reads it').waitFor();
  await page.getByLabel('Text').fill('It is the second picture.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('It is the second picture.').first().waitFor();
  await expectAccessible(page);

  await waitForReadModels(product.url);
  const desk = await openPage('/admin/removals', { viewport: DESKTOP, token: world.people.moderator.token });
  await desk.getByRole('link', { name: reference }).click();
  await desk.getByText('It is the second picture.').waitFor();
  await desk.getByText('47 hours left').waitFor();
  await expectAccessible(desk);
  await desk.getByRole('button', { name: 'Remove the content' }).click();
  const dialog = desk.getByRole('dialog', { name: 'Remove the content' });
  await dialog.getByRole('textbox').fill('The person did not consent.');
  await dialog.getByRole('button', { name: 'Remove the content' }).click();
  await desk.getByText('The person did not consent.').waitFor();
  await waitForReadModels(product.url);

  await page.reload();
  await page.getByText('The person did not consent.').waitFor();
  await page.getByText(/Backups lose it by/u).waitFor();
  expect(watches.flatMap((watch) => watch.takeProblems())).toEqual([]);
});

it('the open page of a moderator shows that the request was withdrawn', async () => {
  const { body } = await client.call('POST', '/api/removal-requests', {
    body: {
      name: 'Anna',
      email: 'withdrawn@example.com',
      relation: 'self',
      links: ['/ad/unknown'],
      statement: true,
      signature: 'Anna',
    },
  });
  const { id, statusUrl } = body['data'] as { id: string; statusUrl: string };
  await waitForReadModels(product.url);
  const desk = await openPage(`/admin/removals/${id}`, { viewport: DESKTOP, token: world.people.moderator.token });
  await desk.getByRole('button', { name: 'Remove the content' }).waitFor();
  await desk.getByText('Anna', { exact: true }).first().waitFor();
  expect(await desk.getByText('withdrawn@example.com').count(), 'R-6.14').toBe(0);
  const withdrawn = await client.call('POST', `/api/removal-requests/${id}/withdraw`, {
    headers: { 'X-Removal-Token': new URL(statusUrl).hash.slice(1) },
  });
  expect(withdrawn.status).toBe(200);
  await desk.getByText('Withdrawn', { exact: true }).waitFor();
  expect(await desk.getByRole('button', { name: 'Remove the content' }).count()).toBe(0);
});

describe('the form and the private page', () => {
  it.each([
    ['en', 'light', PHONE],
    ['de', 'dark', PHONE],
    ['fr', 'light', DESKTOP],
    ['it', 'dark', DESKTOP],
  ] as const)('are accessible in %s, %s', async (locale, theme, viewport) => {
    const prefix = locale === 'en' ? '' : `/${locale}`;
    const { body } = await client.call('POST', '/api/removal-requests', {
      body: {
        name: 'Anna',
        email: `${locale}@example.com`,
        relation: 'self',
        links: ['/ad/unknown'],
        statement: true,
        signature: 'Anna',
      },
    });
    const { id, statusUrl } = body['data'] as { id: string; statusUrl: string };
    await waitForReadModels(product.url);
    const page = await openPage(`${prefix}/removal`, { viewport, theme, locale });
    await expectAccessible(page, { retainsWidth: true });
    await page.goto(`${prefix}/removal/${id}${new URL(statusUrl).hash}`);
    await page.getByText(/T-[0-9A-Z]{15}/u).waitFor();
    await expectAccessible(page, { retainsWidth: true });
  });
});

it('the report dialog of a picture, the footer and the help page lead to the form', async () => {
  const isForm = (page: Page) => headingOf(page).filter({ hasText: 'Request the removal' }).waitFor();
  const page = await openPage('/help', { viewport: PHONE });
  await page.getByRole('link', { name: 'removal form' }).click();
  await isForm(page);
  await page.goto('/about');
  await page.getByRole('contentinfo').getByRole('link', { name: 'Remove intimate pictures' }).click();
  await isForm(page);

  const owner = await client.signUp('provider');
  // A copy of the photo that the first test has removed would be hidden.
  const { body } = await upload(product.url, 'photos', [{ bytes: await pictures.random() }], owner.token);
  const photos = (body['media'] as readonly { readonly url: string }[]).map(({ url }) => url);
  const { id } = await client.postAd(owner.token, { photos });
  await waitForReadModels(product.url);
  const ad = await openPage(`/ad/${id}`, { viewport: PHONE });
  await ad.getByRole('button', { name: 'Report this photo' }).first().click();
  const [form] = await Promise.all([
    ad.waitForEvent('popup'),
    ad.getByRole('link', { name: 'Request its removal' }).click(),
  ]);
  await isForm(form);
  await expect.poll(() => form.getByLabel('Links').inputValue()).toMatch(/\/uploads\/photos\/[^/]+\/\d+\.jpg$/u);
});
