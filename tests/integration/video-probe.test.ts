import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { media, UnrecoverableJobError, videoBlobKeys, type BlobStore, toStreamId } from '@alpenglow/domain';
import { removeMedia, uploadMedia } from '@alpenglow/domain/deciders';
import { createCommandHandler, createFileBlobStore } from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createVideoProbeHandler } from '../../workers/src/video-probe-handler.ts';
import { decoder } from '../support/decoder.ts';
import { createJobContext } from '../support/job-context.ts';
import { avi, box, mp4, audioOnlyMp4, webm } from '../support/videos.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { noPictureLists } from '../support/no-picture-lists.ts';

const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };

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
  await blobs.put(videoBlobKeys.original('m1'), bytes);
  const command = {
    mediaId: 'm1',
    ownerId: 'anna',
    kind: 'video' as const,
    sizeBytes: Math.max(1, bytes.length),
    contentType,
  };
  await commands.execute(media, 'm1', uploadMedia, command, origin);
}
const runJob = (blobStore: BlobStore = blobs, signal = new AbortController().signal) =>
  createVideoProbeHandler({ blobs: blobStore, commands, decoder, knownImages: noPictureLists })(
    { mediaId: 'm1' },
    createJobContext({ signal }),
  );
const loadState = async () => (await commands.load(media, 'm1')).state;
const readPlayable = async () => buffer((await blobs.read(videoBlobKeys.playable('m1'))).bytes);
const readEventTypes = async () => (await store.readStream(toStreamId(media, 'm1'))).map(({ type }) => type);
const listFiles = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
const rejectedWith = (code: string): unknown => expect.objectContaining({ status: 'rejected', code });

describe('a video', () => {
  test.each([
    ['MP4', 'video/mp4', () => mp4({ seconds: 3, width: 96, height: 64 })],
    ['MOV', 'video/quicktime', () => mp4({ seconds: 3, width: 96, height: 64, brand: 'qt  ' })],
    ['AVI', 'video/x-msvideo', () => avi({ seconds: 3, width: 96, height: 64 })],
  ])('of type %s is measured, and its original is removed', async (_name, contentType, make) => {
    await upload(await make(), contentType);
    await runJob();
    expect(await loadState()).toMatchObject({ status: 'ready', width: 96, height: 64, duration_s: 3, contentType });
    expect(await listFiles()).toEqual(['m1']);
    const [, probed] = await store.readStream(toStreamId(media, 'm1'));
    const codec = contentType === 'video/x-msvideo' ? 'mjpeg' : 'h264';
    expect(probed?.data).toMatchObject({ codec, sizeBytes: (await readPlayable()).length });
  });

  test('without a duration in its header, as browsers record it, is measured by its packets', async () => {
    await upload(await webm({ seconds: 3 }), 'video/webm');
    await runJob();
    expect(await loadState()).toMatchObject({ status: 'ready', duration_s: expect.closeTo(3, 0) });
  });

  test('of type AVI has the duration of its pictures, also with MP3 sound', async () => {
    await upload(await avi({ seconds: 8, hasSound: true }), 'video/x-msvideo');
    await runJob();
    expect(await loadState()).toMatchObject({ status: 'ready', duration_s: expect.closeTo(8, 0) });
    expect((await readPlayable()).includes('01wb')).toBe(true);
  });

  test('with a rotation has the size of its display', async () => {
    await upload(await mp4({ width: 96, height: 64, rotation: 90 }));
    await runJob();
    expect(await loadState()).toMatchObject({ status: 'ready', width: 64, height: 96 });
  });

  test('with nested boxes that a player does not need is accepted without these boxes', async () => {
    let deep = box('free');
    for (let depth = 0; depth < 2_000; depth += 1) deep = box('moov', deep);
    const video = await mp4();
    await upload(Buffer.concat([video, deep]));
    await runJob();
    expect(await loadState()).toMatchObject({ status: 'ready', duration_s: 2 });
    expect((await readPlayable()).length).toBeLessThan(video.length + deep.length);
    expect((await readPlayable()).indexOf('moov')).toBe((await readPlayable()).lastIndexOf('moov'));
  });
});

describe('a video longer than 20 seconds', () => {
  test.each([
    ['MP4', 'video/mp4', () => mp4({ seconds: 21, fps: 2 })],
    ['AVI', 'video/x-msvideo', () => avi({ seconds: 21, fps: 2 })],
    ['WebM without a length', 'video/webm', () => webm({ seconds: 22, fps: 2 })],
    ['MP4 whose header contains three seconds', 'video/mp4', () => mp4({ seconds: 40, fps: 2, claimed_s: 3 })],
  ])('is rejected: %s', async (_name, contentType, make) => {
    await upload(await make(), contentType);
    await runJob();
    expect(await loadState()).toEqual(
      expect.objectContaining({
        status: 'rejected',
        code: 'VIDEO_TOO_LONG',
        reason: 'Video must be at most 20 seconds',
      }),
    );
    expect(await listFiles()).toEqual([]);
  });

  test('only according to its header is accepted, because the header is written again', async () => {
    await upload(await mp4({ seconds: 3, claimed_s: 3_600 }));
    await runJob();
    expect(await loadState()).toMatchObject({ status: 'ready', duration_s: 3 });
  });

  test('by only a few frames is accepted', async () => {
    await upload(await mp4({ seconds: 20.2, fps: 5 }));
    await runJob();
    expect(await loadState()).toMatchObject({ status: 'ready', duration_s: 20.2 });
  });
});

describe('a file that is no video', () => {
  const truncated = async () => {
    const whole = await mp4({ seconds: 5 });
    return whole.subarray(0, whole.length / 2);
  };
  test('is rejected and removed: only sound', async () => {
    await upload(await audioOnlyMp4());
    await runJob();
    expect(await loadState()).toEqual(rejectedWith('NOT_A_VIDEO'));
    expect(await listFiles()).toEqual([]);
  });

  test.each<readonly [string, string, () => Promise<Buffer>]>([
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
    [
      'an MP4 of very many boxes',
      'video/mp4',
      async () => Buffer.concat([await mp4(), ...Array.from({ length: 20_000 }, () => box('free'))]),
    ],
    [
      'a packed header',
      'video/quicktime',
      async () => Buffer.concat([box('ftyp', Buffer.from('qt  qt  ')), box('moov', box('cmov'))]),
    ],
    ['nothing', 'video/mp4', async () => Buffer.alloc(0)],
  ])('is called damaged and removed: %s', async (_name, contentType, make) => {
    await upload(await make(), contentType);
    await runJob();
    expect(await loadState()).toEqual(rejectedWith('VIDEO_DAMAGED'));
    expect(await listFiles()).toEqual([]);
  });
});

describe('a repeated video job', () => {
  test('changes nothing after its completion', async () => {
    await upload(await mp4());
    await runJob();
    await runJob();
    expect(await readEventTypes()).toEqual(['MediaUploaded', 'VideoProbed']);
    expect(await listFiles()).toEqual(['m1']);
  });

  test('in parallel with itself has one result', async () => {
    await upload(await mp4());
    await Promise.all([runJob(), runJob()]);
    expect(await readEventTypes()).toEqual(['MediaUploaded', 'VideoProbed']);
    expect(await listFiles()).toEqual(['m1']);
  });

  test('removes the original after an interruption between the event and the removal', async () => {
    await upload(await mp4());
    await expect(runJob({ ...blobs, remove: () => Promise.reject(new Error('killed')) })).rejects.toThrow('killed');
    expect(await listFiles()).toHaveLength(2);
    await runJob();
    expect(await listFiles()).toHaveLength(1);
    expect(await readEventTypes()).toEqual(['MediaUploaded', 'VideoProbed']);
  });

  test('completes the video without the original if the playable file exists', async () => {
    await upload(await mp4());
    await blobs.put(videoBlobKeys.playable('m1'), await mp4());
    await blobs.remove(videoBlobKeys.original('m1'));
    await runJob();
    expect(await loadState()).toMatchObject({ status: 'ready' });
  });

  test('rejects the video as interrupted if all files are missing', async () => {
    await upload(await mp4());
    await blobs.remove(videoBlobKeys.original('m1'));
    await runJob();
    expect(await loadState()).toEqual(rejectedWith('UPLOAD_BROKEN_OFF'));
  });
});

test('a video that is removed during its job leaves no files', async () => {
  await upload(await mp4());
  await commands.execute(media, 'm1', removeMedia, {}, origin);
  await runJob();
  expect(await readEventTypes()).toEqual(['MediaUploaded', 'MediaRemoved']);
  expect(await listFiles()).toEqual([]);
});

test('an aborted job can be retried, and leaves no temporary copy', async () => {
  // Other tests use the common temporary directory at the same time, so this test uses its own directory.
  const temporary = await mkdtemp(path.join(tmpdir(), 'alpenglow-videos-'));
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(temporary, { recursive: true });
  });
  await upload(await mp4());
  await expect(runJob(blobs, AbortSignal.abort(new Error('closing')))).rejects.toThrow('closing');
  expect(await loadState()).toMatchObject({ status: 'processing' });
  expect(await readdir(temporary)).toEqual([]);
});

test('a job for an unknown video or for a photo is not retried', async () => {
  await expect(runJob()).rejects.toThrow(UnrecoverableJobError);
  await commands.execute(
    media,
    'm1',
    uploadMedia,
    { mediaId: 'm1', ownerId: 'anna', kind: 'photo', sizeBytes: 1, contentType: 'image/png' },
    origin,
  );
  await expect(runJob()).rejects.toThrow(UnrecoverableJobError);
});
