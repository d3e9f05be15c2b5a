import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanVideo } from '../../infra/decoder/clean-video.mjs';
import { readShownParts } from '../../infra/decoder/edit-lists.mjs';
import { box, packetText, trimmedMp4, type TrimmedOptions } from '../support/videos.ts';

/**
 * Phones trim a video without encoding it again: the file contains the whole recording, and an edit list states what
 * players show. The published file has nothing that a player would not show (R-5.24, T-16).
 */

const max_s = 20.25;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-trimmed-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the numbers of the pictures and of the sound packets in the published file, and its properties. */
async function publish(wanted: TrimmedOptions) {
  const contentType = wanted.brand === 'qt  ' ? 'video/quicktime' : 'video/mp4';
  const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')];
  await writeFile(from, trimmedMp4(wanted));
  const properties = await cleanVideo(from, to, { contentType, max_s });
  const file = await readFile(to);
  const numbers = (kind: 'picture' | 'sound', count: number) =>
    Array.from({ length: count }, (_, index) => index).filter((index) => file.includes(packetText(kind, index)));
  return {
    ...properties,
    pictures: numbers('picture', wanted.seconds * wanted.fps),
    sounds: numbers('sound', wanted.seconds * 50),
  };
}
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describe.each([
  ['MP4', 'isom'],
  ['MOV', 'qt  '],
])('a trimmed %s', (_name, brand) => {
  test('begins at the first key picture that players show', async () => {
    const video = { seconds: 15, fps: 10, keyEvery: 40, brand };
    expect(await publish({ ...video, pictures: [{ edits: [{ from_s: 5, seconds: 10 }] }] })).toMatchObject({
      pictures: range(80, 150),
      duration_s: expect.closeTo(7, 1),
      shortened_s: 3,
    });
  });

  test('keeps everything that players show if it begins at a key picture', async () => {
    const video = { seconds: 15, fps: 10, keyEvery: 40, brand };
    expect(await publish({ ...video, pictures: [{ edits: [{ from_s: 8, seconds: 7 }] }] })).toMatchObject({
      pictures: range(80, 150),
      shortened_s: 0,
    });
  });
});

test('a part behind the end of the edit list is not published', async () => {
  const pictures = [{ edits: [{ from_s: 0, seconds: 6 }] }];
  expect(await publish({ seconds: 15, fps: 10, pictures })).toMatchObject({
    pictures: range(0, 60),
    duration_s: expect.closeTo(6, 1),
    shortened_s: 0,
  });
});

test('pictures that need a hidden one are not published', async () => {
  // The order in the file is 0 3 1 2, 4 7 5 6 and so on. The edit list hides picture 7, which 5 and 6 may need.
  const pictures = [{ edits: [{ from_s: 0.1, seconds: 0.7 }] }];
  expect(await publish({ seconds: 2, fps: 10, order: [0, 3, 1, 2], pictures })).toMatchObject({
    pictures: range(0, 5),
    shortened_s: 0.2,
  });
});

test('pictures that are shown before their key picture are not published', async () => {
  // The order in the file is 2 0 1, 5 3 4 and so on. Pictures 9 and 10 may need hidden ones.
  const pictures = [{ edits: [{ from_s: 1.1, seconds: 1.8 }] }];
  expect(await publish({ seconds: 3, fps: 10, keyEvery: 9, order: [2, 0, 1], pictures })).toMatchObject({
    pictures: range(11, 27),
    shortened_s: 0.2,
  });
});

test('sound that players do not play is not published, also not next to pictures that were removed', async () => {
  const edits = [{ from_s: 5, seconds: 5 }];
  const video = { seconds: 15, fps: 10, keyEvery: 40 };
  expect(await publish({ ...video, pictures: [{ edits }], sound: { edits } })).toMatchObject({
    pictures: range(80, 100),
    sounds: range(400, 500),
    shortened_s: 3,
  });
});

test('a pause at the start delays a track and hides nothing', async () => {
  const edits = [
    { from_s: null, seconds: 1 },
    { from_s: 0, seconds: 2 },
  ];
  expect(await publish({ seconds: 3, fps: 10, pictures: [{}], sound: { edits } })).toMatchObject({
    pictures: range(0, 30),
    sounds: range(0, 100),
    shortened_s: 0,
  });
});

test('consecutive parts count as one part', async () => {
  const edits = [
    { from_s: 1, seconds: 1 },
    { from_s: 2, seconds: 1 },
  ];
  expect(await publish({ seconds: 4, fps: 10, keyEvery: 1, pictures: [{ edits }] })).toMatchObject({
    pictures: range(10, 30),
  });
});

test('only the part that players show may have at most 20 seconds', async () => {
  const video = { seconds: 30, fps: 5, keyEvery: 5 };
  const shown = (from_s: number, seconds: number) =>
    publish({ ...video, pictures: [{ edits: [{ from_s, seconds }] }] });
  expect(await shown(8, 18)).toMatchObject({ pictures: range(40, 130) });
  await expect(shown(2, 22)).rejects.toMatchObject({ code: 'VIDEO_TOO_LONG' });
  await expect(publish(video)).rejects.toMatchObject({ code: 'VIDEO_TOO_LONG' });
});

test('a track that players do not show is not published', async () => {
  const hidden = { isEnabled: false, edits: [{ from_s: 0, seconds: 1 }] };
  const shown = { edits: [{ from_s: 1, seconds: 1 }] };
  const video = { seconds: 2, fps: 10, keyEvery: 1 };
  expect(await publish({ ...video, pictures: [hidden, shown] })).toMatchObject({ pictures: range(10, 20) });
  expect(await publish({ ...video, sound: { isEnabled: false } })).toMatchObject({
    pictures: range(0, 20),
    sounds: [],
  });
});

test('the edit list of a track that is not published does not matter', async () => {
  const edits = [
    { from_s: 1, seconds: 0.5 },
    { from_s: 0, seconds: 1, rate: 2 },
    { from_s: null, seconds: 1 },
  ];
  expect(await publish({ seconds: 2, fps: 10, measurements: { edits } })).toMatchObject({
    pictures: range(0, 20),
    shortened_s: 0,
  });
});

describe('a trimmed video that cannot be cut is rejected:', () => {
  const video = { seconds: 6, fps: 10 };
  test.each([
    ['no key picture in the part that players show', [{ from_s: 2, seconds: 3 }]],
    [
      'several parts',
      [
        { from_s: 0, seconds: 1 },
        { from_s: 4, seconds: 1 },
      ],
    ],
    ['another speed', [{ from_s: 0, seconds: 2, rate: 0.5 }]],
    ['a part behind the recording', [{ from_s: 10, seconds: 2 }]],
    ['nothing but a pause', [{ from_s: null, seconds: 2 }]],
  ])('%s', async (_name, edits) => {
    await expect(publish({ ...video, pictures: [{ edits }] })).rejects.toMatchObject({ code: 'VIDEO_TRIMMED' });
  });
});

test('a header of very many boxes is rejected before it needs much memory', () => {
  const header = Buffer.concat(Array.from({ length: 20_000 }, () => box('free')));
  expect(() => readShownParts(header, new Set())).toThrow('damaged header');
});

test('an edit list at a place where players do not read it is rejected', async () => {
  const file = trimmedMp4({ seconds: 2, fps: 10, pictures: [{ edits: [{ from_s: 0, seconds: 1 }] }] });
  const misplaced = Buffer.from(file.toString('latin1').replace('edts', 'meta'), 'latin1');
  const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')];
  await writeFile(from, misplaced);
  await expect(cleanVideo(from, to, { contentType: 'video/mp4', max_s })).rejects.toMatchObject({
    code: 'VIDEO_DAMAGED',
  });
});
