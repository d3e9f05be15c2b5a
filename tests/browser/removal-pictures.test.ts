import { areSimilar, toHashWords } from '@alpenglow/domain';
import { HASHED_SIDE_px } from '@alpenglow/domain/pdq';
import type { BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProperties } from '../../infra/decoder/pictures.mjs';
import { createApiClient, type ApiClient } from '../support/api-client.ts';
import { DESKTOP, openVisitor, PHONE, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { expectAccessible } from '../support/browser-axe.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { EDITS, photoOf } from '../support/picture-corpus.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { waitForReadModels } from '../support/threads.ts';
import { upload } from '../support/uploads.ts';
import { isSettled } from '../support/visitor-page.ts';

/** A person chooses pictures in the removal form. The browser computes their hashes, and sends no picture. */

let product: TestProduct;
let client: ApiClient;
const watches: ConsoleWatch[] = [];

beforeAll(async () => {
  product = await startTestProduct();
  client = createApiClient(product.url);
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

async function openForm(options: VisitorOptions): Promise<{ readonly page: Page; readonly context: BrowserContext }> {
  const context = await openVisitor(await sharedBrowser(), product.url, options);
  watches.push(new ConsoleWatch(context));
  const page = await context.newPage();
  const prefix = options.locale === undefined || options.locale === 'en' ? '' : `/${options.locale}`;
  await page.goto(`${prefix}/removal`);
  await headingOf(page).first().waitFor();
  return { page, context };
}

const choose = (page: Page, files: readonly { readonly name: string; readonly bytes: Buffer }[]) =>
  page
    .locator('input[type=file]')
    .setInputFiles(files.map(({ name, bytes }) => ({ name, mimeType: 'image/jpeg', buffer: bytes })));

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('For myself').check();
  await page.getByLabel('Your name').fill('Anna Example');
  await page.getByLabel('Your e-mail address').fill('anna.example@example.com');
  await page.getByLabel(/I believe in good faith/u).check();
  await page.getByLabel('Signature').fill('Anna Example');
}

/** Sends the form and returns the hashes in its request. */
async function sendForm(page: Page): Promise<readonly string[]> {
  const [request] = await Promise.all([
    page.waitForRequest((sent) => sent.method() === 'POST' && sent.url().endsWith('/api/removal-requests')),
    page.getByRole('button', { name: 'Send the request' }).click(),
  ]);
  await headingOf(page).filter({ hasText: 'Your request was received' }).waitFor();
  return (request.postDataJSON() as { hashes: string[] }).hashes;
}

interface PictureWork {
  /** The types of what the browser decoded outside of the main thread. */
  readonly decoded: readonly string[];
  /** The types of what the main thread drew. */
  readonly drawn: readonly string[];
  /** The numbers of pixels that the main thread read. */
  readonly read: readonly number[];
}

/** Records what the page does with pictures. The returned function returns it. */
async function watchPictures(page: Page): Promise<() => Promise<PictureWork>> {
  await page.evaluate(() => {
    const work: { decoded: string[]; drawn: string[]; read: number[] } = { decoded: [], drawn: [], read: [] };
    const decode: (...of: Parameters<typeof createImageBitmap>) => Promise<ImageBitmap> =
      globalThis.createImageBitmap.bind(globalThis);
    const { drawImage, getImageData } = CanvasRenderingContext2D.prototype;
    Object.assign(globalThis, {
      pictureWork: work,
      createImageBitmap(...of: Parameters<typeof createImageBitmap>) {
        work.decoded.push(of[0].constructor.name);
        return decode(...of);
      },
    });
    Object.assign(CanvasRenderingContext2D.prototype, {
      drawImage(this: CanvasRenderingContext2D, ...of: Parameters<typeof drawImage>) {
        work.drawn.push(of[0].constructor.name);
        drawImage.apply(this, of);
      },
      getImageData(this: CanvasRenderingContext2D, ...of: Parameters<typeof getImageData>) {
        work.read.push(of[2] * of[3]);
        return getImageData.apply(this, of);
      },
    });
  });
  return () => page.evaluate(() => Reflect.get(globalThis, 'pictureWork') as PictureWork);
}

describe('the hash of a chosen picture', () => {
  it('is similar to that of the server, for each format, size and orientation', async () => {
    const corpus = [];
    for (let seed = 0; seed < 8; seed += 1) corpus.push({ name: `photo ${seed}`, bytes: await photoOf(700 + seed) });
    const [one] = corpus;
    const original = one?.bytes ?? Buffer.alloc(0);
    const files = [
      ...corpus,
      { name: 'large', bytes: await photoOf(720, 3_000, 2_000) },
      { name: 'tall', bytes: await photoOf(721, 300, 900) },
      {
        name: 'png',
        bytes: await sharp(await photoOf(722))
          .png()
          .toBuffer(),
      },
      { name: 'webp', bytes: await EDITS['WebP with quality 50'](await photoOf(723)) },
      {
        name: 'rotated',
        bytes: await sharp(await photoOf(724))
          .withMetadata({ orientation: 6 })
          .jpeg()
          .toBuffer(),
      },
      {
        name: 'transparent',
        bytes: await sharp(await photoOf(725))
          .ensureAlpha()
          .composite([
            {
              input: { create: { width: 300, height: 300, channels: 4, background: '#000000' } },
              blend: 'dest-out',
              left: 20,
              top: 20,
            },
          ])
          .png()
          .toBuffer(),
      },
    ];
    expect(original.length).toBeGreaterThan(0);
    const { page } = await openForm({ viewport: DESKTOP });
    await choose(page, files);
    await page.getByText(`${files.length} pictures are chosen.`).waitFor();
    await fillIn(page);
    const hashes = await sendForm(page);
    expect(hashes).toHaveLength(files.length);
    for (const [index, { name, bytes }] of files.entries()) {
      // The server rotates an upload before it computes the hash.
      const upright = await sharp(bytes).autoOrient().png().toBuffer();
      const { hashes: expected } = await readProperties(upright, { maxDecoded_bytes: 100_000_000 });
      expect(areSimilar(toHashWords(hashes[index] ?? ''), toHashWords(expected[0] ?? '')), name).toBe(true);
    }
    expect(watches.flatMap((watch) => watch.takeProblems())).toEqual([]);
  });

  it('is computed without blocking the page: the browser decodes elsewhere, and few pixels are read', async () => {
    const { page, context } = await openForm({ viewport: PHONE });
    const readWork = await watchPictures(page);
    await choose(page, [{ name: 'large.jpg', bytes: await photoOf(741, 4_000, 3_000) }]);
    await page.getByText('1 picture is chosen.').waitFor();
    const { decoded, drawn, read } = await readWork();
    expect(decoded).toEqual(['File']);
    expect(drawn[0]).toBe('ImageBitmap');
    expect(new Set(drawn.slice(1))).toEqual(new Set(['HTMLCanvasElement']));
    expect(Math.max(...read)).toBe(HASHED_SIDE_px * HASHED_SIDE_px * 0.75);
    await context.close();
  });
});

describe('the choice of pictures', () => {
  it('hides copies of a picture without its link, and names it on the private page', async () => {
    const picture = await photoOf(760);
    const owner = await client.signUp('provider');
    const smaller = await sharp(picture).resize(500).webp({ quality: 70 }).toBuffer();
    const { body } = await upload(product.url, 'photos', [{ bytes: smaller }], owner.token);
    const [photo] = body['media'] as readonly { readonly url: string }[];
    await client.postAd(owner.token, { photos: [photo?.url] });
    await waitForReadModels(product.url);

    expect((await fetch(`${product.url}${photo?.url ?? ''}`)).status).toBe(200);

    const { page } = await openForm({ viewport: PHONE });
    const other = await photoOf(761);
    // The browser enables reports of file choosers with a delay, so the test requests them some steps before the press.
    const shown = page.waitForEvent('filechooser');
    await page.waitForFunction(isSettled);
    // A person can use the keyboard alone.
    const chooseButton = page.getByRole('button', { name: 'Choose pictures' });
    await chooseButton.focus();
    const [chooser] = await Promise.all([shown, page.keyboard.press('Enter')]);
    expect(chooser.isMultiple()).toBe(true);
    await chooser.setFiles([
      { name: 'mine.jpg', mimeType: 'image/jpeg', buffer: picture },
      { name: 'other.jpg', mimeType: 'image/jpeg', buffer: other },
      { name: 'mine again.jpg', mimeType: 'image/jpeg', buffer: picture },
    ]);
    await page.getByRole('status').filter({ hasText: '2 pictures are chosen.' }).waitFor();
    await page.getByRole('button', { name: 'Remove other.jpg' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('1 picture is chosen.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Choose pictures');
    await expectAccessible(page);
    await fillIn(page);
    const uploads: string[] = [];
    page.on('request', (request) => {
      if ((request.postDataBuffer()?.length ?? 0) > 10_000) uploads.push(request.url());
    });
    expect(await sendForm(page)).toHaveLength(1);
    expect(uploads).toEqual([]);
    await page.getByText('We found 1 item.').waitFor();
    await page.getByRole('link', { name: 'Open your private page' }).click();
    await page.getByText('1 fingerprint of a picture').waitFor();
    await expect
      .poll(async () => (await fetch(`${product.url}${photo?.url ?? ''}`)).status, { timeout: 30_000 })
      .toBe(404);
  });

  it('says why a picture has no hash, and the links still work', async () => {
    const plain = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#808080' } })
      .jpeg()
      .toBuffer();
    const { page, context } = await openForm({ viewport: PHONE, theme: 'dark' });
    await choose(page, [
      { name: 'plain.jpg', bytes: plain },
      { name: 'text.jpg', bytes: Buffer.from('no picture') },
    ]);
    await page.getByText('plain.jpg has too few details').waitFor();
    await page.getByText('Your browser cannot read text.jpg').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Links').fill('/ad/unknown');
    await fillIn(page);
    expect(await sendForm(page)).toEqual([]);
    await context.close();
  });

  it('reads pictures in a browser that does not know the option for their orientation', async () => {
    const { page, context } = await openForm({ viewport: PHONE });
    await page.evaluate(() => {
      const create = window.createImageBitmap.bind(window);
      const createWithoutOption = (source: ImageBitmapSource, options?: ImageBitmapOptions) =>
        options?.imageOrientation === 'from-image' ? Promise.reject(new TypeError('unknown value')) : create(source);
      Object.assign(window, { createImageBitmap: createWithoutOption });
    });
    await choose(page, [{ name: 'old browser.jpg', bytes: await photoOf(790) }]);
    await page.getByText('1 picture is chosen.').waitFor();
    await context.close();
  });

  it('distinguishes pictures with the same name, and rejects one with too many pixels', async () => {
    const { page, context } = await openForm({ viewport: PHONE });
    await choose(page, [
      { name: 'image.jpg', bytes: await photoOf(791) },
      { name: 'image.jpg', bytes: await photoOf(792) },
    ]);
    await page.getByRole('button', { name: 'Remove image.jpg (2)' }).waitFor();
    expect(await page.getByRole('button', { name: 'Remove image.jpg (1)' }).count()).toBe(1);
    const wide = { create: { width: 12_000, height: 8_400, channels: 3, background: '#808080' } } as const;
    const bytes = await sharp(wide).png().toBuffer();
    await choose(page, [{ name: 'wide.png', bytes }]);
    await page.getByText('wide.png has more than 50 MB or 100 megapixels.').waitFor();
    await expectAccessible(page);
    await context.close();
  });

  it('works with links if its code cannot be loaded', async () => {
    const { page, context } = await openForm({ viewport: DESKTOP });
    await page.route(/removal-pictures/u, (route) => route.abort());
    await choose(page, [{ name: 'mine.jpg', bytes: await photoOf(770) }]);
    await page.getByText('mine.jpg could not be read').waitFor();
    await page.getByLabel('Links').fill('/ad/unknown');
    await fillIn(page);
    expect(await sendForm(page)).toEqual([]);
    watches.at(-1)?.takeProblems();
    await context.close();
  });

  it.each([
    ['en', 'light', PHONE],
    ['de', 'dark', PHONE],
    ['fr', 'light', DESKTOP],
    ['it', 'dark', DESKTOP],
  ] as const)('is accessible in %s, %s', async (locale, theme, viewport) => {
    const { page } = await openForm({ locale, theme, viewport });
    await choose(page, [
      { name: 'a very long name of a picture that was saved from a message long ago.jpg', bytes: await photoOf(780) },
      { name: 'text.jpg', bytes: Buffer.from('no picture') },
    ]);
    await page.locator('main li').filter({ hasText: 'a very long name' }).waitFor();
    await page.getByText(/text\.jpg/u).waitFor();
    await expectAccessible(page, { retainsWidth: true });
  });
});
