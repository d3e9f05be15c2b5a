import { UPLOAD_STATUS_LIFETIME_ms } from '@alpenglow/domain';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiClient, PASSWORD, type Person } from '../support/api.ts';
import { waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { extendTimers, noResponse, respondWith, injectFailure } from '../support/browser-failures.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { blobFiles } from '../support/uploads.ts';
import { mp4 } from '../support/videos.ts';

/**
 * Tests photos, videos, drafts and conflicts of the ad form in a real browser. The
 * main flow is tested in main-flow.test.ts.
 */
let product: TestProduct;
let browser: Browser;
beforeAll(async () => {
  product = await startTestProduct();
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

let person: Person;
let context: BrowserContext;
let page: Page;
let consoleWatch: ConsoleWatch;
beforeEach(async () => {
  person = await apiClient(product.url).signUp('provider');
  context = await openVisitor(browser, product.url, { token: person.token });
  consoleWatch = new ConsoleWatch(context);
  page = await newPage();
});
afterEach(async () => {
  consoleWatch.expectNoProblems();
  await context.close();
});

async function newPage(): Promise<Page> {
  const opened = await context.newPage();
  // A busy test may check the page only after the usual lifetime of a status.
  await extendTimers(opened, UPLOAD_STATUS_LIFETIME_ms);
  // The browser asks before it leaves a form with uploads that are not finished.
  opened.on('dialog', (dialog) => void dialog.accept());
  return opened;
}

const form = () => page.locator('main form');
/** The photos of the form. A list of what the ad lacks is below them. */
const photoItems = () => form().locator('ol').getByRole('listitem');
const uploadProgress = () => form().getByRole('progressbar', { name: /^Uploading/u });
const photoInput = () => form().locator('input[type=file]').first();
const videoInput = () => form().locator('input[type=file]').last();
const status = (text: string | RegExp) => form().getByRole('status').filter({ hasText: text }).first();
const submit = () => form().locator('button[type=submit]').last();
/** Confirms the message about the posted or updated ad, and waits for the page of the ad. */
async function confirmSuccess(): Promise<void> {
  const success = page.getByRole('dialog', { name: /^Ad (?:posted|updated) successfully!/u });
  await success.getByRole('button', { name: 'OK', exact: true }).click();
  await page.waitForURL('**/provider-ad/*');
}
const title = () => page.getByLabel('Title', { exact: true });

async function openForm(path = '/post-ad'): Promise<void> {
  await page.goto(path);
  await form().waitFor();
}

async function fillForm(description: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('Anna');
  await title().fill(description);
  await page.getByLabel('Category').selectOption('companion');
  await page.getByLabel('State').selectOption('NV');
  await page.getByLabel('City').selectOption('Reno');
  await page.getByLabel('Description').fill('Calm and kind company.');
}

const film = async (seconds: number) => ({
  name: 'evening.mp4',
  mimeType: 'video/mp4',
  buffer: await mp4({ seconds }),
});
const picture = async (name: string) => ({ name, mimeType: 'image/jpeg', buffer: await pictures.jpeg() });

/** Returns one field of an ad as its owner sees it, or undefined if the ad does not exist. */
async function fieldOf(id: string, field: 'title' | 'video'): Promise<unknown> {
  const { body } = await apiClient(product.url).call('GET', `/api/ads/${id}`, { token: person.token });
  return (body['data'] as Readonly<Record<string, unknown>> | undefined)?.[field];
}
const expectField = (id: string, field: 'title' | 'video') => expect.poll(() => fieldOf(id, field));
/** Returns the drafts in the storage of the browser. */
const storedDrafts = () =>
  page.evaluate(() =>
    Object.entries({ ...localStorage })
      .flatMap(([key, value]) => (key.startsWith('alpenglow.draft.') ? [String(value)] : []))
      .join('\n'),
  );
/** Posts an ad through the API. Returns its id when every read includes the ad. */
async function postAd(): Promise<string> {
  const client = apiClient(product.url);
  const { id } = await client.postAd(person.token);
  await waitForRead(client);
  return id;
}
const idInAddress = () => new URL(page.url()).pathname.split('/').at(-1) ?? '';

describe('an upload that is running', () => {
  const openOther = (name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();

  const running = () => page.getByRole('group', { name: 'Uploading 1 file' });

  test('continues on other pages, and the form shows the photo when it opens again', async () => {
    // The reload may end the live channel while it is being opened.
    consoleWatch.allow(/WebSocket is closed before the connection is established/u);
    await openForm();
    await title().fill('With a photo on its way');
    const held = await injectFailure(page, 'POST /api/uploads/photos', noResponse);
    await photoInput().setInputFiles(await picture('lake.jpg'));
    await expect.poll(() => held.count()).toBe(1);
    await openOther('Browse');
    await page.getByRole('heading', { level: 1, name: 'Browse ads' }).waitFor();
    await running().getByRole('progressbar').waitFor();
    await openOther('Community');
    await page.getByRole('heading', { level: 1, name: 'Community' }).waitFor();
    await running().getByRole('link', { name: 'Back to the form' }).click();
    await uploadProgress().waitFor();
    expect(await title().inputValue()).toBe('With a photo on its way');
    await expect.poll(() => running().count(), { message: 'the form itself shows the progress' }).toBe(0);

    await openOther('Browse');
    await page.getByRole('heading', { level: 1, name: 'Browse ads' }).waitFor();
    await running().waitFor();
    await held.remove();
    await expect.poll(storedDrafts).toMatch(/uploads.photos.+With a photo on its way|With a photo.+uploads.photos/u);
    await expect.poll(() => running().count()).toBe(0);
    await page.reload();
    await openForm();
    await expect.poll(() => form().locator('img').count(), { message: 'the draft contains the photo' }).toBe(1);
    expect(await title().inputValue()).toBe('With a photo on its way');
  });

  test('can be cancelled on other pages', async () => {
    await openForm();
    await title().fill('Without a photo');
    const held = await injectFailure(page, 'POST /api/uploads/photos', noResponse);
    await photoInput().setInputFiles(await picture('lake.jpg'));
    await expect.poll(() => held.count()).toBe(1);
    await openOther('Browse');
    await running().getByRole('button', { name: 'Cancel uploads' }).click();
    await expect.poll(() => running().count()).toBe(0);
    await expect.poll(storedFiles).toBe(0);
    await held.remove();
  });

  test('waits for a lost connection, and continues when it is back', async () => {
    consoleWatch.allow(/ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|Failed to load resource/u);
    await openForm();
    await context.setOffline(true);
    await photoInput().setInputFiles(await picture('lake.jpg'));
    await form().getByRole('list', { name: 'Chosen photos' }).getByText('Waiting for the connection…').waitFor();
    await context.setOffline(false);
    await status('Photo uploaded').waitFor();
  });

  /** Returns the number of files that the browser stores for the form. */
  const storedFiles = () =>
    page.evaluate(
      () =>
        new Promise<number>((resolve, reject) => {
          const request = indexedDB.open('alpenglow.draft.files');
          request.onerror = () => reject(new Error('The database cannot be opened'));
          request.onsuccess = () => {
            const database = request.result;
            const count = database.transaction('files').objectStore('files').count();
            count.onsuccess = () => {
              database.close();
              resolve(count.result);
            };
          };
        }),
    );

  test('survives a reload: the form has the photo again and uploads it', async () => {
    await openForm();
    await title().fill('Reloaded during an upload');
    const held = await injectFailure(page, 'POST /api/uploads/photos', noResponse);
    await photoInput().setInputFiles(await picture('lake.jpg'));
    await expect.poll(() => held.count()).toBe(1);
    await expect.poll(storedFiles).toBe(1);
    await page.reload();
    await uploadProgress().waitFor();
    expect(await form().locator('img').count()).toBe(1);
    await expect.poll(() => held.count()).toBe(2);
    await held.remove();
    await status('Photo uploaded').waitFor();
    await expect.poll(storedDrafts).toMatch(/uploads.photos/u);
    await expect.poll(storedFiles).toBe(0);
    await page.reload();
    await form().waitFor();
    await expect.poll(() => form().locator('img').count()).toBe(1);
    expect(await title().inputValue()).toBe('Reloaded during an upload');
  });

  test('does not stay in the browser after the draft is discarded or after a logout', async () => {
    await openForm();
    await title().fill('Not to be stored');
    const held = await injectFailure(page, 'POST /api/uploads/photos', noResponse);
    await photoInput().setInputFiles(await picture('lake.jpg'));
    await expect.poll(storedFiles).toBe(1);
    await page.reload();
    await uploadProgress().waitFor();
    await page.getByRole('button', { name: /^Discard/u }).click();
    const question = page.getByRole('dialog');
    if ((await question.count()) > 0) await question.getByRole('button', { name: /Discard|OK/u }).click();
    await expect.poll(storedFiles).toBe(0);
    expect(await form().locator('img').count()).toBe(0);

    await photoInput().setInputFiles(await picture('lake.jpg'));
    await expect.poll(storedFiles).toBe(1);
    await page.getByRole('button', { name: 'Logout' }).click();
    await page.getByRole('link', { name: 'Login' }).first().waitFor();
    await expect.poll(storedFiles).toBe(0);
    await held.remove();
  });

  test('does not stay in the browser after a logout, even if the page ends before its storage responds', async () => {
    await openForm();
    const held = await injectFailure(page, 'POST /api/uploads/photos', noResponse);
    await photoInput().setInputFiles(await picture('lake.jpg'));
    await expect.poll(storedFiles).toBe(1);
    // This transaction ends together with the page. The page waits only for a short time for the deletion of the file.
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const request = indexedDB.open('alpenglow.draft.files');
          request.onsuccess = () => {
            const files = request.result.transaction('files', 'readwrite').objectStore('files');
            const keepOpen = () => {
              files.count().onsuccess = keepOpen;
              resolve();
            };
            keepOpen();
          };
        }),
    );
    await page.getByRole('button', { name: 'Logout' }).click();
    await page.getByRole('link', { name: 'Login' }).first().waitFor();
    await expect.poll(storedFiles).toBe(0);
    await held.remove();
  });

  test('makes the browser ask before a reload, also on other pages', async () => {
    await openForm();
    const held = await injectFailure(page, 'POST /api/uploads/photos', noResponse);
    await photoInput().setInputFiles(await picture('lake.jpg'));
    await expect.poll(() => held.count()).toBe(1);
    await openOther('Browse');
    await page.getByRole('heading', { level: 1, name: 'Browse ads' }).waitFor();
    const [dialog] = await Promise.all([page.waitForEvent('dialog'), page.reload()]);
    expect(dialog.type()).toBe('beforeunload');
    await held.remove();
  });
});

describe('a large photo of an ad', () => {
  const large = async () => ({ name: 'large.jpg', mimeType: 'image/jpeg', buffer: await pictures.large() });

  /** Counts the pictures that the main thread decodes. */
  const watchMainThread = () =>
    page.addInitScript(() => {
      const decode: (source: ImageBitmapSource) => Promise<ImageBitmap> = globalThis.createImageBitmap.bind(globalThis);
      Object.assign(globalThis, {
        decodedHere: 0,
        createImageBitmap(source: ImageBitmapSource) {
          Reflect.set(globalThis, 'decodedHere', Number(Reflect.get(globalThis, 'decodedHere')) + 1);
          return decode(source);
        },
      });
    });
  const decodedHere = () => page.evaluate(() => Number(Reflect.get(globalThis, 'decodedHere')));

  async function sendLarge(): Promise<{
    readonly sent_bytes: number;
    readonly chosen_bytes: number;
    readonly workers: readonly string[];
  }> {
    const workers: string[] = [];
    page.on('worker', (worker) => workers.push(worker.url()));
    await watchMainThread();
    await openForm();
    const file = await large();
    const [request] = await Promise.all([
      page.waitForRequest('**/api/uploads/photos'),
      status('Photo uploaded').waitFor(),
      photoInput().setInputFiles(file),
    ]);
    return { sent_bytes: (await request.sizes()).requestBodySize, chosen_bytes: file.buffer.length, workers };
  }

  test('is scaled down in a worker, not on the main thread', async () => {
    const { sent_bytes, chosen_bytes, workers } = await sendLarge();
    expect(chosen_bytes).toBeGreaterThan(2_621_440);
    expect(sent_bytes).toBeLessThan(chosen_bytes * 0.7);
    expect(workers).toEqual([expect.stringMatching(/^blob:/u)]);
    expect(await decodedHere()).toBe(0);
    await expect.poll(() => page.workers(), { message: 'the worker has ended' }).toEqual([]);
  });

  test('is sent unscaled if the worker script was changed, and the changed script does not run', async () => {
    consoleWatch.allow(/integrity/u);
    await page.route(/\/mf\/mf-post-ad\/\w+\/shrink\.\w+\.js$/u, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'postMessage("mine")' }),
    );
    const { sent_bytes, chosen_bytes, workers } = await sendLarge();
    expect(workers).toEqual([]);
    expect(await decodedHere()).toBe(1);
    expect(sent_bytes).toBeLessThan(chosen_bytes * 0.7);
  });
});

describe('the video of an ad', () => {
  test('is chosen, posted, shown as existing and removed', async () => {
    await openForm();
    await fillForm('With a video');
    await videoInput().setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('no') });
    await status('Please select a video file (MP4, MOV, AVI)').waitFor();
    await videoInput().setInputFiles(await film(2));
    await status('Video uploaded').waitFor();
    await videoInput().setInputFiles(await film(3));
    await status('Only one video is allowed').waitFor();
    await submit().click();
    await confirmSuccess();
    const id = idInAddress();
    await expectField(id, 'video').toMatch(/^\/uploads\/video\//u);

    await openForm(`/edit/${id}`);
    await form().getByRole('group', { name: 'Video' }).getByText('Existing').waitFor();
    await page.getByRole('button', { name: 'Remove video' }).click();
    await submit().click();
    await confirmSuccess();
    await expectField(id, 'video').toBeNull();
  });

  test('is rejected by the server if it is too long, and the ad is posted without it', async () => {
    consoleWatch.allow(/\/api\/uploads\/video/u);
    await openForm();
    await fillForm('Without a video');
    await videoInput().setInputFiles(await film(25));
    await form().getByText('Video upload failed: Upload failed: 400 Video must be at most 20 seconds').last().waitFor();
    await submit().click();
    await confirmSuccess();
    await expectField(idInAddress(), 'video').toBeNull();
  });

  test('shows why a resumable upload has failed, like that of a small file', async () => {
    consoleWatch.allow(/\/api\/uploads\/resumable/u);
    await openForm();
    const buffer = await mp4({ seconds: 2, padding_bytes: 3_000_000 });
    const began = await injectFailure(page, 'POST /api/uploads/resumable/video', respondWith(503, 'the disk is full'));
    await videoInput().setInputFiles({ name: 'evening.mp4', mimeType: 'video/mp4', buffer });
    await status('Upload attempt 1 failed: Upload failed: 503 the disk is full. Retrying in 2s...').waitFor();
    await began.remove();
    const ended = await injectFailure(
      page,
      'POST /api/uploads/resumable/*/finish',
      respondWith(500, { success: false, message: 'Something went wrong' }),
    );
    await status('Upload attempt 2 failed: Upload failed: 500 Something went wrong. Retrying in 4s...').waitFor();
    await ended.remove();
    await status('Video uploaded').waitFor();
  });

  test('can be cancelled between two upload attempts', async () => {
    consoleWatch.allow(/\/api\/uploads\/video/u);
    const failure = await injectFailure(page, 'POST /api/uploads/video', respondWith(500, 'boom'));
    // The delay before the second upload attempt is extended, so that the test can cancel the upload even on a busy
    // machine.
    await extendTimers(page, 2_000);
    await openForm();
    await videoInput().setInputFiles(await film(2));
    await status('Upload attempt 1 failed: Upload failed: 500 boom. Retrying in 2s...').waitFor();
    await page.getByRole('button', { name: 'Cancel video upload' }).click();
    await form().getByText('Request was cancelled. Please try again.').first().waitFor();
    await failure.remove();
    await page.getByRole('button', { name: 'Retry the video' }).click();
    await status('Video uploaded').waitFor();
    expect(failure.count()).toBe(1);
  });
});

test('a large video continues after a reload where it was interrupted', async () => {
  const offsets: number[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']));
  });
  const storedBlocks = async () =>
    (await blobFiles(product.dataDir)).filter((file) => /\/partial\/.+\/blocks\//u.test(file)).length;
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  const limitUploads = (uploadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    });
  await openForm();
  await title().fill('With a large video');
  await limitUploads(500_000);
  const buffer = await mp4({ seconds: 2, padding_bytes: 6_000_000 });
  await videoInput().setInputFiles({ name: 'evening.mp4', mimeType: 'video/mp4', buffer });
  await expect.poll(storedBlocks).toBeGreaterThan(2);
  await page.reload();
  await limitUploads(-1);
  await status('Video uploaded').waitFor();
  expect(offsets).toEqual([0, expect.any(Number)]);
  expect(offsets[1]).toBeGreaterThan(500_000);
  expect(await storedBlocks()).toBe(0);
  await expect.poll(storedDrafts).toMatch(/uploads.video/u);
});

test('a preview shows the ad as a card and as a page before it is posted', async () => {
  await openForm();
  await fillForm('An evening by the lake');
  await photoInput().setInputFiles(await picture('one.jpg'));
  await form().getByRole('button', { name: 'Preview' }).click();
  const dialog = page.getByRole('dialog', { name: 'Preview' });
  for (const name of ['In lists', 'As a page']) {
    const part = dialog.getByRole('region', { name });
    await part.getByText('An evening by the lake').waitFor();
    expect(await part.locator('img').count(), name).toBe(1);
  }
  await dialog.getByText('Calm and kind company.').waitFor();
  await dialog.getByText('Nobody can contact you').waitFor();
  await page.keyboard.press('Escape');
  expect(await title().inputValue()).toBe('An evening by the lake');

  // Visitors see contact details in texts only after a click. The owner sees that, and that they count as a contact.
  await form().getByText('Nobody can contact you').waitFor();
  await form().getByLabel('Description').fill('Calm and kind company. Call7025550142, IG 💕 robin_nv.');
  await form().getByText('Nobody can contact you').waitFor({ state: 'detached' });
  await form().getByRole('button', { name: 'Preview' }).click();
  await dialog.getByText('2 contact details in your texts are shown only after “Show contact”.').waitFor();
  expect(await dialog.innerText()).not.toMatch(/7025550142|robin_nv|Nobody can contact you/u);
  await page.keyboard.press('Escape');
  await status('Photo uploaded').waitFor();
});

describe('in a network that blocks PATCH, a large file is sent in one request', () => {
  const NO_RESPONSE = 'no response ever arrives';
  test.each<readonly [string, (route: Route) => Promise<void>]>([
    [
      'a proxy rejects it',
      (route) => route.fulfill({ status: 405, contentType: 'text/html', body: '<h1>Blocked</h1>' }),
    ],
    ['the connection is reset', (route) => route.abort('connectionreset')],
    ['a gateway gives up', (route) => route.fulfill({ status: 504, contentType: 'text/html', body: 'Timeout' })],
    [NO_RESPONSE, async () => undefined],
  ])('%s', async (how, block) => {
    consoleWatch.allow(/\/api\/uploads\/resumable\//u);
    // A connection without progress counts as lost after a minute.
    if (how === NO_RESPONSE) await extendTimers(context, 60_000, 1 / 20);
    const sent: string[] = [];
    const withoutTrace: string[] = [];
    page.on('request', (request) => {
      if (!request.url().includes('/api/uploads/')) return;
      const call = `${request.method()} ${new URL(request.url()).pathname}`;
      sent.push(call);
      if (request.headers()['traceparent'] === undefined) withoutTrace.push(call);
    });
    await page.route('**/api/uploads/resumable/**', (route) =>
      route.request().method() === 'PATCH' ? block(route) : route.fallback(),
    );
    await openForm();
    const buffer = await mp4({ seconds: 2, padding_bytes: 3_000_000 });
    await videoInput().setInputFiles({ name: 'evening.mp4', mimeType: 'video/mp4', buffer });
    await status('Video uploaded').waitFor();
    expect(sent.filter((request) => request.startsWith('PATCH'))).toHaveLength(1);
    expect(sent.at(-1)).toBe('POST /api/uploads/video');
    // The next large file is sent in one request at once.
    await page.getByRole('button', { name: 'Remove video' }).click();
    sent.length = 0;
    await videoInput().setInputFiles({ name: 'morning.mp4', mimeType: 'video/mp4', buffer });
    await expect.poll(() => sent).toEqual(['POST /api/uploads/video']);
    await status('Video uploaded').waitFor();
    expect(withoutTrace, 'each request begins a trace (R-7.102)').toEqual([]);
  });
});

test('a photo that the server rejects has no preview, is not the cover and can only be removed', async () => {
  consoleWatch.allow(/\/api\/uploads\/photos/u);
  await openForm();
  await photoInput().setInputFiles({ name: 'broken.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture') });
  const photos = form().getByRole('list', { name: 'Chosen photos' });
  await photos.getByText(/^Photo upload failed: Upload failed: 4/u).waitFor();
  expect(await photos.getByText('Cover').count()).toBe(0);
  expect(await photos.locator('img').count()).toBe(0);
  expect(await photos.getByRole('button', { name: 'Retry photo 1' }).count()).toBe(0);
  await photos.getByText('Remove', { exact: true }).click();
  await expect.poll(() => photos.getByRole('listitem').count()).toBe(0);
});

/** Returns a picture in a format that browsers decode but the server does not accept. */
function bitmap(): Buffer {
  const [width, height] = [8, 4];
  const header_bytes = 54;
  const bytes = Buffer.alloc(header_bytes + width * height * 3, 0x80);
  bytes.fill(0, 0, header_bytes);
  bytes.write('BM', 0, 'latin1');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(header_bytes, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}

describe('a photo in a format that the server does not accept', () => {
  test('is not offered by the file field, so that phones convert it', async () => {
    await openForm();
    expect((await photoInput().getAttribute('accept'))?.split(',')).toEqual([
      'image/jpeg',
      'image/png',
      'image/apng',
      'image/gif',
      'image/webp',
      'image/avif',
    ]);
  });

  test('becomes a JPEG if the browser can decode it', async () => {
    await openForm();
    // The server rejects bitmaps, so an accepted upload proves that the browser converted the picture.
    await photoInput().setInputFiles({ name: 'scan.bmp', mimeType: 'image/bmp', buffer: bitmap() });
    await status('Photo uploaded').waitFor();
  });

  test('is rejected with a clear text if the browser cannot decode it', async () => {
    await openForm();
    const heic = Buffer.concat([Buffer.alloc(4), Buffer.from('ftypheic'), Buffer.alloc(64)]);
    await photoInput().setInputFiles({ name: 'IMG_1.HEIC', mimeType: 'image/heic', buffer: heic });
    const photos = form().getByRole('list', { name: 'Chosen photos' });
    await photos.getByText('This browser cannot open the picture. Please save it as JPEG').waitFor();
    expect(await photos.getByRole('button', { name: 'Try photo 1 again' }).count()).toBe(0);
  });
});

test('a pasted picture is added as a photo, pasted text stays in its field', async () => {
  await openForm();
  const paste = (selector: string, withText: boolean) =>
    page.evaluate(
      ([at, hasText]) => {
        const clipboardData = new DataTransfer();
        const canvas = document.createElement('canvas');
        canvas.width = 20;
        canvas.height = 20;
        const bytes = Uint8Array.from(atob(canvas.toDataURL('image/png').split(',')[1] ?? ''), (letter) =>
          letter.charCodeAt(0),
        );
        clipboardData.items.add(new File([bytes], 'image.png', { type: 'image/png' }));
        if (hasText) clipboardData.setData('text/plain', 'words');
        document
          .querySelector(at)
          ?.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      },
      [selector, withText] as const,
    );
  await paste('textarea', true);
  await paste('body', false);
  await status('Photo uploaded').waitFor();
  expect(await photoItems().count()).toBe(1);
  await paste('textarea', false);
  await expect.poll(() => photoItems().count()).toBe(2);
});

test('a photo and a video can be dropped together', async () => {
  await openForm();
  const { buffer } = await film(2);
  await page.evaluate(
    async ([photo, video, limit_ms]) => {
      const bytes = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes(photo)], 'lake.jpg', { type: 'image/jpeg' }));
      dataTransfer.items.add(new File([bytes(video)], 'evening.mp4', { type: 'video/mp4' }));
      const area = document.querySelector('main form input[type=file]')?.parentElement;
      for (const type of ['dragenter', 'dragover'])
        area?.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      const until_ms = performance.now() + limit_ms;
      while (!document.body.innerText.includes('Drop the files here')) {
        if (performance.now() > until_ms) throw new Error('The drop area does not react to the dragged files');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      area?.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    },
    [(await pictures.jpeg()).toString('base64'), buffer.toString('base64'), MAX_WAIT_ms] as const,
  );
  await status('Video uploaded').waitFor();
  expect([await photoItems().count(), await page.getByText('or drop or paste them here').count()]).toEqual([1, 1]);
});

test('photos are reordered with the keyboard, and the focus is preserved', async () => {
  await openForm();
  await photoInput().setInputFiles(await Promise.all(['a.jpg', 'b.jpg', 'c.jpg'].map(picture)));
  await expect.poll(() => photoItems().count()).toBe(3);
  await expect.poll(() => photoItems().getByRole('progressbar').count()).toBe(0);
  await expect.poll(() => form().getByText('Waiting').count()).toBe(0);
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await page.getByRole('button', { name: 'Move photo 1 back' }).press('Enter');
  await status('Photo moved to position 2 of 3').waitFor();
  await expect.poll(focused).toBe('Move photo 2 back');
  await page.keyboard.press('Enter');
  await status('Photo moved to position 3 of 3').waitFor();
  await expect.poll(focused, { message: 'the last photo can only move forward' }).toBe('Move photo 3 forward');
  await page.getByRole('button', { name: 'Remove photo 3' }).press('Enter');
  await expect.poll(focused).toBe('Remove photo 2');
});

describe('a draft of an ad', () => {
  test('survives a reload with its photos, can be discarded and is removed at logout', async () => {
    await openForm();
    await fillForm('Kept for later');
    await photoInput().setInputFiles(await picture('lake.jpg'));
    await status('Photo uploaded').waitFor();
    await expect.poll(storedDrafts).toMatch(/Kept for later.*\/uploads\/photos\//u);
    await page.close();
    page = await newPage();
    await openForm();
    await page.getByText('Draft restored').waitFor();
    await expect
      .poll(async () => [
        await title().inputValue(),
        await page.getByLabel('City').inputValue(),
        await photoItems().count(),
      ])
      .toEqual(['Kept for later', 'Reno', 1]);
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await expect.poll(() => title().inputValue()).toBe('');
    await page.reload();
    await form().waitFor();
    expect([await title().inputValue(), await page.getByText('Draft restored').count()]).toEqual(['', 0]);

    await title().fill('With my phone number');
    const drafts = () =>
      page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('alpenglow.draft.')));
    await expect.poll(drafts).toHaveLength(1);
    await page.getByRole('button', { name: 'Logout' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    expect(await drafts()).toEqual([]);
  });

  test('of an existing ad is offered, with a warning if the ad has changed since', async () => {
    const client = apiClient(product.url);
    const id = await postAd();
    await openForm(`/edit/${id}`);
    await title().fill('My better title');
    await expect.poll(storedDrafts).toContain('My better title');
    await page.reload();
    await page.getByText('You have unsaved changes').waitFor();
    expect(await title().inputValue(), 'the draft is not applied before the user accepts it').toBe('Good company');
    await client.call('PUT', `/api/ads/${id}`, { token: person.token, body: { title: 'From elsewhere' } });
    await waitForRead(client);
    await page.reload();
    await page.getByText('The ad has changed since you wrote this').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await expect.poll(() => title().inputValue()).toBe('My better title');
    await submit().click();
    await confirmSuccess();
    await expectField(id, 'title').toBe('My better title');
  });
});

describe('a conflict with another tab', () => {
  test('reports on submit that another ad was posted, and preserves the form', async () => {
    consoleWatch.allow(/You already have an active ad/u);
    await openForm();
    await fillForm('The second');
    await postAd();
    await submit().click();
    await form()
      .getByRole('alert')
      .getByText('You already have an active ad. You can only post one ad at a time.')
      .waitFor();
    expect(await title().inputValue()).toBe('The second');
    await form().getByRole('link', { name: 'View My Ad' }).waitFor();
  });

  test('does not overwrite a changed ad without confirmation', async () => {
    consoleWatch.allow(/\/api\/ads\//u, /This has changed since/u);
    const client = apiClient(product.url);
    const id = await postAd();
    await openForm(`/edit/${id}`);
    await title().fill('Mine');
    await client.call('PUT', `/api/ads/${id}`, {
      token: person.token,
      body: { title: 'Theirs', description: 'Also theirs' },
    });
    await submit().click();
    await form().getByRole('alert').getByText('This has changed since you opened it.').waitFor();
    await expectField(id, 'title').toBe('Theirs');
    await form().getByRole('button', { name: 'Save mine anyway' }).click();
    await confirmSuccess();
    await expectField(id, 'title').toBe('Mine');

    await openForm(`/edit/${id}`);
    await title().fill('Mine again');
    await client.call('PUT', `/api/ads/${id}`, { token: person.token, body: { title: 'Theirs again' } });
    await waitForRead(client);
    await submit().click();
    await form().getByRole('button', { name: 'Load the newer version' }).click();
    await expect.poll(() => title().inputValue()).toBe('Theirs again');
  });

  test('shows a banner when the session has ended, and preserves the form', async () => {
    consoleWatch.allow(/\/api\//u, /Please log in to post an ad/u);
    await openForm();
    await fillForm('Still here');
    await apiClient(product.url).call('POST', '/api/auth/logout', { token: person.token });
    await submit().click();
    await form().getByRole('alert').getByText('Please log in to post an ad').waitFor();
    await page.getByRole('heading', { name: 'Account Required' }).waitFor();
    expect(await title().inputValue()).toBe('Still here');
    await photoInput().setInputFiles(await picture('late.jpg'));
    await status('Please log in to upload photos.').waitFor();

    await page.getByRole('main').getByRole('link', { name: 'Login' }).click();
    await page.getByRole('textbox', { name: 'E-mail' }).fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('main').locator('button[type=submit]').click();
    await page.waitForURL('**/post-ad');
    await expect
      .poll(() => title().inputValue(), { message: 'the form is restored after the login' })
      .toBe('Still here');
    await submit().click();
    await confirmSuccess();
  });
});
