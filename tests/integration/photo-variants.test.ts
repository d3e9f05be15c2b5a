import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  media,
  PHOTO_VARIANTS,
  photoBlobs,
  removeMedia,
  UnrecoverableJobError,
  uploadMedia,
  type BlobStore,
} from '@alpenglow/domain';
import { createCommandHandler, createFileBlobStore, createMemoryEventStore, noKnownImages } from '@alpenglow/infra';
import exifr from 'exifr';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { photoVariantsJob } from '../../workers/src/photo-variants.ts';
import { pictures } from '../support/pictures.ts';

const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const NOT_AN_IMAGE = 'Please select an image file (JPG, PNG, GIF)';

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
  await blobs.put(photoBlobs.original('m1'), bytes);
  const command = {
    mediaId: 'm1',
    ownerId: 'anna',
    kind: 'photo' as const,
    sizeBytes: Math.max(1, bytes.length),
    contentType: 'image/jpeg',
  };
  await commands.handle(media, 'm1', (state) => uploadMedia(command, state), origin);
}
const work = (given: BlobStore = blobs) =>
  photoVariantsJob({ blobs: given, commands, knownImages: noKnownImages })(
    { mediaId: 'm1' },
    { attempt: 1, signal: new AbortController().signal },
  );
const state = async () => (await commands.load(media, 'm1')).state;
const variant = async (name: string) => buffer((await blobs.read(photoBlobs.variant('m1', name))).bytes);
const eventTypes = async () => (await store.readStream('media-m1')).map(({ type }) => type);
const files = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

/** Colour of the middle of a region (0 to 1 across and down). */
async function colourAt(bytes: Buffer, x: number, y: number) {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(info.height * y) * info.width + Math.floor(info.width * x)) * 3;
  return { r: data[at] ?? 0, g: data[at + 1] ?? 0, b: data[at + 2] ?? 0 };
}

describe('a photo', () => {
  test('gets every variant, and its original goes', async () => {
    await upload(await pictures.jpeg(2400, 1800));
    await work();
    for (const name of PHOTO_VARIANTS) {
      const [width = '', format] = name.split('.');
      const found = await sharp(await variant(name)).metadata();
      expect(found).toMatchObject({
        width: Number(width),
        height: (Number(width) * 3) / 4,
        format: { avif: 'heif', webp: 'webp', jpg: 'jpeg' }[format ?? ''],
      });
    }
    expect(await state()).toMatchObject({ status: 'ready', width: 1600, height: 1200 });
    expect(await blobs.info(photoBlobs.original('m1'))).toBeNull();
    expect(await files()).toHaveLength(PHOTO_VARIANTS.length);
  });

  test('is not enlarged', async () => {
    await upload(await pictures.jpeg(500, 400));
    await work();
    expect(await sharp(await variant('1600.jpg')).metadata()).toMatchObject({ width: 500, height: 400 });
    expect(await sharp(await variant('320.webp')).metadata()).toMatchObject({ width: 320, height: 256 });
    expect(await state()).toMatchObject({ width: 500, height: 400 });
  });

  test('has a blur of at most 1 KB that is a picture', async () => {
    await upload(await pictures.jpeg());
    await work();
    const ready = await state();
    const blur = ready?.status === 'ready' && ready.kind === 'photo' ? (ready.blur ?? '') : '';
    expect(blur.length).toBeLessThanOrEqual(1024);
    const bytes = Buffer.from(blur.replace('data:image/webp;base64,', ''), 'base64');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 16 });
  });

  test('loses where and by whom it was taken', async () => {
    const original = await pictures.withGps();
    expect(await exifr.gps(original)).toMatchObject({
      latitude: expect.closeTo(46.57, 1),
      longitude: expect.closeTo(7.98, 1),
    });
    await upload(original);
    await work();
    for (const name of PHOTO_VARIANTS) {
      const bytes = await variant(name);
      expect(await exifr.gps(bytes).catch(() => undefined), name).toBeUndefined();
      const { exif, xmp, iptc, icc, orientation } = await sharp(bytes).metadata();
      expect({ exif, xmp, iptc, icc, orientation }, name).toEqual({});
      for (const secret of ['AlpenCam', 'Somebody', 'secret-source', 'GPS'])
        expect(bytes.includes(secret), `${secret} in ${name}`).toBe(false);
    }
  });

  test('stands upright', async () => {
    await upload(await pictures.onItsSide());
    await work();
    expect(await state()).toMatchObject({ width: 600, height: 800 });
    const bytes = await variant('640.jpg');
    expect((await colourAt(bytes, 0.5, 0.25)).r).toBeLessThan(60);
    expect((await colourAt(bytes, 0.5, 0.75)).r).toBeGreaterThan(200);
  });

  test.each(['png', 'webp', 'avif', 'cmyk', 'deepGrey', 'onePixel', 'needle', 'polyglot'] as const)(
    'may be: %s',
    async (kind) => {
      await upload(await pictures[kind]());
      await work();
      expect(await state()).toMatchObject({ status: 'ready' });
      for (const name of PHOTO_VARIANTS)
        expect(await sharp(await variant(name)).metadata(), name).toMatchObject({ space: 'srgb', hasAlpha: false });
    },
  );

  test('shows the first frame of an animation', async () => {
    await upload(await pictures.animatedGif());
    await work();
    expect(await state()).toMatchObject({ status: 'ready', width: 200, height: 100 });
    const { r, b } = await colourAt(await variant('320.jpg'), 0.5, 0.5);
    expect(r).toBeGreaterThan(200);
    expect(b).toBeLessThan(60);
  });

  test('lies on white where it is transparent', async () => {
    await upload(await pictures.transparentPng());
    await work();
    const { r, g, b } = await colourAt(await variant('320.jpg'), 0.5, 0.5);
    expect(Math.min(r, g, b)).toBeGreaterThan(250);
  });

  test('carries no script along', async () => {
    await upload(await pictures.polyglot());
    await work();
    for (const name of PHOTO_VARIANTS) expect((await variant(name)).includes('<script>'), name).toBe(false);
  });
});

describe('what is no photo', () => {
  test.each(['bomb', 'truncatedJpeg', 'pngInName', 'svg', 'html', 'text', 'pdf', 'empty'] as const)(
    'is rejected and goes: %s',
    async (kind) => {
      await upload(await pictures[kind]());
      await work();
      expect(await state()).toMatchObject({ status: 'rejected', code: 'NOT_AN_IMAGE', reason: NOT_AN_IMAGE });
      expect(await files()).toEqual([]);
    },
  );
});

describe('run again', () => {
  test('after it is done, a job changes nothing', async () => {
    await upload(await pictures.jpeg());
    await work();
    const before = await variant('640.jpg');
    await work();
    expect(await eventTypes()).toEqual(['MediaUploaded', 'PhotoVariantsMade']);
    expect(await variant('640.jpg')).toEqual(before);
  });

  test('after a rejection, a job changes nothing', async () => {
    await upload(await pictures.text());
    await work();
    await work();
    expect(await eventTypes()).toEqual(['MediaUploaded', 'MediaRejected']);
  });

  test('two at once make one verdict', async () => {
    await upload(await pictures.jpeg());
    await Promise.all([work(), work()]);
    expect(await eventTypes()).toEqual(['MediaUploaded', 'PhotoVariantsMade']);
    expect(await files()).toHaveLength(PHOTO_VARIANTS.length);
  });

  test.each([1, 5, 9])('after dying at variant %i, it finishes the same', async (fatal) => {
    await upload(await pictures.jpeg());
    let puts = 0;
    const dying: BlobStore = {
      ...blobs,
      put: (key, bytes, options) =>
        (puts += 1) === fatal ? Promise.reject(new Error('killed')) : blobs.put(key, bytes, options),
    };
    await expect(work(dying)).rejects.toThrow('killed');
    expect(await state()).toMatchObject({ status: 'processing' });
    expect(await blobs.info(photoBlobs.original('m1'))).not.toBeNull();
    await work();
    expect(await eventTypes()).toEqual(['MediaUploaded', 'PhotoVariantsMade']);
    expect(await files()).toHaveLength(PHOTO_VARIANTS.length);
  });

  test('after dying between event and clearing away, it clears away', async () => {
    await upload(await pictures.jpeg());
    await expect(work({ ...blobs, remove: () => Promise.reject(new Error('killed')) })).rejects.toThrow('killed');
    expect(await blobs.info(photoBlobs.original('m1'))).not.toBeNull();
    await work();
    expect(await blobs.info(photoBlobs.original('m1'))).toBeNull();
    expect(await eventTypes()).toEqual(['MediaUploaded', 'PhotoVariantsMade']);
  });

  test('with the original gone but all variants there, it finishes by them', async () => {
    await upload(await pictures.jpeg(2400, 1800));
    await expect(
      photoVariantsJob({
        blobs,
        commands: { ...commands, handle: () => Promise.reject(new Error('killed')) },
        knownImages: noKnownImages,
      })({ mediaId: 'm1' }, { attempt: 1, signal: new AbortController().signal }),
    ).rejects.toThrow('killed');
    await blobs.remove(photoBlobs.original('m1'));
    await work();
    expect(await state()).toMatchObject({
      status: 'ready',
      width: 1600,
      height: 1200,
      blur: expect.stringMatching(/^data:image\/webp/u),
    });
    expect((await store.readStream('media-m1')).at(-1)?.data).toMatchObject({
      hash: expect.stringMatching(/^[0-9a-f]{16}$/u),
    });
  });

  test('with original and variants gone, the photo is rejected as broken off', async () => {
    await upload(await pictures.jpeg());
    await blobs.remove(photoBlobs.original('m1'));
    await work();
    expect(await state()).toMatchObject({ status: 'rejected', code: 'UPLOAD_BROKEN_OFF' });
  });
});

test('a photo removed meanwhile leaves no bytes', async () => {
  await upload(await pictures.jpeg());
  await commands.handle(media, 'm1', removeMedia, origin);
  await work();
  expect(await eventTypes()).toEqual(['MediaUploaded', 'MediaRemoved']);
  expect(await files()).toEqual([]);
});

test('an aborted job stops between variants and is left for a retry', async () => {
  await upload(await pictures.jpeg());
  const job = photoVariantsJob({ blobs, commands, knownImages: noKnownImages })(
    { mediaId: 'm1' },
    { attempt: 1, signal: AbortSignal.abort(new Error('closing')) },
  );
  await expect(job).rejects.toThrow('closing');
  expect(await state()).toMatchObject({ status: 'processing' });
});

test('a job for what was never uploaded is not retried', async () => {
  await expect(work()).rejects.toThrow(UnrecoverableJobError);
});
