import { afterAll, beforeAll, test } from 'vitest';
import { apiClient, type Person } from '../support/api.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording, type Recording } from '../support/recording.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { upload } from '../support/uploads.ts';

/** Tests that the owner and staff see photos that are not public, with the tokens that the pages request. */

let product: TestProduct;
let recording: Recording;
let owner: Person;
let staff: Person;
let adId: string;
let photoId: string;

beforeAll(async () => {
  product = await startTestProduct();
  recording = await openRecording(product);
  const api = apiClient(product.url);
  owner = await recording.member({ userType: 'provider', displayName: 'Anna' });
  staff = await recording.member({ email: 'admin@example.com', displayName: 'Mona' });
  const photo = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg(400, 500) }], owner.token);
  photoId = (photo.body['media'] as { id: string }[])[0]?.id ?? '';
  const { id } = await api.postAd(owner.token, { photos: photo.body['urls'] });
  adId = id;
  await api.call('POST', '/api/reports', {
    body: { subject: { kind: 'ad', id }, reason: 'my_content', text: null },
  });
  // Each page reads other read models, and none of them loads its photos again.
  await waitForRead(api);
});
afterAll(async () => {
  await closeVisitors();
  await recording?.close();
  await product?.stop();
});

async function expectLoadedPhoto(person: Person, path: string): Promise<void> {
  const context = await openVisitor(await sharedBrowser(), product.url, { token: person.token });
  const watch = new ConsoleWatch(context);
  const page = await context.newPage();
  await page.goto(path);
  // `currentSrc` is the variant that the browser has chosen.
  await page.waitForFunction(
    (id) =>
      [...document.querySelectorAll('img')].some(
        (image) => image.currentSrc.includes(id) && image.currentSrc.includes('access=') && image.naturalWidth > 0,
      ),
    photoId,
    { timeout: 0 },
  );
  watch.expectNoProblems(path);
  await context.close();
}

test.each([
  ['on the page of the ad', () => `/provider-ad/${adId}`],
  ['in the list of own ads', () => '/my-ads'],
  ['in the form of the ad', () => `/edit/${adId}`],
])('the owner of a hidden ad sees its photos %s', async (_where, path) => {
  await expectLoadedPhoto(owner, path());
});

test.each([
  ['in the moderation case', () => `/admin/moderation/cases/ad-${adId}`],
  ['in the history of the ad', () => `/admin/ads/${adId}`],
])('staff see the photos of a hidden ad %s', async (_where, path) => {
  await expectLoadedPhoto(staff, path());
});
