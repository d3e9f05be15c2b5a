import { afterEach, describe, expect, test, vi } from 'vitest';
import { RESIZE_THRESHOLD_bytes } from '@alpenglow/domain/contracts';
import { preparePhoto, type ImageResizers } from '../src/media/prepare-photo.ts';
import { fitSize, type ShrinkRequest } from '../src/media/shrink.ts';

const small = new File(['x'], 'small.png', { type: 'image/png' });
const large = new File([new Uint8Array(RESIZE_THRESHOLD_bytes + 1)], 'a.lake.png', { type: 'image/png' });
const limit = new File([new Uint8Array(RESIZE_THRESHOLD_bytes)], 'limit.png', { type: 'image/png' });
const unused = new AbortController().signal;

function shrinkers(inWorker: ImageResizers['inWorker']) {
  const calls: string[] = [];
  const record = (where: string, order: ShrinkRequest) => calls.push(`${where} ${order.max_px} ${order.quality}`);
  const both: ImageResizers = {
    inWorker(order, signal) {
      record('worker', order);
      return inWorker(order, signal);
    },
    onMainThread(order) {
      record('here', order);
      return Promise.resolve(new Blob(['here']));
    },
  };
  return { calls, both };
}

test('a picture is reduced to the limit, but never enlarged', () => {
  expect(fitSize(4000, 3000, 1600)).toEqual({ width: 1600, height: 1200 });
  expect(fitSize(1000, 5000, 1600)).toEqual({ width: 320, height: 1600 });
  expect(fitSize(800, 600, 1600)).toEqual({ width: 800, height: 600 });
  expect(fitSize(50_000, 1, 1600)).toEqual({ width: 1600, height: 1 });
});

describe('before a photo is uploaded', () => {
  test('it stays unchanged up to 2,621,440 bytes', async () => {
    const { both, calls } = shrinkers(() => Promise.resolve(new Blob(['w'])));
    expect(await preparePhoto(small, unused, both)).toBe(small);
    expect(await preparePhoto(limit, unused, both)).toBe(limit);
    expect(calls).toEqual([]);
  });

  test('a worker converts a larger one to a JPEG of 1600 px with quality 0.85', async () => {
    const { both, calls } = shrinkers(() => Promise.resolve(new Blob(['worker'])));
    const sent = await preparePhoto(large, unused, both);
    expect([sent.name, sent.type, await sent.text()]).toEqual(['a.lake.jpg', 'image/jpeg', 'worker']);
    expect(calls).toEqual(['worker 1600 0.85']);
  });

  test('the main thread converts it if there is no worker', async () => {
    const { both, calls } = shrinkers(() => Promise.reject(new Error('no worker')));
    expect(await (await preparePhoto(large, unused, both)).text()).toBe('here');
    expect(calls).toEqual(['worker 1600 0.85', 'here 1600 0.85']);
  });

  test('it stays unchanged if it cannot be decoded', async () => {
    const { both, calls } = shrinkers(() => Promise.resolve(null));
    expect(await preparePhoto(large, unused, both)).toBe(large);
    expect(calls).toHaveLength(1);
  });

  const heic = new File([new Uint8Array(4), 'ftypheic'], 'IMG_1.HEIC', { type: 'image/heic' });
  const renamed = new File([new Uint8Array(4), 'ftypheix'], 'renamed.jpg', { type: 'image/jpeg' });
  const untyped = new File(['x'], 'scan.bmp', { type: '' });

  test('it becomes a JPEG if the server does not accept its format', async () => {
    for (const file of [heic, renamed, untyped]) {
      const { both, calls } = shrinkers(() => Promise.resolve(new Blob(['worker'])));
      const sent = await preparePhoto(file, unused, both);
      const name = file.name.replace(/\.\w+$/u, '.jpg');
      expect([sent.name, sent.type, await sent.text()]).toEqual([name, 'image/jpeg', 'worker']);
      expect(calls).toEqual(['worker 1600 0.85']);
    }
  });

  test('it is rejected for good if neither this browser nor the server can decode it', async () => {
    const { both } = shrinkers(() => Promise.resolve(null));
    await expect(preparePhoto(heic, unused, both)).rejects.toMatchObject({
      status: 415,
      message: 'This browser cannot open the picture. Please save it as JPEG and choose it again.',
    });
  });

  test('the main thread does not convert it after a cancellation', async () => {
    const abortController = new AbortController();
    const { both, calls } = shrinkers(
      (_order, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    const sending = preparePhoto(large, abortController.signal, both);
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    abortController.abort();
    await expect(sending).rejects.toMatchObject({ name: 'AbortError' });
    expect(calls).toEqual(['worker 1600 0.85']);
  });
});

describe('the worker', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  const order: ShrinkRequest = { file: small, max_px: 1600, quality: 0.85 };

  const CHECKED_URL = 'blob:https://alpenglow.example/checked';

  /** Stubs the browser functions that the worker needs, and records their calls. */
  function stubbed(fetched: () => Promise<Response>) {
    const requests: unknown[] = [];
    const started: string[] = [];
    let ended = 0;
    vi.stubGlobal('location', { origin: 'https://alpenglow.example' });
    vi.stubGlobal('alpenglowIntegrity', () => 'sha384-listed');
    vi.stubGlobal('fetch', (_url: string, options: RequestInit) => {
      requests.push(options);
      return fetched();
    });
    vi.spyOn(URL, 'createObjectURL').mockReturnValue(CHECKED_URL);
    vi.stubGlobal(
      'Worker',
      class {
        onmessage: ((event: { data: unknown }) => void) | null = null;
        constructor(address: string) {
          started.push(address);
        }
        postMessage = () => setImmediate(() => this.onmessage?.({ data: new Blob(['made']) }));
        terminate = () => (ended += 1);
      },
    );
    return { requests, started, ended: () => ended };
  }

  test('runs the bytes that were fetched with the registry’s integrity, and fetches them once', async () => {
    const { requests, started, ended } = stubbed(() => Promise.resolve(new Response('code')));
    const { shrinkInWorker } = await import('../src/media/shrink-in-worker.ts');
    expect(await (await shrinkInWorker(order, unused))?.text()).toBe('made');
    await shrinkInWorker(order, unused);
    expect(requests).toEqual([{ integrity: 'sha384-listed' }]);
    expect(started).toEqual([CHECKED_URL, CHECKED_URL]);
    expect(ended()).toBe(2);
  });

  test('is never started from a missing or unlisted file, and requests the file again next time', async () => {
    const responses = [
      () => Promise.reject(new TypeError('Failed to fetch')),
      () => Promise.resolve(new Response('', { status: 404 })),
      () => Promise.resolve(new Response('code')),
    ];
    const { started } = stubbed(() => responses.shift()?.() ?? Promise.reject(new Error('too many requests')));
    const { shrinkInWorker } = await import('../src/media/shrink-in-worker.ts');
    await expect(shrinkInWorker(order, unused)).rejects.toThrow('Failed to fetch');
    await expect(shrinkInWorker(order, unused)).rejects.toThrow('HTTP 404');
    expect(started).toEqual([]);
    expect(await shrinkInWorker(order, unused)).not.toBeNull();
  });
});
