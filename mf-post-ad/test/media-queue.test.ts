import { describe, expect, test } from 'vitest';
import { MAX_FILE_bytes, type ResponseOf } from '@alpenglow/domain/contracts';
import { ApiError, type Uploads } from '@alpenglow/ui';
import { ACCEPTED_PHOTOS, ACCEPTED_VIDEOS, findFileError, getMediaKind } from '../src/media/media-file.ts';
import { findSmallSize, photoFromUrl, toPhotoItems, videoFromUrl, toVideoItem } from '../src/media/media-item.ts';
import { createMediaQueue } from '../src/media/media-queue.ts';
import type { PendingFile } from '../src/media/pending-files.ts';

const image = (name: string) => new File(['x'], name, { type: 'image/jpeg' });
const film = (name: string, type = 'video/mp4') => new File(['x'], name, { type });
const photoUrl = (id: string) => `/uploads/photos/${id}/1600.jpg`;
const photoResponse = (id: string): ResponseOf<'uploadPhotos'> => {
  const photo = photoFromUrl(photoUrl(id));
  return { success: true, urls: [photoUrl(id)], media: photo ? [photo] : [] };
};
const videoResponse = (id: string): ResponseOf<'uploadVideo'> => {
  const media = videoFromUrl(`/uploads/video/${id}`);
  if (!media) throw new Error(`${id} is no media id`);
  return { success: true, url: media.url, media };
};
const serverError = () => new ApiError('Upload failed: 500 boom', { status: 500, code: 'INTERNAL' });
const cancelled = () => new ApiError('Request was cancelled. Please try again.', { status: 0, code: 'CANCELLED' });
const works: Uploads = {
  photo: (file) => Promise.resolve(photoResponse(file.name)),
  video: (file) => Promise.resolve(videoResponse(file.name.replace('.', '-'))),
};
/** A fake request that never responds. It rejects when it is canceled. */
const hangs = (_file: File, { signal }: { signal?: AbortSignal }) =>
  new Promise<never>((_resolve, reject) => signal?.addEventListener('abort', () => reject(cancelled())));
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

interface Options {
  /**
   * If true, the queue waits between two upload attempts until the upload is canceled. By default, this wait ends
   * immediately.
   */
  readonly waitsForever?: boolean;
}

/** Creates a media queue and records its waits, status texts and previews. By default, its waits end immediately. */
function newQueue(uploads: Partial<Uploads> | null, { waitsForever = false }: Options = {}) {
  const waited: number[] = [];
  const statusTexts: string[] = [];
  const previews = new Set<string>();
  const queue = createMediaQueue({
    prepare: (file) => Promise.resolve(file),
    preview(file) {
      previews.add(file.name);
      return file.name;
    },
    dropPreview: (url) => void previews.delete(url),
    wait(time_ms, signal) {
      waited.push(time_ms);
      return waitsForever
        ? new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(cancelled())))
        : Promise.resolve();
    },
  });
  queue.subscribe(() => {
    const { status } = queue.state();
    if (status !== null && statusTexts.at(-1) !== status) statusTexts.push(status);
  });
  queue.sendBy(uploads && { ...works, ...uploads });
  const photos = () => queue.state().photos;
  return {
    queue,
    waited,
    statusTexts,
    previews,
    photos,
    states: () => photos().map(({ name, state }) => `${name} ${state}`),
    video: () => queue.state().video,
  };
}

describe('validation of files', () => {
  test('accepts images and videos up to 100 MB', () => {
    const file = (name: string, type: string, size = 1) => ({ name, type, size });
    expect(findFileError('photo', file('a.txt', 'text/plain'))).toBe('Please select an image file (JPG, PNG, GIF)');
    expect(findFileError('photo', file('a', ''))).toBe('Please select an image file (JPG, PNG, GIF)');
    expect(findFileError('photo', file('IMG_1.HEIC', '')), 'a type that the browser does not know').toBeNull();
    expect(findFileError('photo', file('a.png', 'image/png', MAX_FILE_bytes + 1))).toBe(
      'Image file size must be less than 100MB',
    );
    expect(findFileError('photo', file('a.png', 'image/png', MAX_FILE_bytes))).toBeNull();
    expect(findFileError('video', file('a.png', 'image/png'))).toBe('Please select a video file (MP4, MOV, AVI)');
    expect(findFileError('video', file('a.mp4', 'video/mp4', MAX_FILE_bytes + 1))).toBe(
      'Video file size must be less than 100MB',
    );
    expect(findFileError('video', file('a.mov', 'video/quicktime', MAX_FILE_bytes))).toBeNull();
    expect(findFileError('video', file('A.AVI', '')), 'a type that the operating system does not know').toBeNull();
    expect(findFileError('video', file('a.3gp', '')), 'a name that phones use').toBeNull();
  });

  test('accepts exact types in the file fields, so that phones convert their own formats', () => {
    const types = [...Object.keys(ACCEPTED_PHOTOS), ...ACCEPTED_VIDEOS.split(',')];
    expect(types).toContain('image/jpeg');
    expect(types).toContain('video/quicktime');
    expect(types.filter((type) => /[*]|hei[cf]/u.test(type))).toEqual([]);
  });

  test('derives the kind of a file from its type, otherwise from its name', () => {
    expect([
      getMediaKind({ name: 'a', type: 'video/mp4' }),
      getMediaKind({ name: 'a.AVI', type: '' }),
      getMediaKind({ name: 'a.mp4', type: 'image/png' }),
      getMediaKind({ name: 'a.txt', type: 'text/plain' }),
    ]).toEqual(['video', 'video', 'photo', 'photo']);
  });

  test('accepts five photos, and reports why others are rejected', async () => {
    const { queue, photos } = newQueue({});
    queue.add([
      new File(['x'], 'note.txt', { type: 'text/plain' }),
      ...[1, 2, 3, 4, 5, 6].map((number) => image(`${number}`)),
    ]);
    const rejection = 'Please select an image file (JPG, PNG, GIF) Maximum 5 photos allowed';
    expect(queue.state().rejection).toBe(rejection);
    await queue.finish();
    expect(queue.state().rejection, 'uploads do not replace the reasons').toBe(rejection);
    expect(photos().map(({ name }) => name)).toEqual(['1', '2', '3', '4', '5']);
    queue.stop();
  });

  test('accepts one video; others are rejected unless the first one failed', async () => {
    const { queue, video, previews } = newQueue({
      video: (file, options) =>
        file.name === 'bad.mp4'
          ? Promise.reject(new ApiError('no', { status: 400, code: 'NOT_A_VIDEO' }))
          : works.video(file, options),
    });
    queue.add([film('bad.mp4'), film('b.mp4'), image('c')]);
    expect(queue.state().rejection).toBe('Only one video is allowed. The other video was not added.');
    await nextTurn();
    await nextTurn();
    expect([video()?.name, video()?.state]).toEqual(['bad.mp4', 'failed']);
    queue.add([film('b.mp4')]);
    await queue.finish();
    expect([video()?.name, video()?.state, video()?.url]).toEqual(['b.mp4', 'done', '/uploads/video/b-mp4']);
    queue.add([film('d.mp4')], 'video');
    expect(video()?.name).toBe('b.mp4');
    expect(previews, 'only previews of existing items').toEqual(new Set(['b.mp4']));
    queue.stop();
  });

  test('accepts nothing if the visitor is signed out', () => {
    const { queue } = newQueue(null);
    queue.add([image('a')]);
    expect(queue.state().rejection).toBe('Please log in to upload photos.');
    queue.add([film('a.mp4')]);
    expect(queue.state().rejection).toBe('Please log in to upload video.');
    expect(queue.state()).toMatchObject({ photos: [], video: null });
    queue.stop();
  });

  test('shows the reasons of rejected files until the next login', () => {
    const { queue } = newQueue(null);
    queue.add([image('a')]);
    queue.sendBy(null);
    expect(queue.state().rejection).toBe('Please log in to upload photos.');
    queue.sendBy(works);
    expect(queue.state().rejection).toBeNull();
    queue.add([film('a.mp4'), film('b.mp4')]);
    const { rejection } = queue.state();
    expect(rejection).not.toBeNull();
    queue.sendBy({ ...works });
    expect(queue.state().rejection).toBe(rejection);
    queue.stop();
  });
});

test('uploads run one after another, for photos and video, in order', async () => {
  let running = 0;
  const sent: string[] = [];
  const alone = async (file: File) => {
    expect((running += 1)).toBe(1);
    await nextTurn();
    running -= 1;
    sent.push(file.name);
  };
  const { queue, statusTexts } = newQueue({
    photo: async (file) => alone(file).then(() => photoResponse(file.name)),
    video: async (file) => alone(file).then(() => videoResponse('v')),
  });
  queue.add([film('v.mp4'), image('a'), image('b')]);
  queue.add([image('c')]);
  expect(statusTexts).toEqual(['Upload in progress...']);
  await queue.finish();
  expect(sent, 'photos first').toEqual(['a', 'b', 'c', 'v.mp4']);
  expect(queue.urls()).toEqual({ photos: ['a', 'b', 'c'].map(photoUrl), video: '/uploads/video/v', isComplete: true });
  queue.stop();
});

test('a photo’s preview is replaced as soon as the server’s version can be displayed', async () => {
  const { queue, photos, previews } = newQueue({
    photo: (file) =>
      Promise.resolve(
        file.name === 'slow'
          ? {
              ...photoResponse('slow'),
              media: photoResponse('slow').media.map((photo) => ({ ...photo, status: 'processing' as const })),
            }
          : photoResponse(file.name),
      ),
  });
  queue.add([image('quick'), image('slow')]);
  await queue.finish();
  expect(photos().map(({ preview, view }) => [preview, view?.status])).toEqual([
    [null, 'ready'],
    ['slow', 'processing'],
  ]);
  expect(previews).toEqual(new Set(['slow']));
  queue.stop();
  expect(previews.size).toBe(0);
});

describe('retries (R-4.23)', () => {
  test('makes three attempts, after 2 s and 4 s, with a status text for each', async () => {
    let attempts = 0;
    const { queue, waited, statusTexts, states } = newQueue({
      photo() {
        attempts += 1;
        return attempts < 3 ? Promise.reject(serverError()) : Promise.resolve(photoResponse('a'));
      },
    });
    queue.add([image('a')]);
    await queue.finish();
    expect(waited).toEqual([2_000, 4_000]);
    expect(statusTexts).toEqual([
      'Upload in progress...',
      'Upload attempt 1 failed: Upload failed: 500 boom. Retrying in 2s...',
      'Upload attempt 2 failed: Upload failed: 500 boom. Retrying in 4s...',
      'Photo uploaded',
    ]);
    expect(states()).toEqual(['a done']);
    queue.stop();
  });

  test('retries a video too; a response without a URL is a failed attempt', async () => {
    let attempts = 0;
    const { queue, waited, statusTexts, video } = newQueue({
      video() {
        attempts += 1;
        return Promise.resolve(attempts < 3 ? { ...videoResponse('v'), url: '' } : videoResponse('v'));
      },
    });
    queue.add([film('v.mp4')]);
    await queue.finish();
    expect(waited).toEqual([2_000, 4_000]);
    expect(statusTexts).toContain('Upload attempt 2 failed: No video URL returned from server. Retrying in 4s...');
    expect(statusTexts.at(-1)).toBe('Video uploaded');
    expect(video()?.state).toBe('done');
    queue.stop();
  });

  test('waits for the connection after three attempts, with growing waits of up to 30 s for 10 minutes', async () => {
    const noConnection = () => new ApiError('No connection', { status: 0, code: 'NETWORK' });
    let attempts = 0;
    const { queue, waited, photos, statusTexts } = newQueue({
      photo(_file, { onProgress }) {
        attempts += 1;
        if (attempts === 8) return Promise.reject(serverError());
        if (attempts < 10) return Promise.reject(noConnection());
        expect(photos()[0]?.isWaiting, 'until the upload continues').toBe(true);
        onProgress?.(0.5);
        expect(photos()[0]).toMatchObject({ isWaiting: false, progress: 0.5 });
        return Promise.resolve(photoResponse('a'));
      },
    });
    queue.add([image('a')]);
    await queue.finish();
    expect(waited).toEqual([2_000, 4_000, 1_000, 2_000, 4_000, 8_000, 15_000, 2_000, 1_000]);
    const shown = statusTexts.filter((text, index) => text !== statusTexts[index - 1]);
    expect(shown.slice(1, 5)).toEqual([
      'Upload attempt 1 failed: No connection. Retrying in 2s...',
      'Upload attempt 2 failed: No connection. Retrying in 4s...',
      'Waiting for the connection…',
      'Upload attempt 8 failed: Upload failed: 500 boom. Retrying in 2s...',
    ]);
    expect(photos()[0]).toMatchObject({ state: 'done', isWaiting: false });
    queue.stop();

    const lost = newQueue({ photo: () => Promise.reject(noConnection()) });
    lost.queue.add([image('a')]);
    await lost.queue.idle();
    expect(lost.waited.reduce((sum, wait_ms) => sum + wait_ms)).toBe(2_000 + 4_000 + 600_000);
    expect(lost.photos()[0]).toMatchObject({ state: 'failed', isWaiting: false, mayPass: true });
    lost.queue.stop();
  });

  test('reports three failures, and retries when the form is sent', async () => {
    let attempts = 0;
    const { queue, statusTexts, states, photos } = newQueue({
      photo() {
        attempts += 1;
        return attempts <= 3 ? Promise.reject(serverError()) : Promise.resolve(photoResponse('a'));
      },
    });
    queue.add([image('a')]);
    await nextTurn();
    await nextTurn();
    expect(states()).toEqual(['a failed']);
    expect(photos()[0]?.problem).toBe('Photo upload failed: Upload failed: 500 boom');
    expect(statusTexts.at(-1)).toBe('Photo upload failed');
    expect(queue.urls()).toEqual({ photos: [], video: null, isComplete: false });
    await queue.finish();
    expect(states()).toEqual(['a done']);
    queue.stop();
  });

  test('omits a failed video instead of removing the ad’s video', async () => {
    const { queue, statusTexts, video } = newQueue({ video: () => Promise.reject(serverError()) });
    queue.add([film('v.mp4'), image('a')]);
    await queue.finish();
    expect(statusTexts).toContain('Video upload failed: Upload failed: 500 boom');
    expect(video()?.problem).toBe('Video upload failed: Upload failed: 500 boom');
    expect(queue.urls()).toEqual({ photos: [photoUrl('a')], isComplete: false });
    queue.stop();
  });

  test('is retried after 413, and the error contains the text of the response', async () => {
    const { queue, waited, statusTexts, photos } = newQueue({
      photo: () => Promise.reject(new ApiError('Upload failed: 413 too large', { status: 413, code: 'UNKNOWN' })),
    });
    queue.add([image('a')]);
    await queue.idle();
    expect(waited).toEqual([2_000, 4_000]);
    expect(statusTexts).toContain('Upload attempt 1 failed: Upload failed: 413 too large. Retrying in 2s...');
    expect(photos()[0]?.problem).toBe('Photo upload failed: Upload failed: 413 too large');
    queue.stop();
  });

  test('never retries a file that the server has rejected, not even when the form is sent', async () => {
    let attempts = 0;
    const { queue, waited } = newQueue({
      video() {
        attempts += 1;
        return Promise.reject(
          new ApiError('Upload failed: 400 Video must be at most 20 seconds', { status: 400, code: 'VIDEO_TOO_LONG' }),
        );
      },
    });
    queue.add([film('v.mp4')]);
    await queue.finish();
    await queue.finish();
    expect([attempts, waited.length]).toEqual([1, 0]);
    queue.stop();
  });

  test('does not wait if the session has ended, but retries when the form is sent', async () => {
    let attempts = 0;
    const { queue, waited, states } = newQueue({
      photo() {
        attempts += 1;
        return attempts === 1
          ? Promise.reject(
              new ApiError('Upload failed: 401 Authentication required', {
                status: 401,
                code: 'AUTHENTICATION_REQUIRED',
              }),
            )
          : Promise.resolve(photoResponse('a'));
      },
    });
    queue.add([image('a')]);
    await nextTurn();
    expect([attempts, waited.length]).toEqual([1, 0]);
    await queue.finish();
    expect(states()).toEqual(['a done']);
    queue.stop();
  });

  test('handles a response without a URL and an error without a message', async () => {
    const { queue, statusTexts } = newQueue({ photo: () => Promise.resolve({ success: true, urls: [], media: [] }) });
    queue.add([image('a')]);
    await queue.finish();
    expect(statusTexts).toContain('Upload attempt 1 failed: No URL returned. Retrying in 2s...');
    queue.stop();
    const { queue: other, photos, statusTexts: texts } = newQueue({ photo: () => Promise.reject(new Error('')) });
    other.add([image('a')]);
    await other.finish();
    expect(texts).toContain('Upload attempt 1 failed: Unknown error. Retrying in 2s...');
    expect(photos()[0]?.problem).toBe('Photo upload failed: Unknown error');
    other.stop();
  });
});

describe('cancelling', () => {
  test('ends the request without a retry, and the next upload starts', async () => {
    let signal: AbortSignal | undefined;
    const { queue, states, photos, statusTexts, waited } = newQueue({
      photo(file, options) {
        if (file.name !== 'a') return Promise.resolve(photoResponse(file.name));
        signal = options.signal;
        return hangs(file, options);
      },
    });
    queue.add([image('a'), image('b')]);
    await nextTurn();
    queue.cancel(photos()[0]?.key ?? '');
    await queue.finish();
    expect(signal?.aborted).toBe(true);
    expect(states()).toEqual(['a cancelled', 'b done']);
    expect(photos()[0]?.problem).toBe('Request was cancelled. Please try again.');
    expect(statusTexts).toContain('Request was cancelled. Please try again.');
    expect(waited).toEqual([]);
    expect(queue.urls().photos).toEqual([photoUrl('b')]);
    queue.stop();
  });

  test('ends the wait for the next attempt', async () => {
    let attempts = 0;
    const failing = () => {
      attempts += 1;
      return Promise.reject(serverError());
    };
    const { queue, video, waited } = newQueue({ video: failing }, { waitsForever: true });
    queue.add([film('v.mp4')]);
    await nextTurn();
    expect(waited).toEqual([2_000]);
    queue.cancel(video()?.key ?? '');
    await queue.finish();
    expect([attempts, video()?.state]).toEqual([1, 'cancelled']);
    queue.stop();
  });

  test('prevents the upload of a waiting item, which can be retried', async () => {
    const sent: string[] = [];
    let open = () => {};
    const { queue, photos, states } = newQueue({
      photo(file) {
        sent.push(file.name);
        return file.name === 'a'
          ? new Promise((resolve) => (open = () => resolve(photoResponse('a'))))
          : Promise.resolve(photoResponse(file.name));
      },
    });
    queue.add([image('a'), image('b')]);
    await nextTurn();
    queue.cancel(photos()[1]?.key ?? '');
    open();
    await queue.finish();
    expect(states()).toEqual(['a done', 'b cancelled']);
    queue.retry(photos()[1]?.key ?? '');
    await queue.finish();
    expect([states(), sent]).toEqual([
      ['a done', 'b done'],
      ['a', 'b'],
    ]);
    queue.stop();
  });
});

describe('the progress of all uploads', () => {
  test('counts the files since the queue was idle, and grows until all have ended', async () => {
    const shares: string[] = [];
    const { queue } = newQueue({
      photo(file, { onProgress }) {
        onProgress?.(0.5);
        return Promise.resolve(photoResponse(file.name));
      },
    });
    queue.subscribe(() => {
      const { files, share } = queue.progress();
      const text = `${files} ${share}`;
      if (shares.at(-1) !== text) shares.push(text);
    });
    queue.add([image('a'), image('b')]);
    await queue.idle();
    expect(shares).toEqual(['1 0', '2 0', '2 0.25', '1 0.5', '1 0.75', '0 1']);
    queue.add([image('c')]);
    expect(queue.progress(), 'without the earlier files').toMatchObject({ files: 1, share: 0 });
    await queue.finish();
    queue.stop();
  });

  test('ends when all uploads are cancelled', async () => {
    const { queue, states } = newQueue({ photo: hangs });
    queue.add([image('a'), image('b')]);
    await nextTurn();
    queue.cancelAll();
    await queue.idle();
    expect(states()).toEqual(['a cancelled', 'b cancelled']);
    expect(queue.progress().files).toBe(0);
    queue.stop();
  });
});

describe('order and removal', () => {
  const photo = (id: string) =>
    ({ id, url: photoUrl(id), status: 'ready', reason: null, hold: null, width: 1, height: 1, blur: null }) as const;
  const existing = () =>
    createMediaQueue(
      {
        prepare: (file) => Promise.resolve(file),
        preview: () => '',
        dropPreview: () => undefined,
        wait: () => Promise.resolve(),
      },
      {
        photos: toPhotoItems(['a', 'b', 'c'].map(photo), true),
        video: toVideoItem(videoFromUrl('/uploads/video/v'), true),
      },
    );
  const names = (queue: ReturnType<typeof existing>) => queue.state().photos.map(({ key }) => key);

  test('a photo is moved to a valid position, with a status text', () => {
    const queue = existing();
    queue.moveTo('c', 0);
    expect(names(queue)).toEqual(['c', 'a', 'b']);
    expect(queue.state().status).toBe('Photo moved to position 1 of 3');
    queue.moveTo('c', 99);
    expect(names(queue)).toEqual(['a', 'b', 'c']);
    queue.moveTo('a', -1);
    queue.moveTo('unknown', 1);
    queue.moveTo('v', 0);
    expect(names(queue)).toEqual(['a', 'b', 'c']);
    expect(queue.state().photos.every(({ isExisting, state }) => isExisting && state === 'done')).toBe(true);
    queue.stop();
  });

  test('removing the ad’s video sets it to null', () => {
    const queue = existing();
    expect(queue.urls()).toMatchObject({ video: '/uploads/video/v', isComplete: true });
    queue.remove('v');
    expect(queue.urls()).toMatchObject({ video: null, isComplete: true });
    queue.stop();
  });

  test('removing an item during its upload cancels the upload without a status text', async () => {
    let signal: AbortSignal | undefined;
    const { queue, previews, statusTexts } = newQueue({
      photo(file, options) {
        signal = options.signal;
        return hangs(file, options);
      },
    });
    queue.add([image('a')]);
    await nextTurn();
    queue.remove(queue.state().photos[0]?.key ?? '');
    await queue.finish();
    expect(signal?.aborted).toBe(true);
    expect(queue.state().photos).toEqual([]);
    expect(statusTexts).toEqual(['Upload in progress...']);
    expect(previews.size).toBe(0);
    queue.stop();
  });

  test('the duration of a video is stored', async () => {
    const { queue, video } = newQueue({});
    queue.add([film('v.mp4')]);
    queue.measured(video()?.key ?? '', 21.5);
    queue.measured(video()?.key ?? '', Number.NaN);
    await queue.finish();
    expect(video()?.duration_s).toBe(21.5);
    queue.stop();
  });
});

describe('files that a reload interrupts', () => {
  /** A queue whose files are stored in `stored`, like in the IndexedDB of a browser. */
  function storedQueue(
    stored: Map<string, PendingFile>,
    uploads: Partial<Uploads> | null,
    prepare = (file: File) => Promise.resolve(file),
  ) {
    const queue = createMediaQueue({
      prepare,
      preview: ({ name }) => name,
      dropPreview: () => undefined,
      wait: () => Promise.resolve(),
      pending: {
        load: () => Promise.resolve([...stored.values()]),
        save: (file) => void stored.set(file.id, file),
        remove: (id) => void stored.delete(id),
        close: () => undefined,
      },
    });
    queue.sendBy(uploads && { ...works, ...uploads });
    return queue;
  }
  const namesIn = (stored: ReadonlyMap<string, PendingFile>) => [...stored.values()].map(({ file }) => file.name);

  test('are stored until their upload ends, and the next form uploads them in their places', async () => {
    const stored = new Map<string, PendingFile>();
    const before = storedQueue(stored, { photo: hangs });
    before.add([image('a'), image('b'), film('c')]);
    expect(namesIn(stored)).toEqual(['a', 'b', 'c']);

    const after = storedQueue(stored, {});
    await after.restore();
    expect(after.state().photos.map(({ name, state }) => `${name} ${state}`)).toEqual(['a done', 'b done']);
    expect(after.state().video).toMatchObject({ name: 'c', state: 'done' });
    expect(namesIn(stored)).toEqual([]);
    after.stop();
  });

  test('are forgotten if the visitor removes or cancels them, or if the server rejects them', async () => {
    const stored = new Map<string, PendingFile>();
    const queue = storedQueue(stored, {
      photo: (file) =>
        file.name === 'bad'
          ? Promise.reject(new ApiError('No', { status: 415, code: 'X' }))
          : Promise.reject(serverError()),
    });
    queue.add([image('bad'), image('later'), image('removed')]);
    expect(namesIn(stored)).toHaveLength(3);
    queue.remove(queue.state().photos[2]?.key ?? '');
    await queue.idle();
    expect(namesIn(stored), 'only a file that may pass stays stored').toEqual(['later']);
    queue.retry(queue.state().photos[1]?.key ?? '');
    queue.cancel(queue.state().photos[1]?.key ?? '');
    await queue.idle();
    expect(namesIn(stored)).toEqual([]);
    queue.stop();
  });

  test('are resumed with the same bytes if their upload has begun on the server', async () => {
    const stored = new Map<string, PendingFile>();
    const prepared = () => Promise.resolve(new File(['prepared'], 'a.jpg', { type: 'image/jpeg' }));
    const before = storedQueue(
      stored,
      {
        photo(file, options) {
          options.onUploadId('u-1');
          return hangs(file, options);
        },
      },
      prepared,
    );
    before.add([image('a')]);
    await nextTurn();
    expect([...stored.values()]).toMatchObject([{ uploadId: 'u-1', file: { name: 'a.jpg' } }]);

    const sent: unknown[] = [];
    const after = storedQueue(
      stored,
      {
        async photo(file, { uploadId }) {
          sent.push(uploadId, await file.text());
          return photoResponse('a');
        },
      },
      () => Promise.reject(new Error('prepared twice')),
    );
    await after.restore();
    expect(sent).toEqual(['u-1', 'prepared']);
    expect(namesIn(stored)).toEqual([]);
    after.stop();
  });

  test('stay stored while no user is logged in', async () => {
    const stored = new Map<string, PendingFile>([
      ['1', { id: '1', kind: 'photo', file: image('a'), index: 0, uploadId: null }],
    ]);
    const queue = storedQueue(stored, null);
    await queue.restore();
    expect(queue.state().photos).toEqual([]);
    expect(namesIn(stored)).toEqual(['a']);
    queue.stop();
  });

  test('are restored only up to five photos, and not twice', async () => {
    const stored = new Map<string, PendingFile>(
      Array.from({ length: 6 }, (_, index) => [
        String(index),
        { id: String(index), kind: 'photo', file: image(String(index)), index, uploadId: null },
      ]),
    );
    const queue = storedQueue(stored, {});
    await Promise.all([queue.restore(), queue.restore()]);
    expect(queue.state().photos.map(({ name }) => name)).toEqual(['0', '1', '2', '3', '4']);
    expect(stored.size).toBe(0);
    queue.stop();
  });
});

describe('the warning of a small photo (R-5.38)', () => {
  const itemOf = (width: number, height: number) => {
    const photo = photoFromUrl(photoUrl('a'));
    const [item] = photo ? toPhotoItems([{ ...photo, width, height }], false) : [];
    if (!item) throw new Error('There is no item');
    return item;
  };

  test('states its size if its longer side has fewer than 640 px', () => {
    expect(findSmallSize(itemOf(120, 90))).toEqual({ width: 120, height: 90 });
    expect(findSmallSize(itemOf(90, 639))).toEqual({ width: 90, height: 639 });
  });

  test('is not shown for other photos, and while the size is not known', () => {
    expect(findSmallSize(itemOf(640, 480))).toBeNull();
    expect(findSmallSize(itemOf(0, 0))).toBeNull();
  });
});
