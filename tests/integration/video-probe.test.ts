import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { media, removeMedia, UnrecoverableJobError, uploadMedia, videoBlobs, type BlobStore } from '@alpenglow/domain';
import { createCommandHandler, createFileBlobStore, createMemoryEventStore } from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { clearMetadata } from '../../workers/src/clear-metadata.ts';
import { probeVideo } from '../../workers/src/probe-video.ts';
import { videoProbeJob } from '../../workers/src/video-probe.ts';
import { avi, box, mp4, soundOnly, webm } from '../support/videos.ts';

const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const PLACE = '+46.5700+007.9800/';

let folder: string;
let blobs: BlobStore;
let store: ReturnType<typeof createMemoryEventStore>;
let commands: ReturnType<typeof createCommandHandler>;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-videos-'));
  blobs = await createFileBlobStore({ root: folder });
  store = createMemoryEventStore();
  commands = createCommandHandler(store);
});
afterEach(() => rm(folder, { recursive: true }));

async function upload(bytes: Buffer, contentType = 'video/mp4'): Promise<void> {
  await blobs.put(videoBlobs.original('m1'), bytes);
  const command = {
    mediaId: 'm1',
    ownerId: 'anna',
    kind: 'video' as const,
    sizeBytes: Math.max(1, bytes.length),
    contentType,
  };
  await commands.handle(media, 'm1', (state) => uploadMedia(command, state), origin);
}
const work = (given: BlobStore = blobs, signal = new AbortController().signal) =>
  videoProbeJob({ blobs: given, commands })({ mediaId: 'm1' }, { attempt: 1, signal });
const state = async () => (await commands.load(media, 'm1')).state;
const playable = async () => buffer((await blobs.read(videoBlobs.playable('m1'))).bytes);
const eventTypes = async () => (await store.readStream('media-m1')).map(({ type }) => type);
const files = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
const rejectedAs = (code: string): unknown => expect.objectContaining({ status: 'rejected', code });

describe('a video', () => {
  test.each([
    ['MP4', 'video/mp4', () => mp4({ seconds: 3, width: 96, height: 64 })],
    ['MOV', 'video/quicktime', () => mp4({ seconds: 3, width: 96, height: 64, brand: 'qt  ' })],
    ['AVI', 'video/x-msvideo', () => avi({ seconds: 3, width: 96, height: 64 })],
  ])('of type %s is measured, and its original goes', async (_name, contentType, make) => {
    await upload(await make(), contentType);
    await work();
    expect(await state()).toMatchObject({ status: 'ready', width: 96, height: 64, duration_s: 3, contentType });
    expect(await files()).toEqual(['m1']);
    const [, probed] = await store.readStream('media-m1');
    expect(probed?.data).toMatchObject({ codec: 'mjpeg', sizeBytes: (await playable()).length });
  });

  test('as a browser records it, without a length in its header, is measured by its packets', async () => {
    await upload(await webm({ seconds: 3 }), 'video/webm');
    await work();
    expect(await state()).toMatchObject({ status: 'ready', duration_s: expect.closeTo(3, 0) });
  });

  test('filmed upright is as tall as a player shows it', async () => {
    await upload(await mp4({ width: 96, height: 64, rotation: 90 }));
    await work();
    expect(await state()).toMatchObject({ status: 'ready', width: 64, height: 96 });
  });

  test('other than MP4 and MOV stays as it is, byte for byte', async () => {
    const bytes = await avi();
    await upload(bytes, 'video/x-msvideo');
    await work();
    expect((await playable()).equals(bytes)).toBe(true);
  });
});

describe('a video longer than 20 seconds', () => {
  test.each([
    ['MP4', 'video/mp4', () => mp4({ seconds: 21, fps: 2 })],
    ['AVI', 'video/x-msvideo', () => avi({ seconds: 21, fps: 2 })],
    ['WebM without a length', 'video/webm', () => webm({ seconds: 22, fps: 2 })],
    ['MP4 whose header says three', 'video/mp4', () => mp4({ seconds: 40, fps: 2, claimed_s: 3 })],
    ['MP4 whose header says an hour', 'video/mp4', () => mp4({ seconds: 3, claimed_s: 3600 })],
  ])('is rejected: %s', async (_name, contentType, make) => {
    await upload(await make(), contentType);
    await work();
    expect(await state()).toEqual(
      expect.objectContaining({
        status: 'rejected',
        code: 'VIDEO_TOO_LONG',
        reason: 'Video must be at most 20 seconds',
      }),
    );
    expect(await files()).toEqual([]);
  });

  test('by less than a frame or two is not', async () => {
    await upload(await mp4({ seconds: 20, fps: 5, claimed_s: 20.2 }));
    await work();
    expect(await state()).toMatchObject({ status: 'ready', duration_s: 20.2 });
  });
});

describe('what is no video', () => {
  const truncated = async () => {
    const whole = await mp4({ seconds: 5 });
    return whole.subarray(0, whole.length / 2);
  };
  /** Boxes within boxes, ever deeper. */
  const nested = async () => {
    let deep = box('free');
    for (let depth = 0; depth < 2_000; depth += 1) deep = box('moov', deep);
    return Buffer.concat([await mp4(), deep]);
  };
  test.each<readonly [string, string, () => Promise<Buffer>]>([
    ['sound alone', 'video/mp4', soundOnly],
    ['half of an MP4', 'video/mp4', truncated],
    [
      'an MP4 with a ZIP behind it',
      'video/mp4',
      async () => Buffer.concat([await mp4(), Buffer.from('PK\u0003\u0004 and so on')]),
    ],
    [
      'the first bytes of an MP4, then nonsense',
      'video/mp4',
      async () => Buffer.concat([box('ftyp', Buffer.from('isomisom')), Buffer.alloc(5_000, 'x')]),
    ],
    ['an AVI called MP4', 'video/mp4', () => avi()],
    ['an MP4 called AVI', 'video/x-msvideo', () => mp4()],
    ['a playlist called WebM', 'video/webm', async () => Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
    ['an MP4 of boxes in boxes', 'video/mp4', nested],
    [
      'an MP4 of very many boxes',
      'video/mp4',
      async () => Buffer.concat([await mp4(), ...Array.from({ length: 20_000 }, () => box('free'))]),
    ],
    [
      'a packed header',
      'video/quicktime',
      async () => Buffer.concat([await mp4({ brand: 'qt  ' }), box('moov', box('cmov'))]),
    ],
    ['nothing', 'video/mp4', async () => Buffer.alloc(0)],
  ])('is rejected and goes: %s', async (_name, contentType, make) => {
    await upload(await make(), contentType);
    await work();
    expect(await state()).toEqual(rejectedAs('NOT_A_VIDEO'));
    expect(await files()).toEqual([]);
  });

  test('whatever its bytes: nothing crashes or hangs', async () => {
    const whole = await mp4({ seconds: 1, location: PLACE });
    for (let seed = 1; seed <= 25; seed += 1) {
      const damaged = Buffer.from(whole);
      for (let hit = 0; hit < 12; hit += 1)
        damaged[(seed * 7919 + hit * 104_729) % damaged.length] = (seed * 31 + hit * 17) % 256;
      const file = path.join(folder, 'damaged');
      await writeFile(file, damaged);
      const facts = await probeVideo(file, 'video/mp4', new AbortController().signal).catch((error: unknown) => error);
      if (facts instanceof Error) expect(facts.name, facts.message).toBe('NotAVideo');
      const cleared = await clearMetadata(file).catch((error: unknown) => error);
      if (cleared instanceof Error) expect(cleared.name, cleared.message).toBe('NotAVideo');
    }
  });
});

describe('where a video was made', () => {
  test.each(['isom', 'qt  '])('does not reach a visitor, brand %s', async (brand) => {
    const original = await mp4({ brand, location: PLACE });
    expect(original.toString('latin1').split(PLACE)).toHaveLength(5);
    await upload(original, brand === 'isom' ? 'video/mp4' : 'video/quicktime');
    await work();
    const shown = await playable();
    expect(shown.includes(PLACE)).toBe(false);
    expect(shown.includes('com.apple.quicktime.location')).toBe(false);
    expect(shown.length).toBe(original.length);
  });

  test.each([
    ['in space called free, as dashboard cameras do', () => box('free', Buffer.from(`freeGPS ${PLACE}`))],
    ['in space to be skipped', () => box('skip', Buffer.from(PLACE))],
    ['in a box of its maker’s own', () => box('thma', Buffer.from(PLACE))],
    ['in the header, in a box that no standard knows', () => box('moov', box('gps ', Buffer.from(PLACE)))],
    ['in a track, in a box that no standard knows', () => box('moov', box('trak', box('Loc ', Buffer.from(PLACE))))],
  ])('does not reach a visitor %s', async (_where, make) => {
    await upload(Buffer.concat([await mp4(), make()]));
    await work();
    expect(await state()).toMatchObject({ status: 'ready' });
    expect((await playable()).includes(PLACE)).toBe(false);
  });

  test('goes without moving anything: the pictures are the same', async () => {
    const original = await mp4({ location: PLACE });
    const pictures = original.subarray(original.indexOf('mdat'));
    await upload(original);
    await work();
    const shown = await playable();
    expect(shown.subarray(shown.indexOf('mdat')).equals(pictures)).toBe(true);
    const file = path.join(folder, 'shown');
    await writeFile(file, shown);
    expect(await probeVideo(file, 'video/mp4', new AbortController().signal)).toMatchObject({
      duration_s: 2,
      width: 64,
      height: 48,
    });
  });
});

describe('run again', () => {
  test('after it is done, and after a rejection, a job changes nothing', async () => {
    await upload(await mp4());
    await work();
    await work();
    expect(await eventTypes()).toEqual(['MediaUploaded', 'VideoProbed']);
    expect(await files()).toEqual(['m1']);
  });

  test('two at once make one verdict', async () => {
    await upload(await mp4());
    await Promise.all([work(), work()]);
    expect(await eventTypes()).toEqual(['MediaUploaded', 'VideoProbed']);
    expect(await files()).toEqual(['m1']);
  });

  test('after dying between event and clearing away, it clears away', async () => {
    await upload(await mp4());
    await expect(work({ ...blobs, remove: () => Promise.reject(new Error('killed')) })).rejects.toThrow('killed');
    expect(await files()).toHaveLength(2);
    await work();
    expect(await files()).toHaveLength(1);
    expect(await eventTypes()).toEqual(['MediaUploaded', 'VideoProbed']);
  });

  test('with the original gone, it finishes by what visitors get, or rejects the video as broken off', async () => {
    await upload(await mp4());
    await blobs.put(videoBlobs.playable('m1'), await mp4());
    await blobs.remove(videoBlobs.original('m1'));
    await work();
    expect(await state()).toMatchObject({ status: 'ready' });
  });

  test('with everything gone, the video is rejected as broken off', async () => {
    await upload(await mp4());
    await blobs.remove(videoBlobs.original('m1'));
    await work();
    expect(await state()).toEqual(rejectedAs('UPLOAD_BROKEN_OFF'));
  });
});

test('a video removed meanwhile leaves no bytes', async () => {
  await upload(await mp4());
  await commands.handle(media, 'm1', removeMedia, origin);
  await work();
  expect(await eventTypes()).toEqual(['MediaUploaded', 'MediaRemoved']);
  expect(await files()).toEqual([]);
});

test('an aborted job is left for a retry, and leaves no copy', async () => {
  // Others use the common one at the same time.
  const temporary = await mkdtemp(path.join(tmpdir(), 'alpenglow-videos-'));
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(temporary, { recursive: true });
  });
  await upload(await mp4());
  await expect(work(blobs, AbortSignal.abort(new Error('closing')))).rejects.toThrow('closing');
  expect(await state()).toMatchObject({ status: 'processing' });
  expect(await readdir(temporary)).toEqual([]);
});

test('a job for what was never uploaded, or for a photo, is not retried', async () => {
  await expect(work()).rejects.toThrow(UnrecoverableJobError);
  await commands.handle(
    media,
    'm1',
    (known) =>
      uploadMedia({ mediaId: 'm1', ownerId: 'anna', kind: 'photo', sizeBytes: 1, contentType: 'image/png' }, known),
    origin,
  );
  await expect(work()).rejects.toThrow(UnrecoverableJobError);
});
