import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { waitForRead } from '../support/browser-community.ts';
import { createApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { populate, type Visitor, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** A client writes, edits and deletes a review of an ad, and a moderator removes a review. */

let product: TestProduct;
let browser: Browser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url);
  browser = await sharedBrowser();
});
afterAll(() => product?.stop());
afterEach(() => closeVisitors());

async function openAd(visitor: Visitor): Promise<Page> {
  return open(visitor, `/ad/${world.ad.id}`);
}
async function open(visitor: Visitor, path: string): Promise<Page> {
  const context = await openVisitor(browser, product.url, { token: world.tokenOf(visitor) });
  const page = await context.newPage();
  await page.goto(path);
  await headingOf(page).first().waitFor();
  return page;
}
const chooseRating = (page: Page, name: string) =>
  page.getByRole('radio', { name, exact: true }).check({ force: true });
const today = () => new Date().toLocaleDateString('en-US', { dateStyle: 'long' });

test('a client writes a review, which names missing fields, and edits and deletes it after a reload', async () => {
  const client = createApiClient(product.url);
  const other = await client.signUp('client', { email: 'carl@example.com', displayName: 'Carl' });
  const page = await openAd('client');
  const reviews = page.getByRole('region', { name: 'Reviews' });

  // Each error names its field, and disappears as soon as the field is valid.
  await reviews.getByRole('button', { name: 'Write a review' }).click();
  await reviews.getByRole('button', { name: 'Publish review' }).click();
  await reviews.getByText('Please choose a rating').waitFor();
  await reviews.getByText('Please describe your experience').waitFor();
  await chooseRating(page, '5 of 5 stars');
  await reviews.getByText('Please choose a rating').waitFor({ state: 'detached' });
  await reviews.getByLabel('Your experience').fill('Kind and on time.');
  await reviews.getByText('Please describe your experience').waitFor({ state: 'detached' });
  await reviews.getByLabel('Your experience').fill(' ');
  await reviews.getByText('Please describe your experience').waitFor();
  await reviews.getByLabel('Your experience').fill('Kind and on time.');
  expect(await axeViolations(page)).toEqual([]);
  await reviews.getByRole('button', { name: 'Publish review' }).click();
  await reviews.getByText('Thank you. Your review is online.').waitFor();
  await reviews.getByText(today()).waitFor();

  // After a reload, the page offers to edit the review instead of writing another one.
  await page.reload();
  await reviews.getByText('Kind and on time.').waitFor();
  await reviews.getByRole('button', { name: 'Edit', exact: true }).waitFor();
  expect(await reviews.getByRole('button', { name: 'Write a review' }).count()).toBe(0);
  await reviews.getByRole('button', { name: 'Edit', exact: true }).click();
  expect(await reviews.getByLabel('Your experience').inputValue()).toBe('Kind and on time.');
  await chooseRating(page, '3 of 5 stars');
  await reviews.getByLabel('Your experience').fill('Kind, but late.');
  await reviews.getByRole('button', { name: 'Save review' }).click();
  await reviews.getByText('Your review was changed.').waitFor();
  await reviews.getByText('Kind, but late.').waitFor();
  await reviews.getByText(`edited ${today()}`).waitFor();

  // The average of 3 and 4 stars is shown with half a star. Other visitors see no buttons.
  const sent = await client.call('POST', `/api/ads/${world.ad.id}/reviews`, {
    token: other.token,
    body: { comment: 'Pleasant.', rating: 4 },
  });
  expect(sent.status).toBe(201);
  await waitForRead(client);
  const visitor = await openAd('guest');
  // The server may send a page that is one second old.
  await eventually(async () => {
    await visitor.reload();
    await headingOf(visitor).first().waitFor();
    expect(await visitor.getByText('3.5 of 5 stars').count()).toBeGreaterThan(0);
  });
  expect(await visitor.locator('#reviews ~ p').first().locator('[data-fill="half"]').count()).toBe(1);
  expect(await visitor.getByRole('button', { name: 'Edit', exact: true }).count()).toBe(0);

  // Deleting requires a confirmation.
  await reviews.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your review?' });
  await dialog.getByText('Cancel', { exact: true }).click();
  await reviews.getByText('Kind, but late.').waitFor();
  await reviews.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await reviews.getByText('Your review was deleted.').waitFor();
  await reviews.getByText('Kind, but late.').waitFor({ state: 'detached' });
  await reviews.getByRole('button', { name: 'Write a review' }).waitFor();
});

test('a moderator removes a review of a reported ad, and its author cannot write another one', async () => {
  const client = createApiClient(product.url);
  const { token } = await client.signUp('client', { email: 'dora@example.com', displayName: 'Dora' });
  const body = { comment: 'She lives at the station.', rating: 1 };
  const reviewed = await client.call('POST', `/api/ads/${world.ad.id}/reviews`, { token, body });
  expect(reviewed.status).toBe(201);
  const reported = await client.call('POST', '/api/reports', {
    body: { subject: { kind: 'ad', id: world.ad.id }, reason: 'other', text: 'See the last review.' },
  });
  expect(reported.status).toBe(201);
  await waitForRead(client);

  const page = await open('moderator', '/admin/moderation');
  await page.getByRole('link', { name: `Ad: ${world.ad.title}` }).click();
  await page.getByRole('button', { name: 'Remove the review by Dora' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove the review by Dora?' });
  await dialog.getByRole('textbox').fill('It says where a person lives.');
  await dialog.getByRole('button', { name: 'Remove review' }).click();
  await page.getByText('The review was removed').first().waitFor();
  await waitForRead(client);

  const context = await openVisitor(browser, product.url, { token });
  const author = await context.newPage();
  await author.goto(`/ad/${world.ad.id}`);
  await author.getByText('A moderator has removed your review.').waitFor();
  expect(await author.getByText(body.comment).count()).toBe(0);
  expect(await author.getByRole('button', { name: 'Write a review' }).count()).toBe(0);
});
