import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording, type Recording } from '../support/recording.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { upload } from '../support/uploads.ts';

/** Tests what an owner sees after moderation has hidden the ad or a thread, or has removed one photo of the ad. */

const FACTS = 'The third sentence names another person.';

let product: TestProduct;
let browser: Browser;
let api: ApiClient;
let recording: Recording;
let moderator: Person;

beforeAll(async () => {
  product = await startTestProduct();
  browser = await sharedBrowser();
  api = apiClient(product.url);
  recording = await openRecording(product);
  moderator = await recording.member({ role: 'moderator' });
});
afterAll(async () => {
  await recording?.close();
  await product?.stop();
});
afterEach(() => closeVisitors());

async function open(path: string, { token }: Person): Promise<Page> {
  const context = await openVisitor(browser, product.url, { token });
  const page = await context.newPage();
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

/** Reports content, and decides its case. */
async function decide(kind: string, id: string, outcome: string): Promise<void> {
  await api.call('POST', '/api/reports', { body: { subject: { kind, id }, reason: 'spam', text: null } });
  const path = `/api/admin/moderation/cases/${kind}-${id}`;
  await api.call('POST', `${path}/claim`, { token: moderator.token, body: {} });
  const body = { outcome, rule: 'contact', facts: FACTS };
  const { status } = await api.call('POST', `${path}/decide`, { token: moderator.token, body });
  expect(status).toBe(200);
  await waitForRead(api);
}

test('the owner of a hidden ad learns at /post-ad why it is hidden, and can appeal', async () => {
  const owner = await recording.member({ userType: 'provider' });
  const { id } = await api.postAd(owner.token, { title: 'A calm afternoon' });
  await decide('ad', id, 'hidden');
  const page = await open('/post-ad', owner);
  const main = page.getByRole('main');
  await main.getByRole('heading', { name: 'Ad Already Posted' }).waitFor();
  await main.getByText('Your ad is hidden by moderation').waitFor();
  await main.getByText(FACTS).waitFor();
  await main.getByText(/You can appeal until/u).waitFor();
  expect(await main.getByRole('button', { name: 'Post Ad' }).count()).toBe(0);
  await main.getByRole('link', { name: 'Reasons and next steps' }).click();
  await page.getByRole('heading', { name: 'Statement of reasons' }).waitFor();
  await page.getByLabel('Why is the decision wrong?').waitFor();
});

test('the owner can edit a hidden ad, and confirms that changes are discarded', async () => {
  const owner = await recording.member({ userType: 'provider' });
  const { id } = await api.postAd(owner.token, { title: 'A calm evening' });
  await decide('ad', id, 'hidden');
  const page = await open(`/edit/${id}`, owner);
  const main = page.getByRole('main');
  await main.getByText('Your ad is hidden by moderation. You can edit it').waitFor();
  const cancel = () => main.getByRole('button', { name: 'Cancel', exact: true }).first().click();
  await main.getByLabel('Title').fill('Another title');
  await cancel();
  const dialog = page.getByRole('dialog', { name: 'Discard your changes?' });
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  expect(await main.getByLabel('Title').inputValue()).toBe('Another title');
  await cancel();
  await dialog.getByRole('button', { name: 'OK', exact: true }).click();
  await page.waitForURL('**/provider-profile');
});

/** Posts an ad with two photos, and returns the ids of the ad and the photos. */
async function postTwoPhotos(owner: Person) {
  const photos: string[] = [];
  for (const width of [400, 420]) {
    const bytes = await pictures.jpeg(width, 300);
    const { body } = await upload(product.url, 'photos', [{ bytes }], owner.token);
    photos.push((body['urls'] as readonly string[])[0] ?? '');
  }
  const { id } = await api.postAd(owner.token, { title: 'Two photos', photos });
  await waitForRead(api);
  return { id, photoIds: photos.map((url) => url.split('/')[3] ?? '') };
}

test('the owner learns which photo was removed, and that the ad stays online', async () => {
  const owner = await recording.member({ userType: 'provider' });
  const { id, photoIds } = await postTwoPhotos(owner);
  await decide('media', photoIds[1] ?? '', 'removed');

  const page = await open('/provider-profile', owner);
  const main = page.getByRole('main');
  await main.getByText('Moderation has taken a photo out of this ad').waitFor();
  await main.getByText(/Your ad stays online without this content/u).waitFor();
  expect(await main.getByText('This ad is hidden by moderation').count()).toBe(0);
  await main.getByRole('link', { name: 'Reasons and next steps' }).click();
  await page.getByRole('link', { name: 'Photo 2: Two photos' }).click();
  await page.getByText('Your ad stays online without it. You can').waitFor();

  const visitor = await open(`/ad/${id}`, moderator);
  await visitor.getByRole('heading', { name: 'Two photos' }).waitFor();
  expect(await visitor.locator('[data-ad-picture] img').count()).toBe(1);
});

test('the owner sees which photo is hidden, and no statement that a hidden ad is online', async () => {
  const owner = await recording.member({ userType: 'provider' });
  const { id, photoIds } = await postTwoPhotos(owner);
  await decide('media', photoIds[0] ?? '', 'hidden');

  const form = await open(`/edit/${id}`, owner);
  const tiles = form.getByRole('list', { name: 'Chosen photos' }).getByRole('listitem');
  await tiles.first().getByText('Visitors do not see this photo').waitFor();
  expect(await tiles.first().getByText('Cover', { exact: true }).count()).toBe(0);
  await tiles.nth(1).getByText('Cover', { exact: true }).waitFor();

  const page = await open(`/provider-ad/${id}`, owner);
  const shown = page.locator('[data-ad-picture] img');
  await shown.first().waitFor();
  expect(await shown.count()).toBe(1);
  expect(await shown.first().getAttribute('src')).toContain(photoIds[1]);

  await decide('ad', id, 'hidden');
  const dashboard = await open('/provider-profile', owner);
  const main = dashboard.getByRole('main');
  await main.getByText('This ad is hidden by moderation').waitFor();
  await main.getByText('Moderation has taken a photo out of this ad').waitFor();
  await main.getByRole('heading', { name: 'What only you and moderators see' }).waitFor();
  await main.getByText('1 photo, not online').waitFor();
  await main.getByText('Not while the ad is hidden').waitFor();
  for (const text of ['What visitors see', 'Online now', '1 photo online'])
    expect(await main.getByText(text, { exact: true }).count(), text).toBe(0);
});

test('the author of a hidden thread sees it with its state and the reason', async () => {
  const author = await recording.member();
  const started = await api.call('POST', '/api/community/threads', {
    token: author.token,
    body: { country: 'US', state: 'NV', city: 'Las Vegas', title: 'Walks by night', body: 'Which street is calm?' },
  });
  const { id = '' } = (started.body['data'] ?? {}) as { readonly id?: string };
  await waitForRead(api);
  await decide('thread', id, 'hidden');
  const page = await open('/account/decisions', author);
  await page.getByRole('link', { name: 'Thread: Walks by night' }).click();
  await page.getByRole('link', { name: 'Walks by night' }).click();
  await page.getByRole('heading', { level: 1, name: 'Walks by night' }).waitFor();
  const opening = page.getByRole('article').first();
  await opening.getByText(`This post is hidden: ${FACTS}`).waitFor();
  await opening.getByText('Only you and moderators can see it.').waitFor();
  await opening.getByText('Which street is calm?').waitFor();
  // The address also opens the thread without the page of the decision.
  const direct = await open(`/community/${id}`, author);
  await direct.getByRole('heading', { level: 1, name: 'Walks by night' }).waitFor();
});
