import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BlobStoreUnavailable, type BlobStore } from '@alpenglow/domain';
import { ConfigurationError, createLogger, readConfig, type S3Config } from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EngineUnavailable, type Engine } from '../../infra/engines/engine.mjs';
import { createS3 } from '../../infra/engines/s3.mjs';
import { openS3BlobStore } from '../../infra/src/adapters/s3/blob-store.ts';
import { abortAbandonedUploads, uploadsUnderWay } from '../../infra/src/adapters/s3/bucket.ts';
import { createS3Client } from '../../infra/src/adapters/s3/client.ts';
import { blobStoreContract } from '../contract/blob-store.ts';
import { openTcpLink, type TcpLink } from '../support/tcp-link.ts';

const MiB = 1024 * 1024;
const HOUR_ms = 60 * 60_000;
const log = createLogger('silent');

/** What the client of S3 has to say of its surroundings would stand in the log of every service. */
const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));

const { s3 } = readConfig(process.env);
if (s3 === null) test.skip('S3: not run, S3_ENDPOINT is not set');
else {
  const prefix = `test-${randomUUID()}/`;
  afterAll(async () => (await openS3BlobStore(s3, { log })).remove(prefix));
  blobStoreContract('an S3 bucket', async () => below(await openS3BlobStore(s3, { log }), `${prefix}${randomUUID()}/`));
  describe('an S3 bucket that works', () => thatWorks(s3, `${prefix}works/`));
}

/** Outages are made on an instance of our own. */
const own = await createS3({ dir: await mkdtemp(path.join(tmpdir(), 'alpenglow-s3-')) }).catch((error: unknown) => {
  if (error instanceof EngineUnavailable) return error;
  throw error;
});
if (own instanceof EngineUnavailable) test.skip(`S3 outages: not run, ${own.message}`);
else describe('an S3 store that fails', () => thatFails(own));

/** What a store keeps below a prefix, as a store of its own. */
function below(store: BlobStore, prefix: string): BlobStore {
  const within = (key: string) => prefix + key;
  return {
    put: (key, bytes, options) => store.put(within(key), bytes, options),
    info: (key) => store.info(within(key)),
    read: (key, range) => store.read(within(key), range),
    async *list(folder) {
      // Nothing at all is no folder, and must not become one.
      for await (const { key, ...info } of store.list(folder === '' ? '' : within(folder)))
        yield { key: key.slice(prefix.length), ...info };
    },
    remove: (keyOrPrefix) => store.remove(within(keyOrPrefix)),
  };
}

/** Bytes that are made as they are asked for. */
async function* made(size_bytes: number, onChunk: () => void = () => undefined): AsyncGenerator<Buffer> {
  for (let left_bytes = size_bytes, index = 0; left_bytes > 0; left_bytes -= 64 * 1024, index += 1) {
    onChunk();
    yield Buffer.alloc(Math.min(left_bytes, 64 * 1024), index);
    await Promise.resolve();
  }
}
const stream = (size_bytes: number, onChunk?: () => void) =>
  Readable.from(made(size_bytes, onChunk), { objectMode: false });

async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}

/** The error that something ends with, or null. A call that has no limit of time never ends, because its store stays away. */
function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (reason: unknown) => reason,
  );
}

async function keysOf(store: BlobStore, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

function thatWorks(config: S3Config, prefix: string): void {
  const client = createS3Client(config, { maxSockets: 5, log });
  const halfDone = async () =>
    (await uploadsUnderWay(client, config.bucket)).filter(({ key }) => key.startsWith(prefix));
  let root: BlobStore;
  let store: BlobStore;
  beforeAll(async () => {
    root = await openS3BlobStore(config, { log });
    store = below(root, prefix);
  });

  test('60 MB pass through, in and out, and are never held as a whole', async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const held = () => {
      gc();
      return process.memoryUsage().arrayBuffers;
    };
    const before_bytes = held();
    let most_bytes = 0;
    let chunks = 0;
    const look = () => {
      if ((chunks += 1) % 80 === 0) most_bytes = Math.max(most_bytes, held() - before_bytes);
    };
    expect(await store.put('large', stream(60 * MiB, look))).toEqual({ sizeBytes: 60 * MiB });
    const { sizeBytes, bytes } = await store.read('large');
    expect(sizeBytes).toBe(60 * MiB);
    bytes.on('data', look);
    expect(await hashOf(bytes)).toBe(await hashOf(made(60 * MiB)));
    expect(chunks).toBeGreaterThan(1_000);
    expect(most_bytes).toBeLessThan(25 * MiB);
  });

  test('a source that breaks off in the middle leaves no object and no half-done upload', async () => {
    async function* broken() {
      yield* made(12 * MiB);
      expect(await halfDone()).toHaveLength(1);
      throw new Error('broken off');
    }
    await expect(store.put('broken', Readable.from(broken(), { objectMode: false }))).rejects.toThrow('broken off');
    expect(await store.info('broken')).toBeNull();
    expect(await halfDone()).toEqual([]);
  });

  test('one that grows too large in the middle does not either, and is let go of', async () => {
    const source = stream(20 * MiB);
    await expect(store.put('too-large', source, { maxBytes: 11 * MiB })).rejects.toMatchObject({
      name: 'BlobTooLarge',
    });
    expect(source.destroyed).toBe(true);
    expect(await store.info('too-large')).toBeNull();
    expect(await halfDone()).toEqual([]);
  });

  test('an upload nobody goes on with is given up after a day', async () => {
    const source = new PassThrough();
    const putting = store.put('abandoned', source);
    source.write(Buffer.alloc(6 * MiB));
    await expect.poll(halfDone).toHaveLength(1);
    const uploads = await uploadsUnderWay(client, config.bucket);
    const youngest_ms = Math.max(...uploads.map(({ begunAt_ms }) => begunAt_ms));
    expect(Math.abs(youngest_ms - Date.now())).toBeLessThan(HOUR_ms);
    await abortAbandonedUploads(client, config.bucket, Date.now() + 22 * HOUR_ms);
    expect(await halfDone()).toHaveLength(1);
    await abortAbandonedUploads(client, config.bucket, Date.now() + 26 * HOUR_ms);
    expect(await halfDone()).toEqual([]);
    source.end();
    await expect(putting).rejects.toThrow();
    expect(await store.info('abandoned')).toBeNull();
  });

  test('more than a page is listed, and removed', async () => {
    const names = Array.from({ length: 1_100 }, (_, index) => `many/${index}`);
    for (let first = 0; first < names.length; first += 50)
      await Promise.all(names.slice(first, first + 50).map((name) => store.put(name, Buffer.from('x'))));
    expect((await keysOf(store, 'many/')).toSorted()).toEqual(names.toSorted());
    await store.remove('many/');
    expect(await keysOf(store, 'many/')).toEqual([]);
  });
}

function thatFails(engine: Engine): void {
  const { s3: config } = readConfig(engine.env);
  if (config === null) throw new Error('The engine names no store');
  let store: BlobStore;
  beforeAll(async () => {
    await engine.start();
    store = await openS3BlobStore(config, { log });
    await store.put('photos/a/1', Buffer.from('alpenglow'));
  });
  afterAll(() => engine.dispose());

  /** Everything a store can be asked, at once. */
  const everything = (asked: BlobStore): Record<string, () => Promise<unknown>> => ({
    put: () => asked.put('photos/a/2', Buffer.from('x')),
    'put of a stream': () => asked.put('photos/a/3', stream(12 * MiB)),
    info: () => asked.info('photos/a/1'),
    read: () => asked.read('photos/a/1'),
    list: () => keysOf(asked, 'photos/'),
    remove: () => asked.remove('photos/b'),
    'remove of a prefix': () => asked.remove('photos/b/'),
  });
  async function everythingIsUnavailable(asked: BlobStore): Promise<void> {
    const endings = await Promise.all(
      Object.entries(everything(asked)).map(async ([name, ask]) => ({ name, error: await errorOf(ask()) })),
    );
    for (const { name, error } of endings) expect(error, name).toBeInstanceOf(BlobStoreUnavailable);
  }
  async function everythingWorks(asked: BlobStore): Promise<void> {
    for (const [name, ask] of Object.entries(everything(asked))) expect(await errorOf(ask()), name).toBeNull();
    expect((await buffer((await asked.read('photos/a/1')).bytes)).toString()).toBe('alpenglow');
  }

  test('makes the bucket that is missing', async () => {
    const other = await openS3BlobStore({ ...config, bucket: `${config.bucket}-other` }, { log });
    await other.put('a', Buffer.from('x'));
    expect(await other.info('a')).toMatchObject({ sizeBytes: 1 });
    expect(await store.info('a')).toBeNull();
  });

  test('makes it once for those who come at the same time', async () => {
    const bucket = `${config.bucket}-crowd`;
    const stores = await Promise.all(Array.from({ length: 8 }, () => openS3BlobStore({ ...config, bucket }, { log })));
    await stores[0]?.put('a', Buffer.from('x'));
    for (const each of stores) expect(await each.info('a')).toMatchObject({ sizeBytes: 1 });
  });

  test.each([
    ['S3_SECRET_ACCESS_KEY', { secretAccessKey: 'a-secret-that-is-wrong' }],
    ['S3_ACCESS_KEY_ID', { accessKeyId: 'somebody-else' }],
  ])('a wrong %s is named, and nothing secret is told', async (variable, wrong) => {
    const error = await errorOf(openS3BlobStore({ ...config, ...wrong }, { log }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain(`${variable}: `);
    const told = inspect(error, { depth: 10, showHidden: true });
    for (const secret of [config.secretAccessKey, ...Object.values(wrong)]) expect(told).not.toContain(secret);
  });

  test('its client does not talk of the version of Node', async () => {
    await store.info('photos/a/1');
    expect(warnings).toEqual([]);
  });

  test('stopped, nothing hangs; back again, everything works and is still there', async () => {
    await engine.stop();
    await everythingIsUnavailable(store);
    expect(await errorOf(openS3BlobStore(config, { log }))).toBeInstanceOf(BlobStoreUnavailable);
    await engine.start();
    await everythingWorks(store);
  });

  describe('over a network that fails', () => {
    let link: TcpLink;
    let linked: BlobStore;
    beforeAll(async () => {
      link = await openTcpLink(Number(new URL(config.endpoint).port));
      linked = await openS3BlobStore({ ...config, endpoint: `http://127.0.0.1:${link.port}` }, { log });
      await linked.put('large', stream(30 * MiB));
    });
    afterAll(() => link.close());

    test('readers who leave half-way leave no connection behind', async () => {
      const leave = async (_: unknown, index: number) => {
        const { bytes } = await linked.read('large');
        // Some look at the first bytes, some at none.
        if (index % 2 === 0) await new Promise((resolve) => bytes.once('readable', resolve));
        bytes.destroy();
      };
      // More than may read at once.
      for (let times = 0; times < 300; times += 10) await Promise.all(Array.from({ length: 10 }, leave));
      expect(await hashOf((await linked.read('large')).bytes)).toBe(await hashOf(made(30 * MiB)));
      await expect.poll(() => link.connections()).toBeLessThan(5);
    });

    test('many at once share few connections', async () => {
      let most = 0;
      const puts = Array.from({ length: 300 }, async (_, index) => {
        await linked.put(`crowd/${index}`, Buffer.alloc(1_000));
        most = Math.max(most, link.connections());
      });
      await Promise.all(puts);
      expect(await keysOf(linked, 'crowd/')).toHaveLength(300);
      expect(most).toBeLessThanOrEqual(52);
    });

    test('silent, nothing hangs; mended, everything works', async () => {
      link.fallSilent();
      const [error] = await Promise.all([
        errorOf(openS3BlobStore({ ...config, endpoint: `http://127.0.0.1:${link.port}` }, { log })),
        everythingIsUnavailable(linked),
      ]);
      expect(error).toBeInstanceOf(BlobStoreUnavailable);
      link.mend();
      await everythingWorks(linked);
    });

    test('broken in the middle of an upload, it is refused and let go of, and its source too', async () => {
      const source = new PassThrough();
      const putting = linked.put('photos/a/4', source);
      source.write(Buffer.alloc(6 * MiB));
      await expect.poll(() => link.requests().some((line) => line.includes('/photos/a/4?uploads'))).toBe(true);
      link.breakOff();
      source.end(Buffer.alloc(6 * MiB));
      const error = await errorOf(putting);
      expect(error).toBeInstanceOf(BlobStoreUnavailable);
      expect(source.destroyed).toBe(true);
      link.mend();
      expect(await linked.info('photos/a/4')).toBeNull();
    });

    test('a source that breaks off meanwhile is what is told', async () => {
      const source = new PassThrough();
      const putting = linked.put('photos/a/5', source);
      source.write(Buffer.alloc(6 * MiB));
      await expect.poll(() => link.requests().some((line) => line.includes('/photos/a/5?partNumber=1'))).toBe(true);
      link.breakOff();
      source.destroy(new Error('broken off'));
      await expect(putting).rejects.toThrow('broken off');
      link.mend();
    });

    test('broken in the middle of a read, the reader hears of it', async () => {
      const { bytes } = await linked.read('large');
      let size_bytes = 0;
      const reading = (async () => {
        for await (const chunk of bytes as AsyncIterable<Buffer>) {
          size_bytes += chunk.length;
          if (size_bytes > MiB) link.breakOff();
        }
      })();
      expect(await errorOf(reading)).toBeInstanceOf(Error);
      expect(size_bytes).toBeLessThan(30 * MiB);
      link.mend();
      expect(await hashOf((await linked.read('large')).bytes)).toBe(await hashOf(made(30 * MiB)));
    });

    test('a connection broken while idle is not noticed', async () => {
      await linked.info('photos/a/1');
      link.breakOff();
      link.mend();
      expect(await linked.info('photos/a/1')).not.toBeNull();
    });
  });
}
