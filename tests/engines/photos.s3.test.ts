import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { media, photoBlobs, uploadMedia, type BlobStore } from '@alpenglow/domain';
import {
  createCommandHandler,
  createLogger,
  createMemoryEventStore,
  errorHandler,
  noKnownImages,
  readConfig,
  type Authentication,
  type CommandHandler,
} from '@alpenglow/infra';
import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { uploadRoutes } from '../../command-api/src/uploads/routes.ts';
import { EngineUnavailable, type Engine } from '../../infra/engines/engine.mjs';
import { createS3 } from '../../infra/engines/s3.mjs';
import { openS3BlobStore } from '../../infra/src/adapters/s3/blob-store.ts';
import { photoRoutes } from '../../query-api/src/uploads/photos.ts';
import { photoVariantsJob } from '../../workers/src/photo-variants.ts';
import { throughOutages } from '../../workers/src/through-outages.ts';
import { pictures } from '../support/pictures.ts';
import { openTcpLink, type TcpLink } from '../support/tcp-link.ts';

/** Photos with their bytes on S3, an instance of our own, over a network that fails when the test says so. */

const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const log = createLogger('silent');

const own = await createS3({ dir: await mkdtemp(path.join(tmpdir(), 'alpenglow-s3-')) }).catch((error: unknown) => {
  if (error instanceof EngineUnavailable) return error;
  throw error;
});
if (own instanceof EngineUnavailable) test.skip(`photos on S3: not run, ${own.message}`);
else describe('photos on S3', () => photosOn(own));

function photosOn(engine: Engine): void {
  const { s3: config } = readConfig(engine.env);
  if (config === null) throw new Error('The engine names no store');
  let link: TcpLink;
  let blobs: BlobStore;
  let commands: CommandHandler;
  let server: Server;
  let url: string;
  beforeAll(async () => {
    await engine.start();
    link = await openTcpLink(Number(new URL(config.endpoint).port));
    blobs = await openS3BlobStore({ ...config, endpoint: `http://127.0.0.1:${link.port}` }, { log });
    commands = createCommandHandler(createMemoryEventStore());
    const authentication = {
      require: () => Promise.resolve({ account: { accountId: 'anna' } }),
    } as unknown as Authentication;
    const app = express();
    app.use(
      '/upload',
      uploadRoutes(
        { blobs, commands, authentication },
        { verdictWait_ms: 50, maxUploads: 4, maxUploadsPerAccount: 4, turnWait_ms: 50 },
      ),
    );
    app.use(photoRoutes({ blobs, commands }));
    app.use(errorHandler(log));
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => link.mend());
  afterAll(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    await link.close();
    await engine.dispose();
  });

  async function uploaded(): Promise<string> {
    const mediaId = randomUUID();
    const bytes = await pictures.jpeg(1800, 1200);
    await blobs.put(photoBlobs.original(mediaId), bytes);
    await commands.handle(
      media,
      mediaId,
      (state) =>
        uploadMedia(
          { mediaId, ownerId: 'anna', kind: 'photo', sizeBytes: bytes.length, contentType: 'image/jpeg' },
          state,
        ),
      origin,
    );
    return mediaId;
  }
  const work = (mediaId: string) =>
    throughOutages(photoVariantsJob({ blobs, commands, knownImages: noKnownImages }), log)(
      { mediaId },
      { attempt: 1, signal: new AbortController().signal },
    );
  async function shown(): Promise<string> {
    const mediaId = await uploaded();
    await work(mediaId);
    return mediaId;
  }
  /** What the store is asked meanwhile. */
  async function asking(request: () => Promise<unknown>): Promise<readonly string[]> {
    const before = link.requests().length;
    await request();
    return link
      .requests()
      .slice(before)
      .map((line) => line.split(' ')[0] ?? '');
  }
  const form = async () => {
    const data = new FormData();
    for (let count = 0; count < 3; count += 1)
      data.append('photos', new Blob([new Uint8Array(await pictures.jpeg(600, 400))]), 'a.jpg');
    return data;
  };
  async function upload(): Promise<{ status: number; retryAfter: string | null }> {
    const response = await fetch(`${url}/upload/photos`, {
      method: 'POST',
      body: await form(),
      headers: { connection: 'close' },
    });
    await response.arrayBuffer();
    return { status: response.status, retryAfter: response.headers.get('retry-after') };
  }
  async function originals(): Promise<readonly string[]> {
    const keys: string[] = [];
    for await (const { key } of blobs.list(photoBlobs.original(''))) keys.push(key);
    return keys.sort();
  }

  test('a picture takes one request of the store', async () => {
    const picture = `${url}/${await shown()}/640.webp`;
    const whole = Buffer.from(await (await fetch(picture)).arrayBuffer());
    expect(
      await asking(async () => expect(Buffer.from(await (await fetch(picture)).arrayBuffer())).toEqual(whole)),
    ).toEqual(['GET']);
    expect(await asking(() => fetch(picture, { method: 'HEAD' }))).toEqual(['HEAD']);
    const { headers } = await fetch(picture, { method: 'HEAD' });
    const asked = { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' };
    expect(await asking(async () => expect((await fetch(picture, { headers: asked })).status).toBe(304))).toEqual([
      'HEAD',
    ]);
    const ranged = await fetch(picture, { headers: { range: 'bytes=10-19' } });
    expect(ranged.status).toBe(206);
    expect(ranged.headers.get('content-range')).toBe(`bytes 10-19/${whole.length}`);
    expect(Buffer.from(await ranged.arrayBuffer())).toEqual(whole.subarray(10, 20));
  });

  test.each(['breakOff', 'fallSilent'] as const)(
    'a picture that cannot be had now says so, and nothing of the picture (%s)',
    async (fail) => {
      const mediaId = await shown();
      const picture = `${url}/${mediaId}/640.webp`;
      link[fail]();
      const isRefused = async (headers: Record<string, string>) => {
        const response = await fetch(picture, { headers });
        expect(response.status).toBe(503);
        expect(await response.json()).toMatchObject({ code: 'UNAVAILABLE' });
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(response.headers.get('cache-control')).toBe('no-store');
        expect(response.headers.get('etag')).toBeNull();
        for (const name of ['content-range', 'accept-ranges']) expect(response.headers.get(name), name).toBeNull();
      };
      await Promise.all([isRefused({}), isRefused({ range: 'bytes=0-9' })]);
      link.mend();
      expect((await fetch(picture)).status).toBe(200);
    },
  );

  test('a picture whose bytes stop coming is cut off, not ended', async () => {
    const mediaId = await shown();
    // As large as no variant is, so that it cannot be all on its way already.
    await blobs.put(photoBlobs.variant(mediaId, '1600.jpg'), Buffer.alloc(30 * 1024 * 1024));
    const response = await fetch(`${url}/${mediaId}/1600.jpg`);
    expect(response.status).toBe(200);
    link.breakOff();
    await expect(response.arrayBuffer()).rejects.toThrow();
    link.mend();
    expect((await (await fetch(`${url}/${mediaId}/1600.jpg`)).arrayBuffer()).byteLength).toBe(30 * 1024 * 1024);
  });

  test('clients who leave half-way keep nobody from their pictures', async () => {
    const mediaId = await shown();
    await blobs.put(photoBlobs.variant(mediaId, '1600.jpg'), Buffer.alloc(4 * 1024 * 1024));
    const leave = async () => {
      const leaving = new AbortController();
      await fetch(`${url}/${mediaId}/1600.jpg`, { signal: leaving.signal });
      leaving.abort();
    };
    // More than may read at once.
    for (let times = 0; times < 300; times += 10) await Promise.all(Array.from({ length: 10 }, leave));
    expect((await (await fetch(`${url}/${mediaId}/1600.jpg`)).arrayBuffer()).byteLength).toBe(4 * 1024 * 1024);
    await expect.poll(() => link.connections()).toBeLessThan(10);
  });

  test.each(['breakOff', 'fallSilent'] as const)(
    'an upload meanwhile is refused in time, and leaves nothing (%s)',
    async (fail) => {
      const before = await originals();
      link[fail]();
      const { status, retryAfter } = await upload();
      expect(status).toBe(503);
      expect(Number(retryAfter)).toBeGreaterThan(0);
      link.mend();
      await expect.poll(originals).toEqual(before);
      expect((await upload()).status).toBe(202);
    },
  );

  test('a photo uploaded before is made when the store is back', async () => {
    const mediaId = await uploaded();
    link.breakOff();
    const working = work(mediaId);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await commands.load(media, mediaId)).state?.status).toBe('processing');
    link.mend();
    await working;
    expect((await commands.load(media, mediaId)).state?.status).toBe('ready');
    expect((await fetch(`${url}/${mediaId}/320.avif`)).status).toBe(200);
  });
}
