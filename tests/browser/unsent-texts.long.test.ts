import { moderationCase, toCaseId, type CaseId, type CaseView } from '@alpenglow/domain';
import { claimCase, releaseCase } from '@alpenglow/domain/deciders';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createApiClient, type ApiClient } from '../support/api-client.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { waitForRead } from '../support/browser-community.ts';
import { injectFailure, respondWith } from '../support/browser-failures.ts';
import { populate, type Visitor, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording, TEST_ORIGIN, type Recording } from '../support/recording.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** No text is lost if a claim expires, a request fails, a press ends outside of a dialog, or the page is reloaded. */

const MINUTE_ms = 60_000;
const FACTS = 'The second line names a person who did not agree to it.';
const RESTORED = 'Your unsent text was restored';
const rejected = respondWith(400, { success: false, message: 'Not at this moment' });

let product: TestProduct;
let browser: Browser;
let world: World;
let client: ApiClient;
let recording: Recording;

beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url);
  client = createApiClient(product.url);
  recording = await openRecording(product);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await recording?.close();
  await product?.stop();
});
afterEach(() => closeVisitors());

async function open(visitor: Visitor, path: string): Promise<Page> {
  const context = await openVisitor(browser, product.url, { token: world.tokenOf(visitor) });
  const page = await context.newPage();
  await page.goto(path);
  await headingOf(page).first().waitFor();
  return page;
}
const press = (target: Page | Locator, name: string) => target.getByRole('button', { name, exact: true }).click();

test('an ad that was deleted in another tab keeps its new texts and can be posted as a new one', async () => {
  const { token } = await client.signUp('provider');
  const { id } = await client.postAd(token, { title: 'An evening by the lake', state: 'NV', city: 'Reno' });
  const page = await (await openVisitor(browser, product.url, { token })).newPage();
  await page.goto(`/edit/${id}`);
  await page.getByLabel('Title').fill('A morning by the lake');
  expect((await client.call('DELETE', `/api/ads/${id}`, { token })).status).toBe(200);
  await press(page, 'Update Ad');
  await page.getByText('This ad was deleted in the meantime').waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('A morning by the lake');
  await press(page, 'Post it as a new ad');
  await page.waitForURL('**/post-ad');
  await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('A morning by the lake');
  await press(page, 'Post Ad');
  await page.getByRole('dialog', { name: 'Ad posted successfully!' }).waitFor();
});

describe('a dialog', () => {
  test('closes only if a press begins and ends outside, and keeps its text', async () => {
    const page = await open('client', `/ad/${world.ad.id}`);
    const dialog = page.getByRole('dialog', { name: 'Report this ad' });
    await press(page, 'Report this ad');
    const text = dialog.getByLabel('Details');
    await text.fill('She is my sister.');
    const box = await text.boundingBox();
    if (!box) throw new Error('The field is not visible');
    const inside = [box.x + box.width / 2, box.y + box.height / 2] as const;
    const outside = [5, 5] as const;

    // Selecting text with the mouse ends outside of the dialog.
    await page.mouse.move(...inside);
    await page.mouse.down();
    await page.mouse.move(...outside);
    await page.mouse.up();
    expect(await text.inputValue()).toBe('She is my sister.');
    await page.mouse.move(...outside);
    await page.mouse.down();
    await page.mouse.move(...inside);
    await page.mouse.up();
    expect(await dialog.count()).toBe(1);
    // In its first moment, the dialog ignores presses outside of it.
    await page.waitForTimeout(600);
    await page.mouse.click(...outside);
    await dialog.waitFor({ state: 'detached' });

    await press(page, 'Report this ad');
    await dialog.getByText(RESTORED).waitFor();
    expect(await text.inputValue()).toBe('She is my sister.');
    expect(await axeViolations(page)).toEqual([]);
    await page.reload();
    await press(page, 'Report this ad');
    expect(await text.inputValue()).toBe('She is my sister.');
    await press(dialog, 'Discard text');
    expect(await text.inputValue()).toBe('');
    expect(await text.evaluate((element) => element === document.activeElement), 'the focus').toBe(true);
    await page.reload();
    await press(page, 'Report this ad');
    expect(await text.inputValue()).toBe('');
  });

  test('with a reason stays open with the text and the error when the request fails', async () => {
    const page = await open('admin', '/admin/ads');
    await press(page, `Actions on ${world.ad.title}`);
    await press(page, 'Take down…');
    const dialog = page.getByRole('dialog', { name: `Take “${world.ad.title}” down?` });
    const failure = await injectFailure(page, `DELETE /api/admin/ads/${world.ad.id}`, rejected);
    await dialog.getByLabel('Rule').selectOption('No spam');
    await dialog.getByLabel('Reason').fill('A copy of another ad.');
    await press(dialog, 'Take down');
    await dialog.getByRole('alert').getByText('Not at this moment').waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('A copy of another ad.');
    expect(await axeViolations(page)).toEqual([]);

    await page.reload();
    await press(page, `Actions on ${world.ad.title}`);
    await press(page, 'Take down…');
    await dialog.getByText(RESTORED).waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('A copy of another ad.');
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }));
    expect(stored, 'notes about people stay in this tab').not.toContain('A copy of another ad');
    expect(failure.count()).toBe(1);
    await press(dialog, 'Cancel');
  });

  test('with a confirmation stays open and shows the error when the request fails', async () => {
    const page = await open('admin', '/admin/blog/an-evening-well-spent');
    const failure = await injectFailure(page, 'POST /api/admin/blog/articles/*/withdraw', rejected);
    await press(page, 'Withdraw…');
    const dialog = page.getByRole('dialog', { name: 'Withdraw this article?' });
    await dialog.getByRole('textbox').fill('Out of date.');
    await press(dialog, 'Withdraw');
    await dialog.getByRole('alert').getByText('Not at this moment').waitFor();
    expect(await dialog.getByRole('textbox').inputValue()).toBe('Out of date.');
    await failure.remove();
    await press(dialog, 'Withdraw');
    await dialog.waitFor({ state: 'detached' });
    await press(page, 'Publish again…');
    await press(page.getByRole('dialog', { name: 'Publish this article?' }), 'Publish now');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press(page, 'Withdraw…');
    expect(await dialog.getByRole('textbox').inputValue(), 'a sent text is no draft').toBe('');
  });
});

describe('the form for a decision', () => {
  let caseId: CaseId;
  beforeAll(async () => {
    const { token } = await client.signUp('provider', { email: 'dana@example.com', displayName: 'Dana' });
    const subject = { kind: 'ad', id: (await client.postAd(token, { title: 'A walk in the park' })).id } as const;
    const report = { subject, reason: 'spam', text: null };
    expect((await client.call('POST', '/api/reports', { body: report })).status).toBe(201);
    caseId = toCaseId(subject);
  });

  /** Claims the case as the moderator. The claim began `age_ms` ago. */
  async function claim(age_ms: number): Promise<void> {
    const now = new Date(Date.now() - age_ms).toISOString();
    const command = { moderatorId: world.people.moderator.user.id };
    await recording.commands.execute(moderationCase, caseId, releaseCase, command, TEST_ORIGIN);
    await recording.commands.execute(moderationCase, caseId, claimCase, command, TEST_ORIGIN, { now });
    await waitForRead(client);
  }
  async function readCase(): Promise<CaseView> {
    const { body } = await client.call('GET', `/api/admin/moderation/cases/${caseId}`, {
      token: world.people.moderator.token,
    });
    return body['data'] as CaseView;
  }

  test('renews the claim while the moderator types, shortly before it expires', async () => {
    await claim(26 * MINUTE_ms);
    const page = await open('moderator', `/admin/moderation/cases/${caseId}`);
    await page.getByText('You have claimed this case until').waitFor();
    const claims: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/claim')) claims.push(request.method());
    });
    await page.getByLabel('Facts').pressSequentially('She did');
    await expect
      .poll(async () => Date.parse((await readCase()).claim?.until ?? ''))
      .toBeGreaterThan(Date.now() + 20 * MINUTE_ms);
    await page.getByLabel('Facts').pressSequentially(' not agree.');
    expect(claims, 'one request is enough').toEqual(['POST']);
    // The text is restored after a reload, and can be discarded.
    await page.reload();
    await page.getByText(RESTORED).waitFor();
    expect(await page.getByLabel('Facts').inputValue()).toBe('She did not agree.');
    await press(page, 'Discard text');
    expect(await page.getByLabel('Facts').inputValue()).toBe('');
  });

  test('stays with its text when the claim expires and another moderator claims the case', async () => {
    await claim(30 * MINUTE_ms - 20_000);
    const page = await open('moderator', `/admin/moderation/cases/${caseId}`);
    const failure = await injectFailure(page, 'POST /api/admin/moderation/cases/*/claim', rejected);
    await page.getByRole('radio', { name: /^Hide the content/u }).check();
    await page.getByLabel('Facts').fill(FACTS);
    await page.getByText('Your claim has expired. Your text is still here.').waitFor();
    expect(await page.getByLabel('Facts').inputValue()).toBe(FACTS);
    expect(await page.getByRole('button', { name: 'Decide', exact: true }).isDisabled()).toBe(true);
    expect(await axeViolations(page)).toEqual([]);

    const as = (token: string, action: string) =>
      client.call('POST', `/api/admin/moderation/cases/${caseId}/${action}`, { token, body: {} });
    expect((await as(world.people.admin.token, 'claim')).status).toBe(200);
    await page.getByText(/^Your claim has expired, and Ada has claimed the case until/u).waitFor();
    expect(await page.getByLabel('Facts').inputValue()).toBe(FACTS);
    expect((await as(world.people.admin.token, 'release')).status).toBe(200);
    await failure.remove();
    await press(page, 'Claim again');
    await page.getByText('You have claimed this case until').waitFor();
    expect(await page.getByLabel('Facts').inputValue()).toBe(FACTS);

    // A failed decision keeps the dialog and the form.
    const broken = await injectFailure(page, 'POST /api/admin/moderation/cases/*/decide', rejected);
    await press(page, 'Decide');
    const dialog = page.getByRole('dialog', { name: 'Confirm this decision?' });
    await press(dialog, 'Decide');
    await dialog.getByRole('alert').getByText('Not at this moment').waitFor();
    await broken.remove();
    await press(dialog, 'Decide');
    await page.getByRole('heading', { name: 'No open cases' }).waitFor();
    const stored = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));
    expect(stored, 'the draft is deleted').not.toContain(FACTS);
  });
});

describe('an unsent text', () => {
  test('of a sign-up is restored after a reload without its password, and can be discarded', async () => {
    const page = await (await openVisitor(browser, product.url)).newPage();
    await page.goto('/signup');
    const name = page.getByLabel('Display name');
    await name.fill('Paulina');
    await page.getByRole('radio', { name: /Provider/u }).check();
    await page.getByRole('spinbutton', { name: 'Age' }).fill('31');
    await page.getByRole('textbox', { name: 'E-mail' }).fill('paulina@example.com');
    await page.getByLabel('Password', { exact: true }).fill('a long and calm passphrase');
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(
      'passphrase',
    );
    await page.reload();
    await page.getByText(RESTORED).waitFor();
    expect(await name.inputValue()).toBe('Paulina');
    expect(await page.getByRole('radio', { name: /Provider/u }).isChecked()).toBe(true);
    expect(await page.getByRole('spinbutton', { name: 'Age' }).inputValue()).toBe('31');
    expect(await page.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe('paulina@example.com');
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    expect(await axeViolations(page)).toEqual([]);
    await press(page, 'Discard text');
    expect(await name.inputValue()).toBe('');
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain('Paulina');
  });

  test('of a review is restored after a reload and can be discarded', async () => {
    const page = await open('client', `/ad/${world.ad.id}`);
    const reviews = page.getByRole('region', { name: 'Reviews' });
    await press(reviews, 'Write a review');
    await reviews.getByLabel('Your experience').fill('Kind and on time.');
    await page.reload();
    await press(reviews, 'Write a review');
    await reviews.getByText(RESTORED).waitFor();
    expect(await reviews.getByLabel('Your experience').inputValue()).toBe('Kind and on time.');
    await press(reviews, 'Discard text');
    expect(await reviews.getByLabel('Your experience').inputValue()).toBe('');
  });

  test('of a reply and of an edited post is restored after a reload', async () => {
    const page = await open('admin', world.thread.path);
    const reply = page.getByRole('form', { name: 'Reply' });
    await reply.getByRole('textbox', { name: 'Your reply' }).fill('By the lake, too.');
    await page.reload();
    await reply.getByText(RESTORED).waitFor();
    expect(await reply.getByRole('textbox', { name: 'Your reply' }).inputValue()).toBe('By the lake, too.');
    const post = page.locator('article#post-1');
    await post.getByRole('button', { name: 'More actions for post 1' }).click();
    await post.getByRole('button', { name: /^Edit/u }).click();
    const form = page.getByRole('form', { name: 'Edit your post' });
    await form.getByRole('textbox').fill('And in the park, at noon.');
    await page.reload();
    await post.getByRole('button', { name: 'More actions for post 1' }).click();
    await post.getByRole('button', { name: /^Edit/u }).click();
    expect(await form.getByRole('textbox').inputValue()).toBe('And in the park, at noon.');
    await press(form, 'Discard text');
    expect(await form.getByRole('textbox').inputValue()).toBe('And in the park, in the morning.');
  });
});
