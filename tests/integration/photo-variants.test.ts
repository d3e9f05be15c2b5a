import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  media,
  PHOTO_VARIANT_NAMES,
  photoBlobKeys,
  UnrecoverableJobError,
  type BlobStore,
  toStreamId,
} from '@alpenglow/domain';
import { removeMedia, uploadMedia } from '@alpenglow/domain/deciders';
import { createCommandHandler, createFileBlobStore } from '@alpenglow/infra';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPhotoVariantsHandler } from '../../workers/src/photo-variants-handler.ts';
import { decoder } from '../support/decoder.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { GPS_LATITUDE, pictures } from '../support/pictures.ts';
import { interceptWrites } from '../support/intercept-writes.ts';
import { createJobContext } from '../support/job-context.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { noPictureLists } from '../support/no-picture-lists.ts';

const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const NOT_AN_IMAGE = 'Please select an image file (JPG, PNG, GIF)';
const IMAGE_DAMAGED = 'This picture is damaged and cannot be opened. Please choose another file';

let folder: string;
let blobs: BlobStore;
let store: ReturnType<typeof createMemoryEventStore>;
let commands: ReturnType<typeof createCommandHandler>;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-photos-'));
  blobs = await createFileBlobStore({ root: folder });
  store = createMemoryEventStore();
  commands = createCommandHandler(store);
});
afterEach(() => rm(folder, { recursive: true }));

async function upload(bytes: Buffer): Promise<void> {
  await blobs.put(photoBlobKeys.original('m1'), bytes);
  const command = {
    mediaId: 'm1',
    ownerId: 'anna',
    kind: 'photo' as const,
    sizeBytes: Math.max(1, bytes.length),
    contentType: 'image/jpeg',
  };
  await commands.execute(media, 'm1', uploadMedia, command, origin);
}
const runJob = (blobStore: BlobStore = blobs) =>
  createPhotoVariantsHandler({
    blobs: blobStore,
    commands,
    decoder,
    knownImages: noPictureLists,
    dataKeys: createMemoryDataKeys(),
  })({ mediaId: 'm1' }, createJobContext());
const loadState = async () => (await commands.load(media, 'm1')).state;
const readVariant = async (name: string) => buffer((await blobs.read(photoBlobKeys.variant('m1', name))).bytes);
const readEventTypes = async () => (await store.readStream(toStreamId(media, 'm1'))).map(({ type }) => type);
const listFiles = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

/** Returns the color at a point of a picture. `x` and `y` are fractions of its width and height. */
async function colorAt(bytes: Buffer, x: number, y: number) {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(info.height * y) * info.width + Math.floor(info.width * x)) * 3;
  return { r: data[at] ?? 0, g: data[at + 1] ?? 0, b: data[at + 2] ?? 0 };
}

describe('an uploaded photo', () => {
  test('gets every variant, and its original is removed', async () => {
    await upload(await pictures.jpeg(2400, 1800));
    await runJob();
    for (const name of PHOTO_VARIANT_NAMES) {
      const [width = '', format] = name.split('.');
      const found = await sharp(await readVariant(name)).metadata();
      expect(found).toMatchObject({
        width: Number(width),
        height: (Number(width) * 3) / 4,
        format: { avif: 'heif', webp: 'webp', jpg: 'jpeg' }[format ?? ''],
      });
    }
    expect(await loadState()).toMatchObject({ status: 'ready', width: 1600, height: 1200 });
    expect(await blobs.getInfo(photoBlobKeys.original('m1'))).toBeNull();
    expect(await listFiles()).toHaveLength(PHOTO_VARIANT_NAMES.length);
  });

  test('is not enlarged', async () => {
    await upload(await pictures.jpeg(500, 400));
    await runJob();
    expect(await sharp(await readVariant('1600.jpg')).metadata()).toMatchObject({ width: 500, height: 400 });
    expect(await sharp(await readVariant('320.webp')).metadata()).toMatchObject({ width: 320, height: 256 });
    expect(await loadState()).toMatchObject({ width: 500, height: 400 });
  });

  test('has a blur image of at most 1 KB', async () => {
    await upload(await pictures.jpeg());
    await runJob();
    const ready = await loadState();
    const blur = ready?.status === 'ready' && ready.kind === 'photo' ? (ready.blur ?? '') : '';
    expect(blur.length).toBeLessThanOrEqual(1024);
    const bytes = Buffer.from(blur.replace('data:image/webp;base64,', ''), 'base64');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 16 });
  });

  test('loses metadata about place and author', async () => {
    const original = await pictures.withGps();
    expect(original.includes(GPS_LATITUDE)).toBe(true);
    await upload(original);
    await runJob();
    for (const name of PHOTO_VARIANT_NAMES) {
      const bytes = await readVariant(name);
      const { exif, xmp, iptc, icc, orientation } = await sharp(bytes).metadata();
      expect({ exif, xmp, iptc, icc, orientation }, name).toEqual({});
      for (const secret of ['AlpenCam', 'Somebody', 'secret-source', 'GPS'])
        expect(bytes.includes(secret), `${secret} in ${name}`).toBe(false);
    }
  });

  test('is rotated upright', async () => {
    await upload(await pictures.onItsSide());
    await runJob();
    expect(await loadState()).toMatchObject({ width: 600, height: 800 });
    const bytes = await readVariant('640.jpg');
    expect((await colorAt(bytes, 0.5, 0.25)).r).toBeLessThan(60);
    expect((await colorAt(bytes, 0.5, 0.75)).r).toBeGreaterThan(200);
  });

  test.each(['png', 'webp', 'avif', 'cmyk', 'deepGrey', 'onePixel', 'needle', 'polyglot'] as const)(
    'may have this format: %s',
    async (kind) => {
      await upload(await pictures[kind]());
      await runJob();
      expect(await loadState()).toMatchObject({ status: 'ready' });
      for (const name of PHOTO_VARIANT_NAMES)
        expect(await sharp(await readVariant(name)).metadata(), name).toMatchObject({ space: 'srgb', hasAlpha: false });
    },
  );

  test('shows the first frame of an animation', async () => {
    await upload(await pictures.animatedGif());
    await runJob();
    expect(await loadState()).toMatchObject({ status: 'ready', width: 200, height: 100 });
    const { r, b } = await colorAt(await readVariant('320.jpg'), 0.5, 0.5);
    expect(r).toBeGreaterThan(200);
    expect(b).toBeLessThan(60);
  });

  test('has a white background where it is transparent', async () => {
    await upload(await pictures.transparentPng());
    await runJob();
    const { r, g, b } = await colorAt(await readVariant('320.jpg'), 0.5, 0.5);
    expect(Math.min(r, g, b)).toBeGreaterThan(250);
  });

  test('contains no script', async () => {
    await upload(await pictures.polyglot());
    await runJob();
    for (const name of PHOTO_VARIANT_NAMES) expect((await readVariant(name)).includes('<script>'), name).toBe(false);
  });
});

describe('a file that is no photo', () => {
  test.each(['svg', 'html', 'text', 'pdf', 'empty'] as const)('is rejected and removed: %s', async (kind) => {
    await upload(await pictures[kind]());
    await runJob();
    expect(await loadState()).toMatchObject({ status: 'rejected', code: 'NOT_AN_IMAGE', reason: NOT_AN_IMAGE });
    expect(await listFiles()).toEqual([]);
  });

  test.each(['truncatedJpeg', 'pngInName'] as const)('is called damaged if it is one in part: %s', async (kind) => {
    await upload(await pictures[kind]());
    await runJob();
    expect(await loadState()).toMatchObject({ status: 'rejected', code: 'IMAGE_DAMAGED', reason: IMAGE_DAMAGED });
    expect(await listFiles()).toEqual([]);
  });
});

test('a picture with too many pixels is rejected and removed', async () => {
  await upload(await pictures.bomb());
  await runJob();
  expect(await loadState()).toMatchObject({ status: 'rejected', code: 'TOO_MANY_PIXELS' });
  expect(await listFiles()).toEqual([]);
});

describe('a repeated photo job', () => {
  test('changes nothing after its completion', async () => {
    await upload(await pictures.jpeg());
    await runJob();
    const before = await readVariant('640.jpg');
    await runJob();
    expect(await readEventTypes()).toEqual(['MediaUploaded', 'PhotoVariantsMade']);
    expect(await readVariant('640.jpg')).toEqual(before);
  });

  test('changes nothing after a rejection', async () => {
    await upload(await pictures.text());
    await runJob();
    await runJob();
    expect(await readEventTypes()).toEqual(['MediaUploaded', 'MediaRejected']);
  });

  test('in parallel with itself has one result', async () => {
    await upload(await pictures.jpeg());
    await Promise.all([runJob(), runJob()]);
    expect(await readEventTypes()).toEqual(['MediaUploaded', 'PhotoVariantsMade']);
    expect(await listFiles()).toHaveLength(PHOTO_VARIANT_NAMES.length);
  });

  test.each([1, 5, 9])('completes the photo after an interruption at variant %i', async (fatal) => {
    await upload(await pictures.jpeg());
    let puts = 0;
    const failingStore: BlobStore = {
      ...blobs,
      put: (key, bytes, options) =>
        (puts += 1) === fatal ? Promise.reject(new Error('killed')) : blobs.put(key, bytes, options),
    };
    await expect(runJob(failingStore)).rejects.toThrow('killed');
    expect(await loadState()).toMatchObject({ status: 'processing' });
    expect(await blobs.getInfo(photoBlobKeys.original('m1'))).not.toBeNull();
    await runJob();
    expect(await readEventTypes()).toEqual(['MediaUploaded', 'PhotoVariantsMade']);
    expect(await listFiles()).toHaveLength(PHOTO_VARIANT_NAMES.length);
  });

  test('removes the original after an interruption between the event and the removal', async () => {
    await upload(await pictures.jpeg());
    await expect(runJob({ ...blobs, remove: () => Promise.reject(new Error('killed')) })).rejects.toThrow('killed');
    expect(await blobs.getInfo(photoBlobKeys.original('m1'))).not.toBeNull();
    await runJob();
    expect(await blobs.getInfo(photoBlobKeys.original('m1'))).toBeNull();
    expect(await readEventTypes()).toEqual(['MediaUploaded', 'PhotoVariantsMade']);
  });

  test('completes the photo without the original if all variants exist', async () => {
    await upload(await pictures.jpeg(2400, 1800));
    await expect(
      createPhotoVariantsHandler({
        blobs,
        commands: interceptWrites(commands, () => Promise.reject(new Error('killed'))),
        decoder,
        knownImages: noPictureLists,
        dataKeys: createMemoryDataKeys(),
      })({ mediaId: 'm1' }, createJobContext()),
    ).rejects.toThrow('killed');
    await blobs.remove(photoBlobKeys.original('m1'));
    await runJob();
    expect(await loadState()).toMatchObject({
      status: 'ready',
      width: 1600,
      height: 1200,
      blur: expect.stringMatching(/^data:image\/webp/u),
    });
    expect((await store.readStream(toStreamId(media, 'm1'))).at(-1)?.data).toMatchObject({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/u),
    });
  });

  test('rejects the photo as interrupted if original and variants are missing', async () => {
    await upload(await pictures.jpeg());
    await blobs.remove(photoBlobKeys.original('m1'));
    await runJob();
    expect(await loadState()).toMatchObject({ status: 'rejected', code: 'UPLOAD_BROKEN_OFF' });
  });
});

test('a photo that is removed during its job leaves no files', async () => {
  await upload(await pictures.jpeg());
  await commands.execute(media, 'm1', removeMedia, {}, origin);
  await runJob();
  expect(await readEventTypes()).toEqual(['MediaUploaded', 'MediaRemoved']);
  expect(await listFiles()).toEqual([]);
});

test('an aborted job stops between variants and can be retried', async () => {
  await upload(await pictures.jpeg());
  const job = createPhotoVariantsHandler({
    blobs,
    commands,
    decoder,
    knownImages: noPictureLists,
    dataKeys: createMemoryDataKeys(),
  })({ mediaId: 'm1' }, createJobContext({ signal: AbortSignal.abort(new Error('closing')) }));
  await expect(job).rejects.toThrow('closing');
  expect(await loadState()).toMatchObject({ status: 'processing' });
});

test('a job for an unknown photo is not retried', async () => {
  await expect(runJob()).rejects.toThrow(UnrecoverableJobError);
});
