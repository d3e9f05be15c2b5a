import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BlobNotFound, BlobTooLarge, type BlobStore } from '@alpenglow/domain';
import { beforeEach, describe, expect, test } from 'vitest';

/** A store on another machine has a clock of its own. */
const CLOCKS_APART_ms = 60_000;

/**
 * What every blob store promises. Not promised: what a reader sees of a blob that is removed or replaced while it reads,
 * and whether `a` and `a/b` can both be blobs.
 */
export function blobStoreContract(name: string, open: () => Promise<BlobStore>): void {
  describe(`${name} as a blob store`, () => {
    let store: BlobStore;
    beforeEach(async () => {
      store = await open();
    });

    const contents = async (key: string, range?: { start: number; end: number }) =>
      buffer((await store.read(key, range)).bytes);
    const keysBelow = async (prefix: string) => {
      const keys: string[] = [];
      for await (const { key } of store.list(prefix)) keys.push(key);
      return keys.sort();
    };

    test('gives back what it was given', async () => {
      const bytes = randomBytes(300_000);
      expect(await store.put('originals/a', bytes)).toEqual({ sizeBytes: 300_000 });
      expect(await contents('originals/a')).toEqual(bytes);
    });

    test('tells size and time alike, whichever way it is asked', async () => {
      const before_ms = Date.now();
      await store.put('originals/a', Buffer.from('alpenglow'));
      const info = await store.info('originals/a');
      expect(info).toEqual({ sizeBytes: 9, modifiedAt_ms: expect.any(Number) });
      expect(Math.abs((info?.modifiedAt_ms ?? 0) - before_ms)).toBeLessThan(CLOCKS_APART_ms);
      for (const range of [undefined, { start: 5, end: 8 }]) {
        const { bytes, ...told } = await store.read('originals/a', range);
        bytes.destroy();
        expect(told.sizeBytes).toBe(9);
        expect(Math.abs(told.modifiedAt_ms - (info?.modifiedAt_ms ?? 0))).toBeLessThan(1_000);
      }
      for await (const { key, sizeBytes, modifiedAt_ms } of store.list('originals/')) {
        expect({ key, sizeBytes }).toEqual({ key: 'originals/a', sizeBytes: 9 });
        expect(Math.abs(modifiedAt_ms - (info?.modifiedAt_ms ?? 0))).toBeLessThan(1_000);
      }
    });

    test('takes a stream', async () => {
      await store.put('a', Readable.from([Buffer.from('alpen'), Buffer.from('glow')]));
      expect((await contents('a')).toString()).toBe('alpenglow');
    });

    test('holds an empty blob', async () => {
      await store.put('a', new Uint8Array());
      expect(await store.info('a')).toMatchObject({ sizeBytes: 0 });
      expect(await contents('a')).toHaveLength(0);
    });

    test('replaces a blob whole', async () => {
      await store.put('a', Buffer.from('a long first version'));
      await store.put('a', Buffer.from('short'));
      expect((await contents('a')).toString()).toBe('short');
    });

    test.each([
      ['the first byte', { start: 0, end: 0 }, 'a'],
      ['the middle', { start: 2, end: 4 }, 'pen'],
      ['past the end', { start: 5, end: 1000 }, 'glow'],
    ])('reads %s', async (_, range, expected) => {
      await store.put('a', Buffer.from('alpenglow'));
      expect((await contents('a', range)).toString()).toBe(expected);
    });

    test('says when there is no such blob', async () => {
      expect(await store.info('nowhere/a')).toBeNull();
      await expect(store.read('nowhere/a')).rejects.toThrow(BlobNotFound);
    });

    test('does not take a prefix for a blob', async () => {
      await store.put('photos/a/1', Buffer.from('1'));
      expect(await store.info('photos/a')).toBeNull();
      await expect(store.read('photos/a')).rejects.toThrow(BlobNotFound);
    });

    test('keeps nothing of a stream that fails', async () => {
      async function* broken() {
        yield randomBytes(100_000);
        await Promise.resolve();
        throw new Error('broken off');
      }
      await expect(store.put('originals/a', Readable.from(broken()))).rejects.toThrow('broken off');
      expect(await store.info('originals/a')).toBeNull();
      expect(await keysBelow('originals/')).toEqual([]);
    });

    test('keeps nothing of a stream that is destroyed', async () => {
      const stream = new Readable({ read: () => undefined });
      stream.push(randomBytes(1000));
      const putting = store.put('a', stream);
      setImmediate(() => stream.destroy());
      await expect(putting).rejects.toThrow();
      expect(await store.info('a')).toBeNull();
    });

    test('keeps the old blob when the new one fails', async () => {
      await store.put('a', Buffer.from('old'));
      await expect(store.put('a', Buffer.from('too long'), { maxBytes: 3 })).rejects.toThrow(BlobTooLarge);
      expect((await contents('a')).toString()).toBe('old');
    });

    test('takes exactly the limit, and not a byte more', async () => {
      await store.put('a', randomBytes(1000), { maxBytes: 1000 });
      await expect(
        store.put('b', Readable.from([randomBytes(600), randomBytes(401)]), { maxBytes: 1000 }),
      ).rejects.toThrow(BlobTooLarge);
      expect(await store.info('b')).toBeNull();
    });

    test('lists what lies below a prefix', async () => {
      await store.put('photos/a/1.jpg', Buffer.from('1'));
      await store.put('photos/a/2.jpg', Buffer.from('22'));
      await store.put('photos/b/1.jpg', Buffer.from('1'));
      await store.put('photosynthesis/a', Buffer.from('1'));
      expect(await keysBelow('photos/')).toEqual(['photos/a/1.jpg', 'photos/a/2.jpg', 'photos/b/1.jpg']);
      expect(await keysBelow('photos/a/')).toEqual(['photos/a/1.jpg', 'photos/a/2.jpg']);
      expect(await keysBelow('nothing/')).toEqual([]);
    });

    test('removes one blob', async () => {
      await store.put('originals/a', Buffer.from('a'));
      await store.put('originals/b', Buffer.from('b'));
      await store.remove('originals/a');
      expect(await keysBelow('originals/')).toEqual(['originals/b']);
    });

    test('removes everything below a prefix, and nothing beside it', async () => {
      await store.put('photos/a/1', Buffer.from('1'));
      await store.put('photos/a/2', Buffer.from('2'));
      await store.put('photos/ab/1', Buffer.from('1'));
      await store.remove('photos/a/');
      expect(await keysBelow('photos/')).toEqual(['photos/ab/1']);
    });

    test('removing what is not there is no error', async () => {
      await store.remove('nothing');
      await store.remove('nothing/');
    });

    test('a key is not a prefix: removing it leaves what lies below', async () => {
      await store.put('photos/a/1', Buffer.from('1'));
      await store.remove('photos/a');
      expect(await keysBelow('photos/')).toEqual(['photos/a/1']);
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
    ])('refuses %j as a key', async (key) => {
      await expect(store.put(key, Buffer.from('x'))).rejects.toThrow(TypeError);
      await expect(store.read(key)).rejects.toThrow(TypeError);
      await expect(store.info(key)).rejects.toThrow(TypeError);
      await expect(store.remove(`${key}/`)).rejects.toThrow(TypeError);
    });

    test.each(['photos', 'photos//', '', '/', '../'])('refuses %j as a prefix to list', async (prefix) => {
      await expect(keysBelow(prefix)).rejects.toThrow(TypeError);
    });

    test('concurrent writers of one key leave one of their blobs, whole', async () => {
      const blobs = Array.from({ length: 8 }, () => randomBytes(200_000));
      await Promise.all(blobs.map((blob) => store.put('a', blob)));
      const left = await contents('a');
      expect(blobs.some((blob) => blob.equals(left))).toBe(true);
    });
  });
}
