import { afterEach, describe, expect, test, vi } from 'vitest';
import { RESIZE_THRESHOLD_bytes } from '@alpenglow/domain/contracts';
import { prepared, type Shrinkers } from '../src/media/prepare-photo.ts';
import { fitted, type ShrinkOrder } from '../src/media/shrink.ts';

const small = new File(['x'], 'small.png', { type: 'image/png' });
const large = new File([new Uint8Array(RESIZE_THRESHOLD_bytes + 1)], 'a.lake.png', { type: 'image/png' });
const limit = new File([new Uint8Array(RESIZE_THRESHOLD_bytes)], 'limit.png', { type: 'image/png' });
const unused = new AbortController().signal;

function shrinkers(inWorker: Shrinkers['inWorker']) {
  const ordered: string[] = [];
  const noted = (where: string, order: ShrinkOrder) => ordered.push(`${where} ${order.max_px} ${order.quality}`);
  const both: Shrinkers = {
    inWorker(order, signal) {
      noted('worker', order);
      return inWorker(order, signal);
    },
    here(order) {
      noted('here', order);
      return Promise.resolve(new Blob(['here']));
    },
  };
  return { ordered, both };
}

test('a picture is fitted into the limit, never enlarged', () => {
  expect(fitted(4000, 3000, 1600)).toEqual({ width: 1600, height: 1200 });
  expect(fitted(1000, 5000, 1600)).toEqual({ width: 320, height: 1600 });
  expect(fitted(800, 600, 1600)).toEqual({ width: 800, height: 600 });
  expect(fitted(50_000, 1, 1600)).toEqual({ width: 1600, height: 1 });
});

describe('before a photo is sent', () => {
  test('up to 2,621,440 bytes it stays as it is', async () => {
    const { both, ordered } = shrinkers(() => Promise.resolve(new Blob(['w'])));
    expect(await prepared(small, unused, both)).toBe(small);
    expect(await prepared(limit, unused, both)).toBe(limit);
    expect(ordered).toEqual([]);
  });

  test('above, a worker makes it a JPEG of 1600 px at 0.85', async () => {
    const { both, ordered } = shrinkers(() => Promise.resolve(new Blob(['worker'])));
    const sent = await prepared(large, unused, both);
    expect([sent.name, sent.type, await sent.text()]).toEqual(['a.lake.jpg', 'image/jpeg', 'worker']);
    expect(ordered).toEqual(['worker 1600 0.85']);
  });

  test('without a worker it is made here', async () => {
    const { both, ordered } = shrinkers(() => Promise.reject(new Error('no worker')));
    expect(await (await prepared(large, unused, both)).text()).toBe('here');
    expect(ordered).toEqual(['worker 1600 0.85', 'here 1600 0.85']);
  });

  test('what cannot be decoded is left to the server', async () => {
    const { both, ordered } = shrinkers(() => Promise.resolve(null));
    expect(await prepared(large, unused, both)).toBe(large);
    expect(ordered).toHaveLength(1);
  });

  test('cancelled: it is not made here instead', async () => {
    const sender = new AbortController();
    const { both, ordered } = shrinkers(
      (_order, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    const sending = prepared(large, sender.signal, both);
    sender.abort();
    await expect(sending).rejects.toMatchObject({ name: 'AbortError' });
    expect(ordered).toEqual(['worker 1600 0.85']);
  });
});

describe('the worker', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  const order: ShrinkOrder = { file: small, max_px: 1600, quality: 0.85 };

  /** A browser of which the worker asks what it needs, and what it got. */
  function stubbed(fetched: () => Promise<Response>) {
    const asked: unknown[] = [];
    const started: string[] = [];
    let ended = 0;
    vi.stubGlobal('alpenglowIntegrity', () => 'sha384-listed');
    vi.stubGlobal('fetch', (_url: string, options: RequestInit) => {
      asked.push(options);
      return fetched();
    });
    vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:checked');
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
    return { asked, started, ended: () => ended };
  }

  test('runs the bytes that were fetched with the integrity of the registry, fetched once', async () => {
    const { asked, started, ended } = stubbed(() => Promise.resolve(new Response('code')));
    const { shrunkInWorker } = await import('../src/media/shrink-in-worker.ts');
    expect(await (await shrunkInWorker(order, unused))?.text()).toBe('made');
    await shrunkInWorker(order, unused);
    expect(asked).toEqual([{ integrity: 'sha384-listed' }]);
    expect(started).toEqual(['blob:checked', 'blob:checked']);
    expect(ended()).toBe(2);
  });

  test('is never started from a file that is not what the registry lists, or is not there; and is asked for anew', async () => {
    const answers = [
      () => Promise.reject(new TypeError('Failed to fetch')),
      () => Promise.resolve(new Response('', { status: 404 })),
      () => Promise.resolve(new Response('code')),
    ];
    const { started } = stubbed(() => answers.shift()?.() ?? Promise.reject(new Error('asked too often')));
    const { shrunkInWorker } = await import('../src/media/shrink-in-worker.ts');
    await expect(shrunkInWorker(order, unused)).rejects.toThrow('Failed to fetch');
    await expect(shrunkInWorker(order, unused)).rejects.toThrow('HTTP 404');
    expect(started).toEqual([]);
    expect(await shrunkInWorker(order, unused)).not.toBeNull();
  });
});
