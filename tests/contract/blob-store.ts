import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BlobNotFound, BlobTooLarge, type BlobStore } from '@alpenglow/domain';
import { beforeEach, describe, expect, test } from 'vitest';

/** Maximum difference between the clock of this machine and the clock of the store. */
const MAX_CLOCK_SKEW_ms = 60_000;

/**
 * Tests what every blob store guarantees. If a blob is removed or replaced during a read, the reader may
 * receive any content. A store may be unable to store the blobs `a` and `a/b` at the same time.
 */
export function describeBlobStore(name: string, open: () => Promise<BlobStore>): void {
  describe(`${name} as a blob store`, () => {
    let store: BlobStore;
    beforeEach(async () => {
      store = await open();
    });

    const readContents = async (key: string, range?: { start: number; end: number }) =>
      buffer((await store.read(key, range)).bytes);
    const listKeys = async (prefix: string) => {
      const keys: string[] = [];
      for await (const { key } of store.list(prefix)) keys.push(key);
      return keys.sort();
    };

    test('returns the bytes that were stored', async () => {
      const bytes = randomBytes(300_000);
      expect(await store.put('originals/a', bytes)).toEqual({ sizeBytes: 300_000 });
      expect(await readContents('originals/a')).toEqual(bytes);
    });

    test('reports the same size and time from info, read and list', async () => {
      const before_ms = Date.now();
      await store.put('originals/a', Buffer.from('alpenglow'));
      const info = await store.getInfo('originals/a');
      expect(info).toEqual({ sizeBytes: 9, modifiedAt_ms: expect.any(Number) });
      expect(Math.abs((info?.modifiedAt_ms ?? 0) - before_ms)).toBeLessThan(MAX_CLOCK_SKEW_ms);
      for (const range of [undefined, { start: 5, end: 8 }]) {
        const { bytes, ...metadata } = await store.read('originals/a', range);
        bytes.destroy();
        expect(metadata.sizeBytes).toBe(9);
        expect(Math.abs(metadata.modifiedAt_ms - (info?.modifiedAt_ms ?? 0))).toBeLessThan(1_000);
      }
      for await (const { key, sizeBytes, modifiedAt_ms } of store.list('originals/')) {
        expect({ key, sizeBytes }).toEqual({ key: 'originals/a', sizeBytes: 9 });
        expect(Math.abs(modifiedAt_ms - (info?.modifiedAt_ms ?? 0))).toBeLessThan(1_000);
      }
    });

    test('accepts a stream', async () => {
      await store.put('a', Readable.from([Buffer.from('alpen'), Buffer.from('glow')]));
      expect((await readContents('a')).toString()).toBe('alpenglow');
    });

    test('has space for a small blob', async () => {
      expect(await store.hasSpaceFor(1)).toBe(true);
    });

    test('stores an empty blob', async () => {
      await store.put('a', new Uint8Array());
      expect(await store.getInfo('a')).toMatchObject({ sizeBytes: 0 });
      expect(await readContents('a')).toHaveLength(0);
    });

    test('replaces the whole content of a blob', async () => {
      await store.put('a', Buffer.from('a long first version'));
      await store.put('a', Buffer.from('short'));
      expect((await readContents('a')).toString()).toBe('short');
    });

    test.each([
      ['the first byte', { start: 0, end: 0 }, 'a'],
      ['the middle', { start: 2, end: 4 }, 'pen'],
      ['past the end', { start: 5, end: 1000 }, 'glow'],
    ])('reads %s', async (_, range, expected) => {
      await store.put('a', Buffer.from('alpenglow'));
      expect((await readContents('a', range)).toString()).toBe(expected);
    });

    test('reports that a blob does not exist', async () => {
      expect(await store.getInfo('nowhere/a')).toBeNull();
      await expect(store.read('nowhere/a')).rejects.toThrow(BlobNotFound);
    });

    test('does not treat a prefix as a blob', async () => {
      await store.put('photos/a/1', Buffer.from('1'));
      expect(await store.getInfo('photos/a')).toBeNull();
      await expect(store.read('photos/a')).rejects.toThrow(BlobNotFound);
    });

    test('stores nothing when the stream fails', async () => {
      async function* failingStream() {
        yield randomBytes(100_000);
        await Promise.resolve();
        throw new Error('connection lost');
      }
      await expect(store.put('originals/a', Readable.from(failingStream()))).rejects.toThrow('connection lost');
      expect(await store.getInfo('originals/a')).toBeNull();
      expect(await listKeys('originals/')).toEqual([]);
    });

    test('stores nothing when the stream is destroyed', async () => {
      const stream = new Readable({ read: () => undefined });
      stream.push(randomBytes(1000));
      const writing = store.put('a', stream);
      setImmediate(() => stream.destroy());
      await expect(writing).rejects.toThrow();
      expect(await store.getInfo('a')).toBeNull();
    });

    test('keeps the old blob when its replacement fails', async () => {
      await store.put('a', Buffer.from('old'));
      await expect(store.put('a', Buffer.from('too long'), { maxBytes: 3 })).rejects.toThrow(BlobTooLarge);
      expect((await readContents('a')).toString()).toBe('old');
    });

    test('accepts a blob of exactly the size limit and rejects one byte more', async () => {
      await store.put('a', randomBytes(1000), { maxBytes: 1000 });
      await expect(
        store.put('b', Readable.from([randomBytes(600), randomBytes(401)]), { maxBytes: 1000 }),
      ).rejects.toThrow(BlobTooLarge);
      expect(await store.getInfo('b')).toBeNull();
    });

    test('lists the keys with a prefix', async () => {
      await store.put('photos/a/1.jpg', Buffer.from('1'));
      await store.put('photos/a/2.jpg', Buffer.from('22'));
      await store.put('photos/b/1.jpg', Buffer.from('1'));
      await store.put('photosynthesis/a', Buffer.from('1'));
      expect(await listKeys('photos/')).toEqual(['photos/a/1.jpg', 'photos/a/2.jpg', 'photos/b/1.jpg']);
      expect(await listKeys('photos/a/')).toEqual(['photos/a/1.jpg', 'photos/a/2.jpg']);
      expect(await listKeys('nothing/')).toEqual([]);
    });

    test('removes one blob', async () => {
      await store.put('originals/a', Buffer.from('a'));
      await store.put('originals/b', Buffer.from('b'));
      await store.remove('originals/a');
      expect(await listKeys('originals/')).toEqual(['originals/b']);
    });

    test('removes all blobs with a prefix and no others', async () => {
      await store.put('photos/a/1', Buffer.from('1'));
      await store.put('photos/a/2', Buffer.from('2'));
      await store.put('photos/ab/1', Buffer.from('1'));
      await store.remove('photos/a/');
      expect(await listKeys('photos/')).toEqual(['photos/ab/1']);
    });

    test('ignores the removal of a missing blob or prefix', async () => {
      await store.remove('nothing');
      await store.remove('nothing/');
    });

    test('does not remove blobs below a key when the key is removed', async () => {
      await store.put('photos/a/1', Buffer.from('1'));
      await store.remove('photos/a');
      expect(await listKeys('photos/')).toEqual(['photos/a/1']);
    });

    test.each([
      '',
      '/',
      '../a',
      'a/../b',
      'a//b',
      '/a',
      'a/./b',
      '..',
      'A',
      'a b',
      'a\0',
      'a\\b',
      'ä',
      'a'.repeat(201),
    ])('rejects %j as a key', async (key) => {
      await expect(store.put(key, Buffer.from('x'))).rejects.toThrow(TypeError);
      await expect(store.read(key)).rejects.toThrow(TypeError);
      await expect(store.getInfo(key)).rejects.toThrow(TypeError);
      await expect(store.remove(`${key}/`)).rejects.toThrow(TypeError);
    });

    test.each(['photos', 'photos//', '', '/', '../'])('rejects %j as a prefix to list', async (prefix) => {
      await expect(listKeys(prefix)).rejects.toThrow(TypeError);
    });

    test('stores exactly one complete blob when several writers use one key', async () => {
      const blobs = Array.from({ length: 8 }, () => randomBytes(200_000));
      await Promise.all(blobs.map((blob) => store.put('a', blob)));
      const stored = await readContents('a');
      expect(blobs.some((blob) => blob.equals(stored))).toBe(true);
    });
  });
}
