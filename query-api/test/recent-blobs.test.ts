import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BlobNotFound } from '@alpenglow/domain';
import { describe, expect, it, vi } from 'vitest';
import { withRecentBlobs } from '../src/uploads/recent-blobs.ts';

const HOUR_ms = 3_600_000;

/** Creates a blob store that counts its reads. Each read takes a moment. */
function createStore(contents: Record<string, string>) {
  const requests: string[] = [];
  const infoOf = (content: string) => ({ sizeBytes: Buffer.byteLength(content), modifiedAt_ms: 5 });
  const streams: Readable[] = [];
  return {
    requests,
    streams,
    contents,
    async getInfo(key: string) {
      requests.push(`info ${key}`);
      const content = contents[key];
      return content === undefined ? null : infoOf(content);
    },
    async read(key: string, range?: { readonly start: number; readonly end: number }) {
      requests.push(range ? `read ${key} ${range.start}-${range.end}` : `read ${key}`);
      await pause(1);
      const content = contents[key];
      if (content === undefined) throw new BlobNotFound(key);
      const bytes = Readable.from([Buffer.from(content).subarray(range?.start, range && range.end + 1)], {
        objectMode: false,
      });
      streams.push(bytes);
      return { ...infoOf(content), bytes };
    },
  };
}
type Reader = ReturnType<typeof withRecentBlobs>;
const textOf = async (reader: Reader, key: string, range?: { readonly start: number; readonly end: number }) =>
  (await buffer((await reader.read(key, range)).bytes)).toString();

describe('recent blobs', () => {
  it('are read once, for whole, ranged and conditional requests', async () => {
    const store = createStore({ a: 'abcdef', empty: '' });
    const reader = withRecentBlobs(store);
    expect(await textOf(reader, 'a')).toBe('abcdef');
    expect(await textOf(reader, 'a')).toBe('abcdef');
    expect(await textOf(reader, 'a', { start: 1, end: 3 })).toBe('bcd');
    expect(await textOf(reader, 'a', { start: 5, end: 5 })).toBe('f');
    expect(await reader.getInfo('a')).toMatchObject({ sizeBytes: 6, modifiedAt_ms: 5 });
    expect(store.requests).toEqual(['read a']);
    expect(await textOf(reader, 'empty')).toBe('');
  });

  it('are read once by requests at the same time', async () => {
    const store = createStore({ a: 'abcdef' });
    const reader = withRecentBlobs(store);
    expect(await Promise.all(Array.from({ length: 5 }, () => textOf(reader, 'a')))).toEqual(
      Array.from({ length: 5 }, () => 'abcdef'),
    );
    expect(store.requests).toEqual(['read a']);
  });

  it('are read from the store if they are large, or if only a part or their size is requested first', async () => {
    const store = createStore({ a: 'abcdef' });
    const reader = withRecentBlobs(store, { maxBlob_bytes: 5 });
    expect(await Promise.all([textOf(reader, 'a'), textOf(reader, 'a')])).toEqual(['abcdef', 'abcdef']);
    expect(await textOf(reader, 'a')).toBe('abcdef');
    expect(await textOf(reader, 'a', { start: 1, end: 2 })).toBe('bc');
    await reader.getInfo('a');
    expect(store.requests).toEqual(['read a', 'read a', 'read a', 'read a 1-2', 'info a']);
  });

  it('are removed after some time, and if others need the memory', async () => {
    const store = createStore({ a: 'abcdef', b: 'ghijkl' });
    const old = withRecentBlobs(store, { maxAge_ms: HOUR_ms });
    await textOf(old, 'a');
    delete store.contents['a'];
    expect(await textOf(old, 'a')).toBe('abcdef');
    // The cache reads the clock at most once per millisecond.
    await pause(5);
    const now_ms = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + HOUR_ms + 1);
    await expect(old.read('a')).rejects.toThrow(BlobNotFound);
    now_ms.mockRestore();

    store.contents['a'] = 'abcdef';
    const small = withRecentBlobs(store, { max_bytes: 8 });
    for (const key of ['a', 'b', 'a', 'b']) await textOf(small, key);
    expect(store.requests.slice(-4)).toEqual(['read a', 'read b', 'read a', 'read b']);
  });

  it('leave the memory after some time, also if nothing else is requested', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    // So many bytes that other tests of the same process do not matter.
    const [count, each_bytes] = [40, 400_000];
    const all_bytes = count * each_bytes;
    const keys = Array.from({ length: count }, (_, index) => `a${index}`);
    const store = createStore(Object.fromEntries(keys.map((key) => [key, 'a'.repeat(each_bytes)])));
    // The timers of the cache wait for the test, because a busy machine may need longer for the reads than their time.
    const ends: (() => void)[] = [];
    const later = globalThis.setTimeout;
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((handler: () => void, wait_ms = 0, ...args: []) => {
      if (wait_ms >= HOUR_ms) ends.push(handler);
      return later(handler, wait_ms, ...args);
    });
    const reader = withRecentBlobs(store, { maxAge_ms: HOUR_ms });
    const used = () => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };
    const before = used();
    for (const key of keys) await textOf(reader, key);
    store.streams.splice(0);
    expect(used() - before).toBeGreaterThan(all_bytes / 2);
    expect(ends).toHaveLength(count);
    await pause(5);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2 * HOUR_ms);
    for (const end of ends) end();
    vi.restoreAllMocks();
    await expect.poll(() => used() - before).toBeLessThan(all_bytes / 2);
    await expect(reader.getInfo('a0')).resolves.toMatchObject({ sizeBytes: each_bytes });
  });

  it('of another size than the store states are not returned', async () => {
    const store = createStore({ a: 'abcdef' });
    let sizeBytes = 7;
    const reader = withRecentBlobs({ ...store, read: async (key) => ({ ...(await store.read(key)), sizeBytes }) });
    await expect(reader.read('a')).rejects.toThrow('The blob a has 6 bytes instead of 7');
    sizeBytes = 6;
    expect(await textOf(reader, 'a')).toBe('abcdef');
  });

  it('that slow clients receive are limited in number', async () => {
    const store = createStore({ a: 'abcdef' });
    const reader = withRecentBlobs(store, { maxInUse_bytes: 12 });
    const [first, second] = [await reader.read('a'), await reader.read('a')];
    expect(store.requests).toEqual(['read a']);
    expect(await textOf(reader, 'a')).toBe('abcdef');
    expect(store.requests).toEqual(['read a', 'read a']);
    expect((await buffer(first.bytes)).toString()).toBe('abcdef');
    second.bytes.destroy();
    await pause(5);
    expect(await textOf(reader, 'a')).toBe('abcdef');
    expect(store.requests).toEqual(['read a', 'read a']);
  });

  it('that cannot be read are requested again', async () => {
    const store = createStore({});
    const reader = withRecentBlobs(store);
    const failed = await Promise.allSettled([reader.read('a'), reader.read('a')]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    store.contents['a'] = 'abcdef';
    expect(await textOf(reader, 'a')).toBe('abcdef');
  });
});
