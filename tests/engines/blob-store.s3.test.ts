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
import { BackingServiceUnavailable, type BackingService } from '../../launcher/engines/engine.mjs';
import { createS3 } from '../../launcher/engines/s3.mjs';
import { openS3BlobStore } from '../../infra/src/adapters/s3/blob-store.ts';
import { abortAbandonedUploads, listUnfinishedUploads } from '../../infra/src/adapters/s3/bucket.ts';
import { createS3Client } from '../../infra/src/adapters/s3/client.ts';
import { describeBlobStore } from '../contract/blob-store.ts';
import { openTcpLink, type TcpLink } from '../support/tcp-link.ts';

const MiB = 1024 * 1024;
const HOUR_ms = 60 * 60_000;
const log = createLogger('silent');

/** Warnings of the S3 client. The list must stay empty, because every service logs such warnings. */
const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));

const { s3 } = readConfig(process.env);
if (s3 === null) test.skip('S3: not run, S3_ENDPOINT is not set');
else {
  const prefix = `test-${randomUUID()}/`;
  afterAll(async () => (await openS3BlobStore(s3, { log })).remove(prefix));
  describeBlobStore('an S3 bucket', async () =>
    storeBelow(await openS3BlobStore(s3, { log }), `${prefix}${randomUUID()}/`),
  );
  describe('a working S3 bucket', () => testWorkingStore(s3, `${prefix}works/`));
}

/** Separate S3 server for outage tests, because other tests use the shared server. */
const ownInstance = await createS3({ dir: await mkdtemp(path.join(tmpdir(), 'alpenglow-s3-')) }).catch(
  (error: unknown) => {
    if (error instanceof BackingServiceUnavailable) return error;
    throw error;
  },
);
if (ownInstance instanceof BackingServiceUnavailable) test.skip(`S3 outages: not run, ${ownInstance.message}`);
else describe('a failing S3 store', () => testFailingStore(ownInstance));

/** Returns a blob store that contains only the objects below a prefix of `store`. */
function storeBelow(store: BlobStore, prefix: string): BlobStore {
  const withPrefix = (key: string) => prefix + key;
  return {
    put: (key, bytes, options) => store.put(withPrefix(key), bytes, options),
    getInfo: (key) => store.getInfo(withPrefix(key)),
    hasSpaceFor: (sizeBytes) => store.hasSpaceFor(sizeBytes),
    read: (key, range) => store.read(withPrefix(key), range),
    async *list(folder) {
      // An empty folder name is invalid. It is passed without the prefix, so that the store rejects it.
      for await (const { key, ...info } of store.list(folder === '' ? '' : withPrefix(folder)))
        yield { key: key.slice(prefix.length), ...info };
    },
    remove: (keyOrPrefix) => store.remove(withPrefix(keyOrPrefix)),
  };
}

/** Generates bytes as they are read, so that a large object needs little memory. */
async function* generateBytes(size_bytes: number, onChunk: () => void = () => undefined): AsyncGenerator<Buffer> {
  for (let remaining_bytes = size_bytes, index = 0; remaining_bytes > 0; remaining_bytes -= 64 * 1024, index += 1) {
    onChunk();
    yield Buffer.alloc(Math.min(remaining_bytes, 64 * 1024), index);
    await Promise.resolve();
  }
}
const stream = (size_bytes: number, onChunk?: () => void) =>
  Readable.from(generateBytes(size_bytes, onChunk), { objectMode: false });

async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}

/** Resolves with the error of `work`, or null. The store stays unavailable, so only a time limit can end `work`. */
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

function testWorkingStore(config: S3Config, prefix: string): void {
  const client = createS3Client(config, { maxSockets: 5, log });
  const incompleteUploads = async () =>
    (await listUnfinishedUploads(client, config.bucket)).filter(({ key }) => key.startsWith(prefix));
  let root: BlobStore;
  let store: BlobStore;
  beforeAll(async () => {
    root = await openS3BlobStore(config, { log });
    store = storeBelow(root, prefix);
  });

  test('streams 60 MB in and out without holding them in memory', async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const usedBytes = () => {
      gc();
      return process.memoryUsage().arrayBuffers;
    };
    const before_bytes = usedBytes();
    let most_bytes = 0;
    let chunks = 0;
    const measure = () => {
      if ((chunks += 1) % 80 === 0) most_bytes = Math.max(most_bytes, usedBytes() - before_bytes);
    };
    expect(await store.put('large', stream(60 * MiB, measure))).toEqual({ sizeBytes: 60 * MiB });
    const { sizeBytes, bytes } = await store.read('large');
    expect(sizeBytes).toBe(60 * MiB);
    bytes.on('data', measure);
    expect(await hashOf(bytes)).toBe(await hashOf(generateBytes(60 * MiB)));
    expect(chunks).toBeGreaterThan(1_000);
    expect(most_bytes).toBeLessThan(25 * MiB);
  });

  test('a source that fails in the middle leaves no object and no incomplete upload', async () => {
    async function* failingSource() {
      yield* generateBytes(12 * MiB);
      expect(await incompleteUploads()).toHaveLength(1);
      throw new Error('broken off');
    }
    await expect(store.put('broken', Readable.from(failingSource(), { objectMode: false }))).rejects.toThrow(
      'broken off',
    );
    expect(await store.getInfo('broken')).toBeNull();
    expect(await incompleteUploads()).toEqual([]);
  });

  test('a source that is too large leaves no object and no incomplete upload, and is destroyed', async () => {
    const source = stream(20 * MiB);
    await expect(store.put('too-large', source, { maxBytes: 11 * MiB })).rejects.toMatchObject({
      name: 'BlobTooLarge',
    });
    expect(source.destroyed).toBe(true);
    expect(await store.getInfo('too-large')).toBeNull();
    expect(await incompleteUploads()).toEqual([]);
  });

  test('an abandoned upload is aborted after a day', async () => {
    const source = new PassThrough();
    const putting = store.put('abandoned', source);
    source.write(Buffer.alloc(6 * MiB));
    await expect.poll(incompleteUploads).toHaveLength(1);
    const uploads = await listUnfinishedUploads(client, config.bucket);
    const youngest_ms = Math.max(...uploads.map(({ begunAt_ms }) => begunAt_ms));
    expect(Math.abs(youngest_ms - Date.now())).toBeLessThan(HOUR_ms);
    await abortAbandonedUploads(client, config.bucket, Date.now() + 22 * HOUR_ms);
    expect(await incompleteUploads()).toHaveLength(1);
    await abortAbandonedUploads(client, config.bucket, Date.now() + 26 * HOUR_ms);
    expect(await incompleteUploads()).toEqual([]);
    source.end();
    await expect(putting).rejects.toThrow();
    expect(await store.getInfo('abandoned')).toBeNull();
  });

  test('lists and removes more than one page of objects', async () => {
    const names = Array.from({ length: 1_100 }, (_, index) => `many/${index}`);
    for (let first = 0; first < names.length; first += 50)
      await Promise.all(names.slice(first, first + 50).map((name) => store.put(name, Buffer.from('x'))));
    expect((await keysOf(store, 'many/')).toSorted()).toEqual(names.toSorted());
    await store.remove('many/');
    expect(await keysOf(store, 'many/')).toEqual([]);
  });
}

function testFailingStore(instance: BackingService): void {
  const { s3: config } = readConfig(instance.env);
  if (config === null) throw new Error('The environment contains no S3 configuration');
  let store: BlobStore;
  beforeAll(async () => {
    await instance.start();
    store = await openS3BlobStore(config, { log });
    await store.put('photos/a/1', Buffer.from('alpenglow'));
  });
  afterAll(() => instance.dispose());

  /** Returns all operations of a store by name. */
  const operationsOf = (target: BlobStore): Record<string, () => Promise<unknown>> => ({
    put: () => target.put('photos/a/2', Buffer.from('x')),
    'put of a stream': () => target.put('photos/a/3', stream(12 * MiB)),
    info: () => target.getInfo('photos/a/1'),
    read: () => target.read('photos/a/1'),
    list: () => keysOf(target, 'photos/'),
    remove: () => target.remove('photos/b'),
    'remove of a prefix': () => target.remove('photos/b/'),
  });
  async function expectAllUnavailable(target: BlobStore): Promise<void> {
    const results = await Promise.all(
      Object.entries(operationsOf(target)).map(async ([name, operation]) => ({
        name,
        error: await errorOf(operation()),
      })),
    );
    for (const { name, error } of results) expect(error, name).toBeInstanceOf(BlobStoreUnavailable);
  }
  async function expectAllWorking(target: BlobStore): Promise<void> {
    for (const [name, operation] of Object.entries(operationsOf(target)))
      expect(await errorOf(operation()), name).toBeNull();
    expect((await buffer((await target.read('photos/a/1')).bytes)).toString()).toBe('alpenglow');
  }

  test('creates a missing bucket', async () => {
    const other = await openS3BlobStore({ ...config, bucket: `${config.bucket}-other` }, { log });
    await other.put('a', Buffer.from('x'));
    expect(await other.getInfo('a')).toMatchObject({ sizeBytes: 1 });
    expect(await store.getInfo('a')).toBeNull();
  });

  test('creates a missing bucket once for parallel callers', async () => {
    const bucket = `${config.bucket}-crowd`;
    const stores = await Promise.all(Array.from({ length: 8 }, () => openS3BlobStore({ ...config, bucket }, { log })));
    await stores[0]?.put('a', Buffer.from('x'));
    for (const each of stores) expect(await each.getInfo('a')).toMatchObject({ sizeBytes: 1 });
  });

  test.each([
    ['S3_SECRET_ACCESS_KEY', { secretAccessKey: 'a-secret-that-is-wrong' }],
    ['S3_ACCESS_KEY_ID', { accessKeyId: 'somebody-else' }],
  ])('a wrong %s is named in the error without any secret', async (variable, wrong) => {
    const error = await errorOf(openS3BlobStore({ ...config, ...wrong }, { log }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain(`${variable}: `);
    const text = inspect(error, { depth: 10, showHidden: true });
    for (const secret of [config.secretAccessKey, ...Object.values(wrong)]) expect(text).not.toContain(secret);
  });

  test('the client prints no warning about the version of Node', async () => {
    await store.getInfo('photos/a/1');
    expect(warnings).toEqual([]);
  });

  test('every operation fails in time while the store is stopped, and succeeds after a restart', async () => {
    await instance.stop();
    await expectAllUnavailable(store);
    expect(await errorOf(openS3BlobStore(config, { log }))).toBeInstanceOf(BlobStoreUnavailable);
    await instance.start();
    await expectAllWorking(store);
  });

  describe('over a failing network', () => {
    let link: TcpLink;
    let linked: BlobStore;
    beforeAll(async () => {
      link = await openTcpLink(Number(new URL(config.endpoint).port));
      linked = await openS3BlobStore({ ...config, endpoint: `http://127.0.0.1:${link.port}` }, { log });
      await linked.put('large', stream(30 * MiB));
    });
    afterAll(() => link.close());

    test('readers that stop half-way leave no open connection', async () => {
      const stopReading = async (_: unknown, index: number) => {
        const { bytes } = await linked.read('large');
        // Every second reader waits for the first bytes. The other readers read nothing.
        if (index % 2 === 0) await new Promise((resolve) => bytes.once('readable', resolve));
        bytes.destroy();
      };
      // 300 reads are more than the limit of parallel reads.
      for (let times = 0; times < 300; times += 10) await Promise.all(Array.from({ length: 10 }, stopReading));
      expect(await hashOf((await linked.read('large')).bytes)).toBe(await hashOf(generateBytes(30 * MiB)));
      await expect.poll(() => link.connections()).toBeLessThan(5);
    });

    test('many parallel requests share few connections', async () => {
      let most = 0;
      const puts = Array.from({ length: 300 }, async (_, index) => {
        await linked.put(`crowd/${index}`, Buffer.alloc(1_000));
        most = Math.max(most, link.connections());
      });
      await Promise.all(puts);
      expect(await keysOf(linked, 'crowd/')).toHaveLength(300);
      expect(most).toBeLessThanOrEqual(52);
    });

    test('every operation fails in time without responses, and succeeds after the network is back', async () => {
      link.discardData();
      const [error] = await Promise.all([
        errorOf(openS3BlobStore({ ...config, endpoint: `http://127.0.0.1:${link.port}` }, { log })),
        expectAllUnavailable(linked),
      ]);
      expect(error).toBeInstanceOf(BlobStoreUnavailable);
      link.restore();
      await expectAllWorking(linked);
    });

    test('a connection that breaks during an upload rejects the upload and destroys its source', async () => {
      const source = new PassThrough();
      const putting = linked.put('photos/a/4', source);
      source.write(Buffer.alloc(6 * MiB));
      await expect.poll(() => link.requests().some((line) => line.includes('/photos/a/4?uploads'))).toBe(true);
      link.resetConnections();
      source.end(Buffer.alloc(6 * MiB));
      const error = await errorOf(putting);
      expect(error).toBeInstanceOf(BlobStoreUnavailable);
      expect(source.destroyed).toBe(true);
      link.restore();
      expect(await linked.getInfo('photos/a/4')).toBeNull();
    });

    test('an error of the source is reported even if the connection breaks in the meantime', async () => {
      const source = new PassThrough();
      const putting = linked.put('photos/a/5', source);
      source.write(Buffer.alloc(6 * MiB));
      await expect.poll(() => link.requests().some((line) => line.includes('/photos/a/5?partNumber=1'))).toBe(true);
      link.resetConnections();
      source.destroy(new Error('broken off'));
      await expect(putting).rejects.toThrow('broken off');
      link.restore();
    });

    test('a connection that breaks during a read fails the read', async () => {
      const { bytes } = await linked.read('large');
      let size_bytes = 0;
      const reading = (async () => {
        for await (const chunk of bytes as AsyncIterable<Buffer>) {
          size_bytes += chunk.length;
          if (size_bytes > MiB) link.resetConnections();
        }
      })();
      expect(await errorOf(reading)).toBeInstanceOf(Error);
      expect(size_bytes).toBeLessThan(30 * MiB);
      link.restore();
      expect(await hashOf((await linked.read('large')).bytes)).toBe(await hashOf(generateBytes(30 * MiB)));
    });

    test('a broken idle connection causes no error', async () => {
      await linked.getInfo('photos/a/1');
      link.resetConnections();
      link.restore();
      expect(await linked.getInfo('photos/a/1')).not.toBeNull();
    });
  });
}
