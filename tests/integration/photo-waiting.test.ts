import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { media, photoBlobs, rejectMedia, removeMedia, uploadMedia, type BlobStore } from '@alpenglow/domain';
import {
  createCommandHandler,
  createFileBlobStore,
  createLogger,
  createMemoryEventStore,
  errorHandler,
  noKnownImages,
  type Authentication,
  type CommandHandler,
} from '@alpenglow/infra';
import express, { type Request, type Router } from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { uploadRoutes } from '../../command-api/src/uploads/routes.ts';
import { photoRoutes } from '../../query-api/src/uploads/photos.ts';
import { photoVariantsJob } from '../../workers/src/photo-variants.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';

/** What requests see while a worker is slow, or away: here it works when the test says so. */

/** Longer than a busy machine needs to make a picture. */
const LONG_ms = 60_000;
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
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
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
}
const work = (mediaId: string) =>
  photoVariantsJob({ blobs, commands, knownImages: noKnownImages })(
    { mediaId },
    { attempt: 1, signal: new AbortController().signal },
  );

describe('a picture still being made', () => {
  test('is answered once it is there', async () => {
    await uploaded('m1');
    const url = await serve(photoRoutes({ blobs, commands }, { wait_ms: LONG_ms }));
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
    const url = await serve(photoRoutes({ blobs, commands }, { wait_ms: LONG_ms, maxWaiting: 2 }));
    const answers = [1, 2, 3].map(() => fetch(`${url}/m1/640.webp`));
    expect((await Promise.race(answers)).status).toBe(503);
    await work('m1');
    expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([200, 200, 503]);
  });

  test('is not there once it is rejected or removed', async () => {
    await uploaded('m1');
    await uploaded('m2');
    const url = await serve(photoRoutes({ blobs, commands }, { wait_ms: LONG_ms }));
    const answers = Promise.all(['m1', 'm2'].map((id) => fetch(`${url}/${id}/640.webp`)));
    await commands.handle(media, 'm1', (state) => rejectMedia({ code: 'NOT_AN_IMAGE' }, state), origin);
    await commands.handle(media, 'm2', removeMedia, origin);
    expect((await answers).map(({ status }) => status)).toEqual([404, 404]);
  });
});

describe('an upload', () => {
  let arrived = 0;
  beforeEach(() => {
    arrived = 0;
  });
  /** Whoever names nobody is anna. */
  const authentication = {
    require(req: Request) {
      arrived += 1;
      return Promise.resolve({ account: { accountId: req.get('authorization') ?? 'anna' } });
    },
  } as unknown as Authentication;
  /** An upload takes its place as soon as it is known whose it is. */
  const haveArrived = (count: number) => eventually(() => expect(arrived).toBe(count));
  /** An upload that begins and never goes on. */
  const trickle = (url: string, signal: AbortSignal) => {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('--b\r\n')) });
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    return fetch(url, { method: 'POST', body, headers, duplex: 'half', signal } as RequestInit).catch(() => 'cut off');
  };
  const serveUploads = async (...given: Parameters<typeof uploadRoutes>) =>
    `${await serve(uploadRoutes(...given))}/photos`;
  const limits = { verdictWait_ms: 50, maxUploads: 1, maxUploadsPerAccount: 2, turnWait_ms: 50 };
  const form = async () => {
    const data = new FormData();
    data.append('photos', new Blob([new Uint8Array(await pictures.jpeg())]), 'a.jpg');
    return data;
  };

  test('whose verdict takes too long is accepted as processing', async () => {
    const url = await serveUploads({ blobs, commands, authentication }, limits);
    const answer = await fetch(url, { method: 'POST', body: await form() });
    expect(answer.status).toBe(202);
    const { urls, media: views } = (await answer.json()) as { urls: string[]; media: { id: string; status: string }[] };
    expect(views).toMatchObject([{ status: 'processing', width: 0, height: 0, blur: null }]);
    expect(urls).toEqual([`/uploads/photos/${views[0]?.id}/1600.jpg`]);
    expect(await blobs.info(photoBlobs.original(views[0]?.id ?? ''))).not.toBeNull();
  });

  test('does not hold up a process that is told to stop: the verdict will come', async () => {
    const stopping = new AbortController();
    const url = await serveUploads(
      { blobs, commands, authentication, stopping: stopping.signal },
      { ...limits, verdictWait_ms: 60_000, turnWait_ms: 1_000 },
    );
    const answering = fetch(url, { method: 'POST', body: await form() });
    await eventually(async () => {
      const stored: string[] = [];
      for await (const { key } of blobs.list('originals/')) stored.push(key);
      expect(stored).toHaveLength(1);
    });
    stopping.abort();
    expect((await answering).status).toBe(202);
  });

  test('that finds no free place in time is told to come again', async () => {
    const url = await serveUploads({ blobs, commands, authentication }, limits);
    const slow = new AbortController();
    const first = trickle(url, slow.signal);
    await haveArrived(1);
    const answer = await fetch(url, { method: 'POST', body: await form() });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'UPLOADS_BUSY', message: 'Upload in progress...' });
    slow.abort();
    expect(await first).toBe('cut off');
  });

  test('is one of two of its account: more are told to come again, others are let in', async () => {
    const slow = new AbortController();
    const url = await serveUploads(
      { blobs, commands, authentication },
      { ...limits, maxUploads: 16, turnWait_ms: 30_000 },
    );
    const two = [trickle(url, slow.signal), trickle(url, slow.signal)];
    await haveArrived(2);
    const third = await fetch(url, { method: 'POST', body: await form() });
    expect(third.status).toBe(503);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await third.json()).toMatchObject({ code: 'UPLOADS_BUSY', message: 'Upload in progress...' });
    expect((await fetch(url, { method: 'POST', body: await form(), headers: { authorization: 'bea' } })).status).toBe(
      202,
    );
    slow.abort();
    expect(await Promise.all(two)).toEqual(['cut off', 'cut off']);
    await eventually(async () => expect((await fetch(url, { method: 'POST', body: await form() })).status).toBe(202));
  });

  test('is taken back whole when the store is away', async () => {
    const away = { ...commands, handle: () => Promise.reject(new Error('store away')) } as CommandHandler;
    const url = await serveUploads({ blobs, commands: away, authentication }, limits);
    expect((await fetch(url, { method: 'POST', body: await form() })).status).toBe(500);
    for await (const { key } of blobs.list('originals/')) expect.unreachable(key);
  });
});
