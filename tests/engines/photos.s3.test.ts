import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { media, photoBlobKeys, type BlobStore } from '@alpenglow/domain';
import { uploadMedia } from '@alpenglow/domain/deciders';
import {
  createCommandHandler,
  createLogger,
  createErrorHandler,
  readConfig,
  type Authentication,
  type CommandHandler,
} from '@alpenglow/infra';
import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { uploadRoutes } from '../../command-api/src/uploads/routes.ts';
import { BackingServiceUnavailable, type BackingService } from '../../launcher/engines/engine.mjs';
import { createS3 } from '../../launcher/engines/s3.mjs';
import { openS3BlobStore } from '../../infra/src/adapters/s3/blob-store.ts';
import { createPhotoHandler } from '../../query-api/src/uploads/photos.ts';
import { createPhotoVariantsHandler } from '../../workers/src/photo-variants-handler.ts';
import { withRetryDuringOutages } from '../../workers/src/retry-during-outages.ts';
import { assignRequestId } from '../support/assign-request-id.ts';
import { decoder } from '../support/decoder.ts';
import { createJobContext } from '../support/job-context.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { pictures } from '../support/pictures.ts';
import { openTcpLink, type TcpLink } from '../support/tcp-link.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { noPictureLists } from '../support/no-picture-lists.ts';

/** Tests photos on a separate S3 server. The network to the server fails when a test requires it. */

const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const log = createLogger('silent');

const ownInstance = await createS3({ dir: await mkdtemp(path.join(tmpdir(), 'alpenglow-s3-')) }).catch(
  (error: unknown) => {
    if (error instanceof BackingServiceUnavailable) return error;
    throw error;
  },
);
if (ownInstance instanceof BackingServiceUnavailable) test.skip(`photos on S3: not run, ${ownInstance.message}`);
else describe('photos on S3', () => testPhotos(ownInstance));

function testPhotos(instance: BackingService): void {
  const { s3: config } = readConfig(instance.env);
  if (config === null) throw new Error('The environment contains no S3 configuration');
  let link: TcpLink;
  let blobs: BlobStore;
  let commands: CommandHandler;
  let server: Server;
  let url: string;
  beforeAll(async () => {
    await instance.start();
    link = await openTcpLink(Number(new URL(config.endpoint).port));
    blobs = await openS3BlobStore({ ...config, endpoint: `http://127.0.0.1:${link.port}` }, { log });
    commands = createCommandHandler(createMemoryEventStore());
    const authentication = {
      require: () => Promise.resolve({ account: { accountId: 'anna' } }),
    } as unknown as Authentication;
    const app = express();
    app.use(assignRequestId);
    app.use(
      uploadRoutes(
        { blobs, commands, authentication, uploadWait_ms: 50 },
        { maxUploads: 4, maxUploadsPerAccount: 4, slotWait_ms: 50 },
      ),
    );
    const guard = () => Promise.resolve({ cacheControl: 'no-store', isStaff: false, isPublic: true });
    app.get('/:mediaId/:variant', createPhotoHandler({ blobs, recentBlobs: blobs, commands, guard, evidence: blobs }));
    app.use(createErrorHandler(log));
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => link.restore());
  afterAll(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    await link.close();
    await instance.dispose();
  });

  async function storeOriginal(): Promise<string> {
    const mediaId = randomUUID();
    const bytes = await pictures.jpeg(1800, 1200);
    await blobs.put(photoBlobKeys.original(mediaId), bytes);
    await commands.execute(
      media,
      mediaId,
      uploadMedia,
      { mediaId, ownerId: 'anna', kind: 'photo', sizeBytes: bytes.length, contentType: 'image/jpeg' },
      origin,
    );
    return mediaId;
  }
  const makeVariants = (mediaId: string) =>
    withRetryDuringOutages(
      createPhotoVariantsHandler({
        blobs,
        commands,
        decoder,
        knownImages: noPictureLists,
        dataKeys: createMemoryDataKeys(),
      }),
      log,
    )({ mediaId }, createJobContext());
  async function createPhoto(): Promise<string> {
    const mediaId = await storeOriginal();
    await makeVariants(mediaId);
    return mediaId;
  }
  /** Returns the HTTP methods of the requests that the S3 server receives during `request`. */
  async function recordRequests(request: () => Promise<unknown>): Promise<readonly string[]> {
    const before = link.requests().length;
    await request();
    return link
      .requests()
      .slice(before)
      .map((line) => line.split(' ')[0] ?? '');
  }
  const createForm = async () => {
    const data = new FormData();
    for (let count = 0; count < 3; count += 1)
      data.append('photos', new Blob([new Uint8Array(await pictures.jpeg(600, 400))]), 'a.jpg');
    return data;
  };
  async function upload(): Promise<{ status: number; retryAfter: string | null }> {
    const response = await fetch(`${url}/api/uploads/photos`, {
      method: 'POST',
      body: await createForm(),
      headers: { connection: 'close' },
    });
    await response.arrayBuffer();
    return { status: response.status, retryAfter: response.headers.get('retry-after') };
  }
  async function listOriginals(): Promise<readonly string[]> {
    const keys: string[] = [];
    for await (const { key } of blobs.list(photoBlobKeys.original(''))) keys.push(key);
    return keys.sort();
  }

  test('a picture causes one request to the store', async () => {
    const picture = `${url}/${await createPhoto()}/640.webp`;
    const whole = Buffer.from(await (await fetch(picture)).arrayBuffer());
    expect(
      await recordRequests(async () => expect(Buffer.from(await (await fetch(picture)).arrayBuffer())).toEqual(whole)),
    ).toEqual(['GET']);
    expect(await recordRequests(() => fetch(picture, { method: 'HEAD' }))).toEqual(['HEAD']);
    const { headers } = await fetch(picture, { method: 'HEAD' });
    const conditionalHeaders = { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' };
    expect(
      await recordRequests(async () =>
        expect((await fetch(picture, { headers: conditionalHeaders })).status).toBe(304),
      ),
    ).toEqual(['HEAD']);
    const ranged = await fetch(picture, { headers: { range: 'bytes=10-19' } });
    expect(ranged.status).toBe(206);
    expect(ranged.headers.get('content-range')).toBe(`bytes 10-19/${whole.length}`);
    expect(Buffer.from(await ranged.arrayBuffer())).toEqual(whole.subarray(10, 20));
  });

  test.each(['resetConnections', 'discardData'] as const)(
    'a picture responds with 503 and no headers of the picture while the store is unavailable (%s)',
    async (fail) => {
      const mediaId = await createPhoto();
      const picture = `${url}/${mediaId}/640.webp`;
      link[fail]();
      const expectUnavailable = async (headers: Record<string, string>) => {
        const response = await fetch(picture, { headers });
        expect(response.status).toBe(503);
        expect(await response.json()).toMatchObject({ code: 'UNAVAILABLE' });
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(response.headers.get('cache-control')).toBe('no-store');
        expect(response.headers.get('etag')).toBeNull();
        for (const name of ['content-range', 'accept-ranges']) expect(response.headers.get(name), name).toBeNull();
      };
      await Promise.all([expectUnavailable({}), expectUnavailable({ range: 'bytes=0-9' })]);
      link.restore();
      expect((await fetch(picture)).status).toBe(200);
    },
  );

  test('a response whose bytes stop arriving is aborted, not completed', async () => {
    const mediaId = await createPhoto();
    // The file is larger than all buffers, so its transfer is not complete when the connection breaks.
    await blobs.put(photoBlobKeys.variant(mediaId, '1600.jpg'), Buffer.alloc(30 * 1024 * 1024));
    const response = await fetch(`${url}/${mediaId}/1600.jpg`);
    expect(response.status).toBe(200);
    link.resetConnections();
    await expect(response.arrayBuffer()).rejects.toThrow();
    link.restore();
    expect((await (await fetch(`${url}/${mediaId}/1600.jpg`)).arrayBuffer()).byteLength).toBe(30 * 1024 * 1024);
  });

  test('clients that disconnect half-way do not block the pictures of others', async () => {
    const mediaId = await createPhoto();
    await blobs.put(photoBlobKeys.variant(mediaId, '1600.jpg'), Buffer.alloc(4 * 1024 * 1024));
    const disconnect = async () => {
      const leaving = new AbortController();
      await fetch(`${url}/${mediaId}/1600.jpg`, { signal: leaving.signal });
      leaving.abort();
    };
    // 300 reads are more than the limit of parallel reads.
    for (let times = 0; times < 300; times += 10) await Promise.all(Array.from({ length: 10 }, disconnect));
    expect((await (await fetch(`${url}/${mediaId}/1600.jpg`)).arrayBuffer()).byteLength).toBe(4 * 1024 * 1024);
    await expect.poll(() => link.connections()).toBeLessThan(10);
  });

  test.each(['resetConnections', 'discardData'] as const)(
    'an upload during an outage is rejected in time and leaves no files (%s)',
    async (fail) => {
      const before = await listOriginals();
      link[fail]();
      const { status, retryAfter } = await upload();
      expect(status).toBe(503);
      expect(Number(retryAfter)).toBeGreaterThan(0);
      link.restore();
      await expect.poll(listOriginals).toEqual(before);
      expect((await upload()).status).toBe(202);
    },
  );

  test('the variants of an earlier upload are made when the store is available again', async () => {
    const mediaId = await storeOriginal();
    link.resetConnections();
    const working = makeVariants(mediaId);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await commands.load(media, mediaId)).state?.status).toBe('processing');
    link.restore();
    await working;
    expect((await commands.load(media, mediaId)).state?.status).toBe('ready');
    expect((await fetch(`${url}/${mediaId}/320.avif`)).status).toBe(200);
  });
}
