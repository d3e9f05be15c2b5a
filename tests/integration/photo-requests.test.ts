import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { media, photoBlobKeys, type BlobStore } from '@alpenglow/domain';
import { rejectMedia, removeMedia, uploadMedia } from '@alpenglow/domain/deciders';
import {
  createCommandHandler,
  createFileBlobStore,
  createMediaAccessTokens,
  createLogger,
  createErrorHandler,
  type Authentication,
  type CommandHandler,
} from '@alpenglow/infra';
import express, { type Request, type RequestHandler } from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { uploadRoutes } from '../../command-api/src/uploads/routes.ts';
import { createMediaGuard } from '../../query-api/src/uploads/media-access.ts';
import type { MediaVisibility } from '../../query-api/src/uploads/media-visibility.ts';
import { createPhotoHandler } from '../../query-api/src/uploads/photos.ts';
import { withRecentBlobs } from '../../query-api/src/uploads/recent-blobs.ts';
import { createPhotoVariantsHandler } from '../../workers/src/photo-variants-handler.ts';
import { assignRequestId } from '../support/assign-request-id.ts';
import { decoder } from '../support/decoder.ts';
import { eventually } from '../support/eventually.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { pictures } from '../support/pictures.ts';
import { interceptWrites } from '../support/intercept-writes.ts';
import { createJobContext } from '../support/job-context.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { noPictureLists } from '../support/no-picture-lists.ts';

/** Tests requests while a worker is slow or unavailable. No worker runs, so the tests execute the jobs themselves. */

/** Time limit of a wait. It is longer than a busy machine needs to create a picture. */
const LONG_ms = 60_000;
const PHOTO_PATH = '/:mediaId/:variant';
const UPLOAD_PATH = '/api/uploads/photos';
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

async function serve(path: string, handler: RequestHandler<never>): Promise<string> {
  const app = express();
  app.use(assignRequestId);
  app.all(path, handler as unknown as RequestHandler);
  app.use(createErrorHandler(createLogger('silent')));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
async function storeOriginal(mediaId: string): Promise<void> {
  const bytes = await pictures.jpeg();
  await blobs.put(photoBlobKeys.original(mediaId), bytes);
  await commands.execute(
    media,
    mediaId,
    uploadMedia,
    { mediaId, ownerId: 'anna', kind: 'photo', sizeBytes: bytes.length, contentType: 'image/jpeg' },
    origin,
  );
}
/** Lets every request load the photos, because these tests are about photos that are being processed. */
const guard = () => Promise.resolve({ cacheControl: 'no-store', isStaff: false, isPublic: true });
const runJob = (mediaId: string) =>
  createPhotoVariantsHandler({
    blobs,
    commands,
    decoder,
    knownImages: noPictureLists,
    dataKeys: createMemoryDataKeys(),
  })({ mediaId }, createJobContext());

describe('a picture that is being processed', () => {
  test('is returned as soon as it is ready', async () => {
    await storeOriginal('m1');
    const url = await serve(
      PHOTO_PATH,
      createPhotoHandler({ blobs, recentBlobs: blobs, commands, guard, evidence: blobs }, { wait_ms: LONG_ms }),
    );
    const response = fetch(`${url}/m1/640.webp`);
    await runJob('m1');
    expect((await response).status).toBe(200);
  });

  test('responds with 503 and Retry-After if it takes too long', async () => {
    await storeOriginal('m1');
    const url = await serve(
      PHOTO_PATH,
      createPhotoHandler({ blobs, recentBlobs: blobs, commands, guard, evidence: blobs }, { wait_ms: 50 }),
    );
    const response = await fetch(`${url}/m1/640.webp`);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('limits the number of waiting requests', async () => {
    await storeOriginal('m1');
    const url = await serve(
      PHOTO_PATH,
      createPhotoHandler(
        { blobs, recentBlobs: blobs, commands, guard, evidence: blobs },
        { wait_ms: LONG_ms, maxWaiting: 2 },
      ),
    );
    const responses = [1, 2, 3].map(() => fetch(`${url}/m1/640.webp`));
    expect((await Promise.race(responses)).status).toBe(503);
    await runJob('m1');
    expect((await Promise.all(responses)).map(({ status }) => status).sort()).toEqual([200, 200, 503]);
  });

  test('responds with 404 if it is rejected or removed', async () => {
    await storeOriginal('m1');
    await storeOriginal('m2');
    const url = await serve(
      PHOTO_PATH,
      createPhotoHandler({ blobs, recentBlobs: blobs, commands, guard, evidence: blobs }, { wait_ms: LONG_ms }),
    );
    const responses = Promise.all(['m1', 'm2'].map((id) => fetch(`${url}/${id}/640.webp`)));
    await commands.execute(media, 'm1', rejectMedia, { code: 'NOT_AN_IMAGE' }, origin);
    await commands.execute(media, 'm2', removeMedia, {}, origin);
    expect((await responses).map(({ status }) => status)).toEqual([404, 404]);
  });
});

describe('a picture in memory', () => {
  const mediaId = 'b'.repeat(16);
  const key = photoBlobKeys.variant(mediaId, '640.webp');
  const tokens = createMediaAccessTokens('secret');
  const access = (audience: 'owner' | 'staff') => `?access=${tokens.issue(mediaId, audience).token}`;
  let isPublic: boolean;
  let url: string;
  beforeEach(async () => {
    isPublic = true;
    await blobs.put(key, Buffer.from('picture'));
    await storeOriginal(mediaId);
    await commands.execute(media, mediaId, removeMedia, {}, origin);
    const visibility = {
      isPublic: async () => isPublic,
      isPublicNow: async () => isPublic,
      isRemovedByDecision: async () => false,
    } satisfies MediaVisibility;
    const checked = createMediaGuard({ visibility, mediaAccessTokens: tokens });
    const recentBlobs = withRecentBlobs(blobs);
    const handler = createPhotoHandler({ blobs, recentBlobs, commands, guard: checked, evidence: blobs });
    url = `${await serve(PHOTO_PATH, handler)}/${mediaId}/640.webp`;
  });

  /** Returns the statuses of requests of all kinds. */
  async function statusesOf(address: string): Promise<readonly number[]> {
    const requests: RequestInit[] = [
      {},
      { method: 'HEAD' },
      { headers: { range: 'bytes=0-2' } },
      // Without the second header, `fetch` would add `no-cache`.
      { headers: { 'if-none-match': `"${mediaId}-640.webp-7"`, 'cache-control': 'max-age=0' } },
    ];
    return Promise.all(requests.map(async (init) => (await fetch(address, init)).status));
  }

  test('is sent to visitors while it is public', async () => {
    expect(await statusesOf(url)).toEqual([200, 200, 206, 304]);
    await blobs.remove(key);
    expect(await statusesOf(url)).toEqual([200, 200, 206, 304]);
    isPublic = false;
    expect(await statusesOf(url)).toEqual([404, 404, 404, 404]);
  });

  test.each(['owner', 'staff'] as const)('is not sent to its %s after it was removed', async (audience) => {
    for (const becomesPrivate of [false, true]) {
      isPublic = !becomesPrivate;
      await blobs.put(key, Buffer.from('picture'));
      expect(await statusesOf(url + access(audience))).toEqual([200, 200, 206, 304]);
      if (isPublic) expect(await statusesOf(url)).toEqual([200, 200, 206, 304]);
      await blobs.remove(key);
      expect(await statusesOf(url + access(audience))).toEqual([404, 404, 404, 404]);
    }
  });
});

describe('an upload', () => {
  let authenticatedCount = 0;
  beforeEach(() => {
    authenticatedCount = 0;
  });
  /** Uses the Authorization header as the account id. Requests without this header belong to the account `anna`. */
  const authentication = {
    require(req: Request) {
      authenticatedCount += 1;
      return Promise.resolve({ account: { accountId: req.get('authorization') ?? 'anna' } });
    },
  } as unknown as Authentication;
  /**
   * Waits until `count` uploads are authenticated. Directly afterwards, each of them counts towards the limit of
   * parallel uploads.
   */
  const waitForUploads = (count: number) => eventually(() => expect(authenticatedCount).toBe(count));
  /** Starts an upload that sends its first bytes and then nothing. */
  const startEndlessUpload = (url: string, signal: AbortSignal) => {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('--b\r\n')) });
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    return fetch(url, { method: 'POST', body, headers, duplex: 'half', signal } as RequestInit).catch(() => 'aborted');
  };
  const serveUploads = async (...args: Parameters<typeof uploadRoutes>) =>
    `${await serve(UPLOAD_PATH, uploadRoutes(...args))}${UPLOAD_PATH}`;
  const limits = { maxUploads: 1, maxUploadsPerAccount: 2, slotWait_ms: 50 };
  const createForm = async () => {
    const data = new FormData();
    data.append('photos', new Blob([new Uint8Array(await pictures.jpeg())]), 'a.jpg');
    return data;
  };

  test('is accepted as processing if its result takes too long', async () => {
    const url = await serveUploads({ blobs, commands, authentication, uploadWait_ms: 50 }, limits);
    const response = await fetch(url, { method: 'POST', body: await createForm() });
    expect(response.status).toBe(202);
    const { urls, media: views } = (await response.json()) as {
      urls: string[];
      media: { id: string; status: string }[];
    };
    expect(views).toMatchObject([{ status: 'processing', width: 0, height: 0, blur: null }]);
    expect(urls).toEqual([`/uploads/photos/${views[0]?.id}/1600.jpg`]);
    expect(await blobs.getInfo(photoBlobKeys.original(views[0]?.id ?? ''))).not.toBeNull();
  });

  test('does not delay the shutdown of its process', async () => {
    const stopping = new AbortController();
    const url = await serveUploads(
      { blobs, commands, authentication, uploadWait_ms: 60_000, stopping: stopping.signal },
      { ...limits, slotWait_ms: 1_000 },
    );
    const responding = fetch(url, { method: 'POST', body: await createForm() });
    await eventually(async () => {
      const stored: string[] = [];
      for await (const { key } of blobs.list('originals/')) stored.push(key);
      expect(stored).toHaveLength(1);
    });
    stopping.abort();
    expect((await responding).status).toBe(202);
  });

  test('responds with 503 if no slot is free in time', async () => {
    const url = await serveUploads({ blobs, commands, authentication, uploadWait_ms: 50 }, limits);
    const slow = new AbortController();
    const first = startEndlessUpload(url, slow.signal);
    await waitForUploads(1);
    const response = await fetch(url, { method: 'POST', body: await createForm() });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'UPLOADS_BUSY', message: 'Upload in progress...' });
    slow.abort();
    expect(await first).toBe('aborted');
  });

  test('is rejected if its account has two running uploads, and other accounts are not affected', async () => {
    const slow = new AbortController();
    const url = await serveUploads(
      { blobs, commands, authentication, uploadWait_ms: 50 },
      { ...limits, maxUploads: 16, slotWait_ms: 30_000 },
    );
    const two = [startEndlessUpload(url, slow.signal), startEndlessUpload(url, slow.signal)];
    await waitForUploads(2);
    const third = await fetch(url, { method: 'POST', body: await createForm() });
    expect(third.status).toBe(503);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await third.json()).toMatchObject({ code: 'UPLOADS_BUSY', message: 'Upload in progress...' });
    expect(
      (await fetch(url, { method: 'POST', body: await createForm(), headers: { authorization: 'bea' } })).status,
    ).toBe(202);
    slow.abort();
    expect(await Promise.all(two)).toEqual(['aborted', 'aborted']);
    await eventually(async () =>
      expect((await fetch(url, { method: 'POST', body: await createForm() })).status).toBe(202),
    );
  });

  test('is removed completely if the store is unavailable', async () => {
    const failingCommands = interceptWrites(commands, () => Promise.reject(new Error('store away')));
    const url = await serveUploads({ blobs, commands: failingCommands, authentication, uploadWait_ms: 50 }, limits);
    expect((await fetch(url, { method: 'POST', body: await createForm() })).status).toBe(500);
    for await (const { key } of blobs.list('originals/')) expect.unreachable(key);
  });
});
