import { describe, expect, test } from 'vitest';
import { MAX_FILE_bytes, type UploadAnswer } from '@alpenglow/domain/contracts';
import { ApiError } from '@alpenglow/ui';
import { fitted, photoFault } from '../src/photos/photo-file.ts';
import { createPhotoQueue, itemsOf, type Upload } from '../src/photos/photo-queue.ts';

const image = (name: string) => new File(['x'], name, { type: 'image/jpeg' });
const answer = (url: string): UploadAnswer => ({ success: true, urls: [url], media: [] });
const serverError = () => new ApiError('Upload failed: 500 boom', { status: 500, code: 'INTERNAL' });

/** A queue whose waits pass at once, and what it waited, said and showed. */
function newQueue(upload: Upload | null) {
  const waited: number[] = [];
  const said: string[] = [];
  const previews = new Set<string>();
  const queue = createPhotoQueue({
    prepare: (file) => Promise.resolve(file),
    preview(file) {
      previews.add(file.name);
      return file.name;
    },
    dropPreview: (url) => void previews.delete(url),
    wait: (time_ms) => Promise.resolve(void waited.push(time_ms)),
  });
  queue.subscribe(() => {
    const { status } = queue.state();
    if (status !== null && said.at(-1) !== status) said.push(status);
  });
  queue.sendBy(upload);
  return { queue, waited, said, previews, states: () => queue.state().items.map(({ name, state }) => `${name} ${state}`) };
}

describe('what is let in', () => {
  test('images up to 100 MB', () => {
    expect(photoFault({ type: 'text/plain', size: 1 })).toBe('Please select an image file (JPG, PNG, GIF)');
    expect(photoFault({ type: '', size: 1 })).toBe('Please select an image file (JPG, PNG, GIF)');
    expect(photoFault({ type: 'image/png', size: MAX_FILE_bytes + 1 })).toBe('Image file size must be less than 100MB');
    expect(photoFault({ type: 'image/png', size: MAX_FILE_bytes })).toBeNull();
  });

  test('five of them; the others are told why not', async () => {
    const { queue, said } = newQueue((file) => Promise.resolve(answer(`/uploads/photos/${file.name}/1600.jpg`)));
    queue.add([new File(['x'], 'note.txt', { type: 'text/plain' }), ...[1, 2, 3, 4, 5, 6].map((number) => image(`${number}`))]);
    expect(said).toContain('Please select an image file (JPG, PNG, GIF) Maximum 5 photos allowed');
    await queue.finish();
    expect(queue.state().items.map(({ name }) => name)).toEqual(['1', '2', '3', '4', '5']);
    queue.stop();
  });

  test('nobody signed in: nothing', () => {
    const { queue, said } = newQueue(null);
    queue.add([image('a')]);
    expect(said).toEqual(['Please log in to upload photos.']);
    expect(queue.state().items).toEqual([]);
    queue.stop();
  });
});

test('uploads do not overlap, and keep their order', async () => {
  let underWay = 0;
  const sent: string[] = [];
  const { queue } = newQueue(async (file) => {
    expect((underWay += 1)).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    sent.push(file.name);
    return answer(`/uploads/photos/${file.name}/1600.jpg`);
  });
  queue.add([image('a'), image('b')]);
  queue.add([image('c')]);
  await queue.finish();
  expect(sent).toEqual(['a', 'b', 'c']);
  expect(queue.state().items.map(({ url }) => url)).toEqual(['a', 'b', 'c'].map((id) => `/uploads/photos/${id}/1600.jpg`));
  queue.stop();
});

describe('retries (specification, section 4, "Upload flow")', () => {
  test('three attempts, after 2 s and 4 s, each told', async () => {
    let attempts = 0;
    const { queue, waited, said, states } = newQueue(() => {
      attempts += 1;
      return attempts < 3 ? Promise.reject(serverError()) : Promise.resolve(answer('/uploads/photos/a/1600.jpg'));
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

  test('three failures: said, kept, and tried once more when the form is sent', async () => {
    let attempts = 0;
    const { queue, said, states } = newQueue(() => {
      attempts += 1;
      return attempts <= 3 ? Promise.reject(serverError()) : Promise.resolve(answer('/uploads/photos/a/1600.jpg'));
    });
    queue.add([image('a')]);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(states()).toEqual(['a failed']);
    expect(queue.state().items[0]?.problem).toBe('Photo upload failed: Upload failed: 500 boom');
    expect(said.at(-1)).toBe('Photo upload failed');
    await queue.finish();
    expect(states()).toEqual(['a done']);
    queue.stop();
  });

  test('a refusal of this very file is not tried again', async () => {
    let attempts = 0;
    const { queue, waited } = newQueue(() => {
      attempts += 1;
      return Promise.reject(new ApiError('Upload failed: 400 no image', { status: 400, code: 'NOT_AN_IMAGE' }));
    });
    queue.add([image('a')]);
    await new Promise((resolve) => setImmediate(resolve));
    expect([attempts, waited.length]).toEqual([1, 0]);
    queue.stop();
  });

  test('an answer without an address is a failed attempt', async () => {
    const { queue, said } = newQueue(() => Promise.resolve({ success: true, urls: [], media: [] }));
    queue.add([image('a')]);
    await queue.finish();
    expect(said).toContain('Upload attempt 1 failed: No URL returned. Retrying in 2s...');
    queue.stop();
  });

  test('an error without words is an unknown one', async () => {
    const { queue } = newQueue(() => Promise.reject(new Error('')));
    queue.add([image('a')]);
    await queue.finish();
    expect(queue.state().items[0]?.problem).toBe('Photo upload failed: Unknown error');
    queue.stop();
  });
});

describe('order and removal', () => {
  const photo = (id: string) => ({ id, url: `/uploads/photos/${id}/1600.jpg`, status: 'ready', reason: null, width: 1, height: 1, blur: null }) as const;
  const existing = () =>
    createPhotoQueue(
      { prepare: (file) => Promise.resolve(file), preview: () => '', dropPreview: () => undefined, wait: () => Promise.resolve() },
      itemsOf(['a', 'b', 'c'].map(photo), true),
    );
  const names = (queue: ReturnType<typeof existing>) => queue.state().items.map(({ key }) => key);

  test('a photo goes where it is put, never beyond the ends', () => {
    const queue = existing();
    queue.moveTo('c', 0);
    expect(names(queue)).toEqual(['c', 'a', 'b']);
    queue.moveTo('c', 99);
    expect(names(queue)).toEqual(['a', 'b', 'c']);
    queue.moveTo('a', -1);
    queue.moveTo('nobody', 1);
    expect(names(queue)).toEqual(['a', 'b', 'c']);
    expect(queue.state().items.every(({ isExisting, state }) => isExisting && state === 'done')).toBe(true);
  });

  test('one that is removed while it is sent is cancelled without a word', async () => {
    let signal: AbortSignal | undefined;
    const { queue, previews } = newQueue((_file, options) => {
      signal = options.signal;
      return new Promise((_resolve, reject) => options.signal?.addEventListener('abort', () => reject(new ApiError('cancelled', { status: 0, code: 'CANCELLED' }))));
    });
    queue.add([image('a')]);
    await new Promise((resolve) => setImmediate(resolve));
    queue.remove(queue.state().items[0]?.key ?? '');
    await queue.finish();
    expect(signal?.aborted).toBe(true);
    expect(queue.state().items).toEqual([]);
    expect(previews.size).toBe(0);
    queue.stop();
  });
});

test('a large photo is fitted into 1600 px, a small one is not enlarged', () => {
  expect(fitted(4000, 3000)).toEqual({ width: 1600, height: 1200 });
  expect(fitted(1000, 5000)).toEqual({ width: 320, height: 1600 });
  expect(fitted(800, 600)).toEqual({ width: 800, height: 600 });
  expect(fitted(50_000, 1)).toEqual({ width: 1600, height: 1 });
});
