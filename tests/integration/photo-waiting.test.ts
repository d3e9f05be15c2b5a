import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { media, photoBlobs, rejectMedia, removeMedia, uploadMedia, type BlobStore } from '@alpenglow/domain';
import { createCommandHandler, createFileBlobStore, createLogger, createMemoryEventStore, errorHandler, type Authentication, type CommandHandler } from '@alpenglow/infra';
import express, { type Router } from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { photoUploadRoutes } from '../../command-api/src/uploads/photos.ts';
import { photoRoutes } from '../../query-api/src/uploads/photos.ts';
import { photoVariantsJob } from '../../workers/src/photo-variants.ts';
import { sweepOriginals } from '../../workers/src/sweep-originals.ts';
import { pictures } from '../support/pictures.ts';

/** What requests see while a worker is slow, or away: here it works when the test says so. */

const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };

let folder: string;
let blobs: BlobStore;
let commands: CommandHandler;
let server: Server;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-waiting-'));
  blobs = await createFileBlobStore({ root: folder });
  commands = createCommandHandler(createMemoryEventStore());
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

async function serve(router: Router): Promise<string> {
  const app = express();
  app.use(router);
  app.use(errorHandler(createLogger('silent')));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
async function uploaded(mediaId: string): Promise<void> {
  const bytes = await pictures.jpeg();
  await blobs.put(photoBlobs.original(mediaId), bytes);
  await commands.handle(media, mediaId, (state) => uploadMedia({ mediaId, ownerId: 'anna', sizeBytes: bytes.length, contentType: 'image/jpeg' }, state), origin);
}
const work = (mediaId: string) => photoVariantsJob({ blobs, commands })({ mediaId }, { attempt: 1, signal: new AbortController().signal });

describe('a picture still being made', () => {
  test('is answered once it is there', async () => {
    await uploaded('m1');
    const url = await serve(photoRoutes({ blobs, commands }));
    const answer = fetch(`${url}/m1/640.webp`);
    await work('m1');
    expect((await answer).status).toBe(200);
  });

  test('is asked for again later, when it takes too long', async () => {
    await uploaded('m1');
    const url = await serve(photoRoutes({ blobs, commands }, { wait_ms: 50 }));
    const answer = await fetch(`${url}/m1/640.webp`);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('is waited for by a bounded number', async () => {
    await uploaded('m1');
    const url = await serve(photoRoutes({ blobs, commands }, { maxWaiting: 2 }));
    const answers = Promise.all([1, 2, 3].map(() => fetch(`${url}/m1/640.webp`)));
    await Promise.race([answers, new Promise((resolve) => setTimeout(resolve, 300))]);
    await work('m1');
    expect((await answers).map(({ status }) => status).sort()).toEqual([200, 200, 503]);
  });

  test('is not there once it is rejected or removed', async () => {
    await uploaded('m1');
    await uploaded('m2');
    const url = await serve(photoRoutes({ blobs, commands }));
    const answers = Promise.all(['m1', 'm2'].map((id) => fetch(`${url}/${id}/640.webp`)));
    await commands.handle(media, 'm1', (state) => rejectMedia({ code: 'NOT_AN_IMAGE' }, state), origin);
    await commands.handle(media, 'm2', removeMedia, origin);
    expect((await answers).map(({ status }) => status)).toEqual([404, 404]);
  });
});

describe('an upload', () => {
  const authentication = { require: () => Promise.resolve({ account: { accountId: 'anna' } }) } as unknown as Authentication;
  const limits = { verdictWait_ms: 50, maxUploads: 1, turnWait_ms: 50 };
  const form = async () => {
    const data = new FormData();
    data.append('photos', new Blob([new Uint8Array(await pictures.jpeg())]), 'a.jpg');
    return data;
  };

  test('whose verdict takes too long is accepted as processing', async () => {
    const url = await serve(photoUploadRoutes({ blobs, commands, authentication }, limits));
    const answer = await fetch(url, { method: 'POST', body: await form() });
    expect(answer.status).toBe(202);
    const { urls, media: views } = (await answer.json()) as { urls: string[]; media: { id: string; status: string }[] };
    expect(views).toMatchObject([{ status: 'processing', width: 0, height: 0, blur: null }]);
    expect(urls).toEqual([`/uploads/photos/${views[0]?.id}/1600.jpg`]);
    expect(await blobs.info(photoBlobs.original(views[0]?.id ?? ''))).not.toBeNull();
  });

  test('that finds no free place in time is told to come again', async () => {
    const url = await serve(photoUploadRoutes({ blobs, commands, authentication }, limits));
    const slow = new AbortController();
    const boundary = { 'content-type': 'multipart/form-data; boundary=b' };
    const endless = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('--b\r\n')) });
    const first = fetch(url, { method: 'POST', body: endless, headers: boundary, duplex: 'half', signal: slow.signal } as RequestInit).catch(() => 'cut off');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const answer = await fetch(url, { method: 'POST', body: await form() });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'UPLOADS_BUSY', message: 'Upload in progress...' });
    slow.abort();
    expect(await first).toBe('cut off');
  });

  test('is taken back whole when the store is away', async () => {
    const away = { ...commands, handle: () => Promise.reject(new Error('store away')) } as CommandHandler;
    const url = await serve(photoUploadRoutes({ blobs, commands: away, authentication }, limits));
    expect((await fetch(url, { method: 'POST', body: await form() })).status).toBe(500);
    for await (const { key } of blobs.list('originals/')) expect.unreachable(key);
  });
});

describe('left-over originals', () => {
  const HOUR_ms = 60 * 60_000;
  const keys = async () => {
    const found: string[] = [];
    for await (const { key } of blobs.list('originals/')) found.push(key);
    return found.sort();
  };
  beforeEach(async () => {
    await serve(express.Router());
    await uploaded('processing');
    await uploaded('rejected');
    await commands.handle(media, 'rejected', (state) => rejectMedia({ code: 'NOT_AN_IMAGE' }, state), origin);
    await blobs.put(photoBlobs.original('no-event'), Buffer.from('half an upload'));
  });

  test('of photos with a verdict, and of uploads that never became events, go', async () => {
    expect(await sweepOriginals({ blobs, commands }, Date.now() + HOUR_ms + 1000)).toBe(2);
    expect(await keys()).toEqual(['originals/processing']);
  });

  test('stay while an upload may still be under way', async () => {
    expect(await sweepOriginals({ blobs, commands }, Date.now())).toBe(0);
    expect(await keys()).toHaveLength(3);
  });
});
