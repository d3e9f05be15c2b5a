import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { main, waitForRead } from '../support/browser-community.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Tests that staff can work with the admin panel on a screen that is 1,280 px wide. */

const REPORTS = 12;
const REPORT_TEXT = 'The phone number belongs to my neighbor.';

let product: TestProduct;
let browser: Browser;
let world: World;
let api: ApiClient;
let page: Page;

beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url, { body: 'Slim, 168 cm' });
  api = apiClient(product.url);
  for (let number = 1; number <= REPORTS; number++) {
    const { status } = await api.call('POST', '/api/reports', {
      token: (await api.signUp('client')).token,
      body: {
        subject: { kind: 'ad', id: world.ad.id },
        reason: 'other',
        text:
          number === REPORTS ? REPORT_TEXT : `Report number ${number}. ${'It has several lines of text. '.repeat(8)}`,
      },
    });
    expect(status).toBe(201);
  }
  await waitForRead(api);
  browser = await sharedBrowser();
  page = await (await openVisitor(browser, product.url, { token: world.people.admin.token })).newPage();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

const at = async (path: string) => {
  await page.goto(path);
  await headingOf(page).first().waitFor();
};

/** Checks whether an element is completely inside the viewport. */
const isInViewport = (element: Locator) =>
  element.evaluate((target) => {
    const { top, bottom, left, right } = target.getBoundingClientRect();
    return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
  });

test('the overview starts with what waits for staff, and lists the read models only if one is late', async () => {
  await at('/admin');
  await main(page).getByRole('heading', { name: 'Waiting for you' }).waitFor();
  expect(await main(page).getByRole('heading', { level: 2 }).first().textContent()).toBe('Waiting for you');
  await main(page).getByRole('link', { name: 'Open cases' }).waitFor();
  await main(page)
    .getByText(/^All \d+ read models are up to date\.$/u)
    .waitFor();
  expect(await main(page).getByRole('region', { name: 'Read models' }).count()).toBe(0);

  const late = await page.context().newPage();
  await late.route('**/api/sync/status', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: { projections: { name: string; state: string; lag: number }[] } };
    const projections = body.data.projections.map((projection) =>
      projection.name === 'ad_cards' ? { ...projection, state: 'catching up', lag: 7 } : projection,
    );
    const consumers = [
      { name: 'audit-chain', state: 'failing', cause: 'NewerEventVersionError: Boosted', since: new Date() },
    ];
    await route.fulfill({ response, json: { ...body, data: { ...body.data, projections, consumers } } });
  });
  await late.goto('/admin');
  await late.getByRole('row', { name: /^Lists of ads Catching up 7 events/u }).waitFor();
  expect(await late.getByText('ad_cards').count()).toBe(0);
  await late.getByRole('heading', { name: 'Stopped parts' }).waitFor();
  await late
    .getByRole('row', { name: /^Moderation log and audit chain .*NewerEventVersionError: Boosted$/u })
    .waitFor();
  await late.close();
});

describe('the queue of cases', () => {
  const row = () => main(page).getByRole('listitem').filter({ hasText: world.ad.title });

  test('shows the picture and the text of the newest report', async () => {
    await at('/admin/moderation');
    await row().getByText(`“${REPORT_TEXT}”`).waitFor();
    const picture = row().locator('img');
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth > 0)).toBe(true);
  });

  test('can be filtered by content and reason', async () => {
    await at('/admin/moderation');
    await row().waitFor();
    await main(page).getByLabel('Content').selectOption('Thread');
    await main(page).getByText('No cases match these filters').waitFor();
    await main(page).getByLabel('Content').selectOption('Ad');
    await row().waitFor();
    await main(page).getByLabel('Reason').selectOption('Spam');
    await main(page).getByText('No cases match these filters').waitFor();
    await main(page).getByLabel('Reason').selectOption('Other');
    await row().waitFor();
    expect(new URL(page.url()).searchParams.get('reason')).toBe('other');
  });
});

test('the form of a decision stays in the viewport next to the content, however many reports there are', async () => {
  await at('/admin/moderation');
  await main(page).getByRole('button', { name: 'Claim' }).click();
  await page.getByText('You have claimed this case until').waitFor();
  const form = main(page).getByRole('region', { name: 'Decide' });
  await form.waitFor();
  await main(page)
    .getByRole('heading', { name: `${REPORTS} reports` })
    .waitFor();
  const radio = form.getByRole('radio').first();
  await main(page).getByRole('heading', { name: 'Content under review' }).scrollIntoViewIfNeeded();
  expect(await isInViewport(radio)).toBe(true);
  const last = main(page).getByText('Report number 1.');
  const first = main(page).getByText(REPORT_TEXT);
  // At the top of the page, the heading of the case takes the place of the last fields.
  for (const report of [first, last]) {
    await report.evaluate((target) => target.scrollIntoView({ block: 'start' }));
    expect(await isInViewport(radio), 'while a report is read').toBe(true);
    expect(await isInViewport(form.getByRole('button', { name: 'Decide', exact: true }))).toBe(true);
  }
  // The label of the body of an ad is the same as in the form of the ad.
  await main(page).getByText('Physique', { exact: true }).first().waitFor();
});

test('“Compare” scrolls to its result and focuses it', async () => {
  await api.call('PUT', `/api/ads/${world.ad.id}`, {
    token: world.people.provider.token,
    body: { description: 'Other words.' },
  });
  await waitForRead(api);
  await at(`/admin/ads/${world.ad.id}`);
  const compare = main(page).getByRole('button', { name: /^Compare with “Posted”/u });
  await compare.scrollIntoViewIfNeeded();
  await compare.click();
  const heading = main(page).getByRole('heading', { name: 'Comparison' });
  await heading.waitFor();
  await expect.poll(() => heading.evaluate((element) => element === document.activeElement)).toBe(true);
  await expect.poll(() => isInViewport(heading)).toBe(true);
  expect(await main(page).getByText('Status', { exact: true }).count()).toBeGreaterThan(0);
});

test('ids are shown only under “Technical details”', async () => {
  await at(`/admin/ads/${world.ad.id}`);
  await main(page).getByRole('heading', { name: 'Timeline' }).waitFor();
  expect(await main(page).innerText()).not.toContain(world.ad.id);
  await main(page).getByText('Technical details').first().click();
  await main(page).getByText(world.ad.id).first().waitFor();
  await at('/admin/projections');
  await main(page).getByRole('row').nth(1).waitFor();
  expect(await main(page).innerText()).not.toMatch(/[a-z]+_[a-z]+/u);
});

test.each([
  '/admin',
  '/admin/moderation',
  '/admin/log',
  '/admin/transparency',
  '/admin/rules',
  '/admin/users',
  '/admin/ads',
  '/admin/identity',
  '/admin/verification-codes',
  '/admin/staff-reads',
  '/admin/projections',
  '/admin/jobs',
  '/admin/blog',
])('the tables of %s fit into 1,280 px', async (path) => {
  await at(path);
  await page.waitForLoadState('networkidle');
  const tooWide = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('table'), ...document.querySelectorAll(':has(> table)')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((element) => `${element.tagName}.${element.className}: ${element.scrollWidth} > ${element.clientWidth}`),
  );
  expect(tooWide).toEqual([]);
});

test('the dialog for a report is in the middle of a desktop screen', async () => {
  await at(`/ad/${world.ad.id}`);
  await page.getByRole('button', { name: 'Report this ad' }).click();
  const dialog = page.getByRole('dialog', { name: 'Report this ad' });
  await dialog.waitFor();
  const box = await dialog.boundingBox();
  const viewport = page.viewportSize();
  if (!box || !viewport) throw new Error('The dialog has no box');
  expect(Math.abs(box.x + box.width / 2 - viewport.width / 2)).toBeLessThan(2);
  expect(Math.abs(box.y + box.height / 2 - viewport.height / 2)).toBeLessThan(2);
  expect(box.width).toBeLessThan(viewport.width * 0.7);
});
