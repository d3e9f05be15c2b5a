import { describe, expect, test } from 'vitest';
import { MAX_FILE_bytes, type UploadAnswer, type VideoUploadAnswer } from '@alpenglow/domain/contracts';
import { ApiError } from '@alpenglow/ui';
import { faultOf, kindOf } from '../src/media/media-file.ts';
import { photoAt, photoItems, videoAt, videoItem } from '../src/media/media-item.ts';
import { createMediaQueue, type Uploads } from '../src/media/media-queue.ts';

const image = (name: string) => new File(['x'], name, { type: 'image/jpeg' });
const film = (name: string, type = 'video/mp4') => new File(['x'], name, { type });
const photoUrl = (id: string) => `/uploads/photos/${id}/1600.jpg`;
const photoAnswer = (id: string): UploadAnswer => {
  const photo = photoAt(photoUrl(id));
  return { success: true, urls: [photoUrl(id)], media: photo ? [photo] : [] };
};
const videoAnswer = (id: string): VideoUploadAnswer => {
  const media = videoAt(`/uploads/video/${id}`);
  if (!media) throw new Error(`${id} is no media id`);
  return { success: true, url: media.url, media };
};
const serverError = () => new ApiError('Upload failed: 500 boom', { status: 500, code: 'INTERNAL' });
const cancelled = () => new ApiError('Request was cancelled. Please try again.', { status: 0, code: 'CANCELLED' });
const works: Uploads = {
  photo: (file) => Promise.resolve(photoAnswer(file.name)),
  video: (file) => Promise.resolve(videoAnswer(file.name.replace('.', '-'))),
};
/** Never answers; ends when it is cancelled. */
const hangs = (_file: File, { signal }: { signal?: AbortSignal }) =>
  new Promise<never>((_resolve, reject) => signal?.addEventListener('abort', () => reject(cancelled())));
const turn = () => new Promise((resolve) => setImmediate(resolve));

interface Options {
  /** Waits end only when they are cancelled. */
  readonly waitsForEver?: boolean;
}

/** A queue whose waits pass at once, and what it waited, said and showed. */
function newQueue(uploads: Partial<Uploads> | null, { waitsForEver = false }: Options = {}) {
  const waited: number[] = [];
  const said: string[] = [];
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
      return waitsForEver
        ? new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(cancelled())))
        : Promise.resolve();
    },
  });
  queue.subscribe(() => {
    const { status } = queue.state();
    if (status !== null && said.at(-1) !== status) said.push(status);
  });
  queue.sendBy(uploads && { ...works, ...uploads });
  const photos = () => queue.state().photos;
  return {
    queue,
    waited,
    said,
    previews,
    photos,
    states: () => photos().map(({ name, state }) => `${name} ${state}`),
    video: () => queue.state().video,
  };
}

describe('what is let in', () => {
  test('images and videos up to 100 MB', () => {
    const file = (name: string, type: string, size = 1) => ({ name, type, size });
    expect(faultOf('photo', file('a.txt', 'text/plain'))).toBe('Please select an image file (JPG, PNG, GIF)');
    expect(faultOf('photo', file('a', ''))).toBe('Please select an image file (JPG, PNG, GIF)');
    expect(faultOf('photo', file('a.png', 'image/png', MAX_FILE_bytes + 1))).toBe(
      'Image file size must be less than 100MB',
    );
    expect(faultOf('photo', file('a.png', 'image/png', MAX_FILE_bytes))).toBeNull();
    expect(faultOf('video', file('a.png', 'image/png'))).toBe('Please select a video file (MP4, MOV, AVI)');
    expect(faultOf('video', file('a.mp4', 'video/mp4', MAX_FILE_bytes + 1))).toBe(
      'Video file size must be less than 100MB',
    );
    expect(faultOf('video', file('a.mov', 'video/quicktime', MAX_FILE_bytes))).toBeNull();
    expect(faultOf('video', file('A.AVI', '')), 'a type the system does not know').toBeNull();
  });

  test('a file nobody named the kind of is told by its type, else by its name', () => {
    expect([
      kindOf({ name: 'a', type: 'video/mp4' }),
      kindOf({ name: 'a.AVI', type: '' }),
      kindOf({ name: 'a.mp4', type: 'image/png' }),
      kindOf({ name: 'a.txt', type: 'text/plain' }),
    ]).toEqual(['video', 'video', 'photo', 'photo']);
  });

  test('five photos; the others are told why not', async () => {
    const { queue, said, photos } = newQueue({});
    queue.add([
      new File(['x'], 'note.txt', { type: 'text/plain' }),
      ...[1, 2, 3, 4, 5, 6].map((number) => image(`${number}`)),
    ]);
    expect(said).toContain('Please select an image file (JPG, PNG, GIF) Maximum 5 photos allowed');
    await queue.finish();
    expect(photos().map(({ name }) => name)).toEqual(['1', '2', '3', '4', '5']);
    queue.stop();
  });

  test('one video; others are ignored while there is one, and take the place of one that failed', async () => {
    const { queue, said, video, previews } = newQueue({
      video: (file) =>
        file.name === 'bad.mp4'
          ? Promise.reject(new ApiError('no', { status: 400, code: 'NOT_A_VIDEO' }))
          : works.video(file, {}),
    });
    queue.add([film('bad.mp4'), film('b.mp4'), image('c')]);
    expect(said.at(-1)).toBe('One video only: the other was left out');
    await turn();
    await turn();
    expect([video()?.name, video()?.state]).toEqual(['bad.mp4', 'failed']);
    queue.add([film('b.mp4')]);
    await queue.finish();
    expect([video()?.name, video()?.state, video()?.url]).toEqual(['b.mp4', 'done', '/uploads/video/b-mp4']);
    queue.add([film('d.mp4')], 'video');
    expect(video()?.name).toBe('b.mp4');
    expect(previews, 'previews of what is there alone').toEqual(new Set(['b.mp4']));
    queue.stop();
  });

  test('nobody signed in: nothing', () => {
    const { queue, said } = newQueue(null);
    queue.add([image('a')]);
    queue.add([film('a.mp4')]);
    expect(said).toEqual(['Please log in to upload photos.', 'Please log in to upload video.']);
    expect(queue.state()).toMatchObject({ photos: [], video: null });
    queue.stop();
  });
});

test('uploads do not overlap, photos and video alike, and keep their order', async () => {
  let underWay = 0;
  const sent: string[] = [];
  const alone = async (file: File) => {
    expect((underWay += 1)).toBe(1);
    await turn();
    underWay -= 1;
    sent.push(file.name);
  };
  const { queue, said } = newQueue({
    photo: async (file) => alone(file).then(() => photoAnswer(file.name)),
    video: async (file) => alone(file).then(() => videoAnswer('v')),
  });
  queue.add([film('v.mp4'), image('a'), image('b')]);
  queue.add([image('c')]);
  expect(said).toEqual(['Upload in progress...']);
  await queue.finish();
  expect(sent, 'photos first').toEqual(['a', 'b', 'c', 'v.mp4']);
  expect(queue.urls()).toEqual({ photos: ['a', 'b', 'c'].map(photoUrl), video: '/uploads/video/v', isWhole: true });
  queue.stop();
});

test('a photo’s preview gives way to what the server keeps, once that can be shown', async () => {
  const { queue, photos, previews } = newQueue({
    photo: (file) =>
      Promise.resolve(
        file.name === 'slow'
          ? {
              ...photoAnswer('slow'),
              media: photoAnswer('slow').media.map((photo) => ({ ...photo, status: 'processing' as const })),
            }
          : photoAnswer(file.name),
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

describe('retries (specification, section 4, "Upload flow")', () => {
  test('three attempts, after 2 s and 4 s, each told', async () => {
    let attempts = 0;
    const { queue, waited, said, states } = newQueue({
      photo() {
        attempts += 1;
        return attempts < 3 ? Promise.reject(serverError()) : Promise.resolve(photoAnswer('a'));
      },
    });
    queue.add([image('a')]);
    await queue.finish();
    expect(waited).toEqual([2_000, 4_000]);
    expect(said).toEqual([
      'Upload in progress...',
      'Upload attempt 1 failed: Upload failed: 500 boom. Retrying in 2s...',
      'Upload attempt 2 failed: Upload failed: 500 boom. Retrying in 4s...',
      'Photo uploaded',
    ]);
    expect(states()).toEqual(['a done']);
    queue.stop();
  });

  test('the video the same; an answer without an address is a failed attempt', async () => {
    let attempts = 0;
    const { queue, waited, said, video } = newQueue({
      video() {
        attempts += 1;
        return Promise.resolve(attempts < 3 ? { ...videoAnswer('v'), url: '' } : videoAnswer('v'));
      },
    });
    queue.add([film('v.mp4')]);
    await queue.finish();
    expect(waited).toEqual([2_000, 4_000]);
    expect(said).toContain('Upload attempt 2 failed: No video URL returned from server. Retrying in 4s...');
    expect(said.at(-1)).toBe('Video uploaded');
    expect(video()?.state).toBe('done');
    queue.stop();
  });

  test('three failures: said, kept, and tried once more when the form is sent', async () => {
    let attempts = 0;
    const { queue, said, states, photos } = newQueue({
      photo() {
        attempts += 1;
        return attempts <= 3 ? Promise.reject(serverError()) : Promise.resolve(photoAnswer('a'));
      },
    });
    queue.add([image('a')]);
    await turn();
    await turn();
    expect(states()).toEqual(['a failed']);
    expect(photos()[0]?.problem).toBe('Photo upload failed: Upload failed: 500 boom');
    expect(said.at(-1)).toBe('Photo upload failed');
    expect(queue.urls()).toEqual({ photos: [], video: null, isWhole: false });
    await queue.finish();
    expect(states()).toEqual(['a done']);
    queue.stop();
  });

  test('a video that cannot be sent is left out, not taken for removed', async () => {
    const { queue, said, video } = newQueue({ video: () => Promise.reject(serverError()) });
    queue.add([film('v.mp4'), image('a')]);
    await queue.finish();
    expect(said).toContain('Video upload failed: Upload failed: 500 boom');
    expect(video()?.problem).toBe('Video upload failed: Upload failed: 500 boom');
    expect(queue.urls()).toEqual({ photos: [photoUrl('a')], isWhole: false });
    queue.stop();
  });

  test('a refusal of this very file is final: not tried again, not even with the form', async () => {
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

  test('a session that ended: no wait, but once more with the form', async () => {
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
          : Promise.resolve(photoAnswer('a'));
      },
    });
    queue.add([image('a')]);
    await turn();
    expect([attempts, waited.length]).toEqual([1, 0]);
    await queue.finish();
    expect(states()).toEqual(['a done']);
    queue.stop();
  });

  test('an answer without an address, an error without words', async () => {
    const { queue, said } = newQueue({ photo: () => Promise.resolve({ success: true, urls: [], media: [] }) });
    queue.add([image('a')]);
    await queue.finish();
    expect(said).toContain('Upload attempt 1 failed: No URL returned. Retrying in 2s...');
    queue.stop();
    const { queue: other, photos } = newQueue({ photo: () => Promise.reject(new Error('')) });
    other.add([image('a')]);
    await other.finish();
    expect(photos()[0]?.problem).toBe('Photo upload failed: Unknown error');
    other.stop();
  });
});

describe('cancelling', () => {
  test('ends the request; nothing is tried again by itself, the next one goes on', async () => {
    let signal: AbortSignal | undefined;
    const { queue, states, photos, said, waited } = newQueue({
      photo(file, options) {
        if (file.name !== 'a') return Promise.resolve(photoAnswer(file.name));
        signal = options.signal;
        return hangs(file, options);
      },
    });
    queue.add([image('a'), image('b')]);
    await turn();
    queue.cancel(photos()[0]?.key ?? '');
    await queue.finish();
    expect(signal?.aborted).toBe(true);
    expect(states()).toEqual(['a cancelled', 'b done']);
    expect(photos()[0]?.problem).toBe('Request was cancelled. Please try again.');
    expect(said).toContain('Request was cancelled. Please try again.');
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
    const { queue, video, waited } = newQueue({ video: failing }, { waitsForEver: true });
    queue.add([film('v.mp4')]);
    await turn();
    expect(waited).toEqual([2_000]);
    queue.cancel(video()?.key ?? '');
    await queue.finish();
    expect([attempts, video()?.state]).toEqual([1, 'cancelled']);
    queue.stop();
  });

  test('one that waits for its turn never starts; it can be tried again', async () => {
    const sent: string[] = [];
    let open = () => {};
    const { queue, photos, states } = newQueue({
      photo(file) {
        sent.push(file.name);
        return file.name === 'a'
          ? new Promise((resolve) => (open = () => resolve(photoAnswer('a'))))
          : Promise.resolve(photoAnswer(file.name));
      },
    });
    queue.add([image('a'), image('b')]);
    await turn();
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

describe('order and removal', () => {
  const photo = (id: string) =>
    ({ id, url: photoUrl(id), status: 'ready', reason: null, width: 1, height: 1, blur: null }) as const;
  const existing = () =>
    createMediaQueue(
      {
        prepare: (file) => Promise.resolve(file),
        preview: () => '',
        dropPreview: () => undefined,
        wait: () => Promise.resolve(),
      },
      { photos: photoItems(['a', 'b', 'c'].map(photo), true), video: videoItem(videoAt('/uploads/video/v'), true) },
    );
  const names = (queue: ReturnType<typeof existing>) => queue.state().photos.map(({ key }) => key);

  test('a photo goes where it is put, never beyond the ends, and that is said', () => {
    const queue = existing();
    queue.moveTo('c', 0);
    expect(names(queue)).toEqual(['c', 'a', 'b']);
    expect(queue.state().status).toBe('Photo 1 of 3 now');
    queue.moveTo('c', 99);
    expect(names(queue)).toEqual(['a', 'b', 'c']);
    queue.moveTo('a', -1);
    queue.moveTo('nobody', 1);
    queue.moveTo('v', 0);
    expect(names(queue)).toEqual(['a', 'b', 'c']);
    expect(queue.state().photos.every(({ isExisting, state }) => isExisting && state === 'done')).toBe(true);
    queue.stop();
  });

  test('a video that was on the ad and is taken away is said to be none', () => {
    const queue = existing();
    expect(queue.urls()).toMatchObject({ video: '/uploads/video/v', isWhole: true });
    queue.remove('v');
    expect(queue.urls()).toMatchObject({ video: null, isWhole: true });
    queue.stop();
  });

  test('one that is removed while it is sent is cancelled without a word', async () => {
    let signal: AbortSignal | undefined;
    const { queue, previews, said } = newQueue({
      photo(file, options) {
        signal = options.signal;
        return hangs(file, options);
      },
    });
    queue.add([image('a')]);
    await turn();
    queue.remove(queue.state().photos[0]?.key ?? '');
    await queue.finish();
    expect(signal?.aborted).toBe(true);
    expect(queue.state().photos).toEqual([]);
    expect(said).toEqual(['Upload in progress...']);
    expect(previews.size).toBe(0);
    queue.stop();
  });

  test('what this browser reads of a video’s length is kept', async () => {
    const { queue, video } = newQueue({});
    queue.add([film('v.mp4')]);
    queue.measured(video()?.key ?? '', 21.5);
    queue.measured(video()?.key ?? '', Number.NaN);
    await queue.finish();
    expect(video()?.duration_s).toBe(21.5);
    queue.stop();
  });
});
