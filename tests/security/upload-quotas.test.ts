import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BlobStore } from '@alpenglow/domain';
import {
  createCommandHandler,
  createErrorHandler,
  createFileBlobStore,
  createLogger,
  openSharedCounters,
  type Authentication,
} from '@alpenglow/infra';
import express, { type Request } from 'express';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { uploadRoutes } from '../../command-api/src/uploads/routes.ts';
import { UPLOAD_QUOTAS, type UploadQuotas } from '../../command-api/src/uploads/upload-quotas.ts';
import { assignRequestId } from '../support/assign-request-id.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

/** Clients fill the disk with uploads that no ad shows. */

let database: TestDatabase;
let counters: Awaited<ReturnType<typeof openSharedCounters>>;
beforeAll(async () => {
  database = await createMigratedDatabase();
  counters = await openSharedCounters({
    redisUrl: null,
    databaseUrl: database.connectionString,
    log: createLogger('silent'),
  });
});
afterAll(async () => {
  await counters?.close();
  await database?.drop();
});

let folder: string;
let blobs: BlobStore;
let server: Server;
let url: string;
/** Each test has its own networks and accounts, because all share the counts. */
let turn = 0;
beforeEach(async () => {
  turn += 1;
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-upload-quotas-'));
  blobs = await createFileBlobStore({ root: folder });
});
afterEach(async () => {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
  await rm(folder, { recursive: true });
});

async function serve(quotas: Partial<UploadQuotas>, store: BlobStore = blobs): Promise<void> {
  // The Authorization header is the account id. Those of verified accounts begin with `verified`.
  const authentication = {
    require(req: Request) {
      const accountId = req.get('authorization') ?? '';
      const emailVerified = accountId.startsWith('verified');
      return Promise.resolve({ account: { accountId, emailVerified, registeredAt: '2026-01-01T00:00:00.000Z' } });
    },
  } as unknown as Authentication;
  const deps = {
    blobs: store,
    commands: createCommandHandler(createMemoryEventStore()),
    authentication,
    uploadWait_ms: 1,
    counters,
    hashKey: (text: string) => text,
  };
  const app = express();
  app.use(assignRequestId);
  app.set('trust proxy', 1);
  app.use('/api', uploadRoutes(deps, { quotas: { ...UPLOAD_QUOTAS, ...quotas }, maxUnfinishedFiles: 100 }));
  app.use(createErrorHandler(createLogger('silent')));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/uploads`;
}

const headersOf = (account: string, network: string) => ({
  authorization: `${account}-${turn}`,
  'x-forwarded-for': `2001:db8:${turn}:${network}::1`,
});

async function upload(account: string, network = '1'): Promise<Response> {
  const body = new FormData();
  body.append('photos', new Blob([new Uint8Array(await pictures.jpeg())]), 'a.jpg');
  const encoded = new Response(body);
  const headers = { ...headersOf(account, network), 'content-type': encoded.headers.get('content-type') ?? '' };
  return fetch(`${url}/photos`, { method: 'POST', body: await encoded.arrayBuffer(), headers });
}

const begin = (account: string, size_bytes: number, network = '1') =>
  fetch(`${url}/resumable/video`, {
    method: 'POST',
    headers: { ...headersOf(account, network), 'tus-resumable': '1.0.0', 'upload-length': String(size_bytes) },
  });

const append = (location: string, account: string, bytes: Uint8Array) =>
  fetch(new URL(location, url), {
    method: 'PATCH',
    headers: {
      ...headersOf(account, '1'),
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    },
    body: new Uint8Array(bytes),
  });

/** Announces bytes of an upload, and sends `sent_bytes` of them. Returns the status, or null after a disconnect. */
function announce(location: string, account: string, announced_bytes: number, sent_bytes = 0): Promise<number | null> {
  const headers = {
    ...headersOf(account, '1'),
    'tus-resumable': '1.0.0',
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
    'content-length': announced_bytes,
  };
  return new Promise((resolve) => {
    const sending = request(new URL(location, url), { method: 'PATCH', headers }, (response) => {
      resolve(response.statusCode ?? null);
      sending.destroy();
    });
    sending.once('error', () => resolve(null));
    sending.flushHeaders();
    if (sent_bytes > 0) sending.write(Buffer.alloc(sent_bytes), () => setTimeout(() => sending.destroy(), 200));
  });
}

async function countFiles(): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

const MB = 1024 * 1024;

test('an account without a verified e-mail address has a smaller quota', async () => {
  await serve({ ofUnverified_bytes: 10 * MB, ofVerified_bytes: 20 * MB });
  expect((await begin('anna', 9 * MB)).status).toBe(201);
  expect((await begin('verified-bea', 9 * MB)).status).toBe(201);
  const rejected = await begin('anna', 2 * MB);
  expect(rejected.status).toBe(429);
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(80_000);
  expect((await begin('verified-bea', 9 * MB)).status).toBe(201);
  expect((await begin('verified-bea', 9 * MB)).status).toBe(429);
});

test('uploads in one request use the same quota', async () => {
  await serve({ ofUnverified_bytes: 100 });
  expect((await upload('anna')).status).toBe(429);
  expect((await upload('verified-bea')).status).toBe(202);
});

test('the accounts of one network share its quota, and a /48 network has four times as much', async () => {
  await serve({ ofNetwork_bytes: 10 * MB });
  expect((await begin('anna', 9 * MB)).status).toBe(201);
  expect((await begin('bea', 9 * MB)).status).toBe(429);
  // The rejected upload has used no quota.
  expect((await begin('anna', 1 * MB)).status).toBe(201);
  for (const network of ['2', '3', '4']) expect((await begin(`clara${network}`, 9 * MB, network)).status).toBe(201);
  expect((await begin('dora', 9 * MB, '5')).status).toBe(429);
});

test('all incomplete uploads together have a maximum size, which uploads without bytes do not use', async () => {
  await serve({ ofAllIncomplete_bytes: 10 * MB });
  const ofAnna = (await begin('anna', 9 * MB, '1')).headers.get('location') ?? '';
  const ofBea = (await begin('bea', 9 * MB, '2')).headers.get('location') ?? '';
  expect((await append(ofAnna, 'anna', new Uint8Array(9 * MB))).status).toBe(204);
  for (const rejected of [
    await begin('clara', 9 * MB, '3'),
    await append(ofBea, 'bea', new Uint8Array(9 * MB)).catch(() => null),
  ]) {
    expect(rejected?.status ?? 503).toBe(503);
    expect(rejected?.headers.get('retry-after') ?? '600').toBe('600');
  }
  expect((await upload('bea', '2')).status).toBe(202);
});

const cancel = (location: string, account: string, network = '1') =>
  fetch(new URL(location, url), {
    method: 'DELETE',
    headers: { ...headersOf(account, network), 'tus-resumable': '1.0.0' },
  });

test('a canceled upload is subtracted once from the quotas of its account and network', async () => {
  await serve({ ofUnverified_bytes: 10 * MB, ofNetwork_bytes: 15 * MB });
  const location = (await begin('anna', 9 * MB)).headers.get('location') ?? '';
  expect((await begin('anna', 9 * MB)).status).toBe(429);
  // Requests at the same time may all succeed, but they free the quota once.
  await Promise.all([1, 2, 3].map(() => cancel(location, 'anna', '2')));
  expect((await begin('anna', 9 * MB)).status).toBe(201);
  expect((await begin('anna', 9 * MB)).status).toBe(429);
  // The network of the cancel requests gets no additional quota.
  expect((await begin('bea', 9 * MB, '2')).status).toBe(201);
  expect((await begin('clara', 9 * MB, '2')).status).toBe(429);
});

test('canceling an upload frees its quota, even after a failed attempt to finish it', async () => {
  await serve({ ofUnverified_bytes: 10 * MB });
  const location = (await begin('anna', 9 * MB)).headers.get('location') ?? '';
  for (const account of ['bea', 'anna']) {
    const finished = await fetch(new URL(`${location}/finish`, url), {
      method: 'POST',
      headers: headersOf(account, '1'),
    });
    expect(finished.ok).toBe(false);
  }
  expect((await cancel(location, 'anna')).status).toBe(204);
  expect((await begin('anna', 9 * MB)).status).toBe(201);
});

test('accounts without a verified e-mail address in several networks leave space to verified ones', async () => {
  await serve({ ofAllIncomplete_bytes: 10 * MB, ofIncompleteForUnverified_bytes: 5 * MB });
  const ofAnna = (await begin('anna', 4 * MB, '1')).headers.get('location') ?? '';
  expect((await append(ofAnna, 'anna', new Uint8Array(4 * MB))).status).toBe(204);
  expect((await begin('bea', 4 * MB, '2')).status).toBe(503);
  const ofClara = (await begin('verified-clara', 5 * MB, '3')).headers.get('location') ?? '';
  expect((await append(ofClara, 'verified-clara', new Uint8Array(5 * MB))).status).toBe(204);
});

test('bytes that are announced and do not arrive use no space', async () => {
  await serve({ ofAllIncomplete_bytes: 10 * MB });
  const ofAnna = (await begin('anna', 9 * MB, '1')).headers.get('location') ?? '';
  const unknown = ofAnna.replace(/[^/]+$/u, '00000000-0000-4000-8000-000000000000');
  expect(await announce(unknown, 'anna', 10_000 * MB)).toBe(404);
  expect(await announce(ofAnna, 'bea', 10_000 * MB)).toBe(404);
  for (let attempt = 0; attempt < 3; attempt += 1) await announce(ofAnna, 'anna', 9 * MB, 1_000);
  await eventually(async () => expect((await begin('bea', 9 * MB, '2')).status).toBe(201));
});

test('a failed upload in one request uses no quota', async () => {
  await serve({ ofUnverified_bytes: 30_000 });
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const body = new FormData();
    body.append('photos', new Blob(['no picture'.repeat(1_000)]), 'a.jpg');
    expect((await fetch(`${url}/photos`, { method: 'POST', body, headers: headersOf('anna', '1') })).status).toBe(400);
  }
});

test('before the disk is full, uploads are rejected, and nothing is stored', async () => {
  let hasSpace = true;
  await serve({}, { ...blobs, hasSpaceFor: () => Promise.resolve(hasSpace) });
  const location = (await begin('anna', 1_000)).headers.get('location') ?? '';
  hasSpace = false;
  const before = await countFiles();
  for (const response of [
    await upload('anna'),
    await begin('anna', 1_000),
    await append(location, 'anna', Buffer.alloc(9)),
  ])
    expect(response.status).toBe(503);
  expect(await countFiles()).toBe(before);

  hasSpace = true;
  const picture = await pictures.jpeg();
  const complete = (await begin('anna', picture.length)).headers.get('location') ?? '';
  expect((await append(complete, 'anna', picture)).status).toBe(204);
  const finish = () => fetch(new URL(`${complete}/finish`, url), { method: 'POST', headers: headersOf('anna', '1') });
  hasSpace = false;
  expect((await finish()).status).toBe(503);
  hasSpace = true;
  // The received bytes are still there. A picture is no video, so the upload is only now rejected.
  expect((await finish()).status).toBe(400);
});

test('unverified accounts of one network leave space for those of others', async () => {
  await serve({ ofUnverifiedInNetwork_bytes: 15 * MB });
  expect((await begin('one', 10 * MB)).status).toBe(201);
  expect((await begin('two', 10 * MB)).status).toBe(429);
  expect((await begin('verified', 10 * MB)).status).toBe(201);
  expect((await begin('three', 10 * MB, '2')).status).toBe(201);
});

test('a store on this machine leaves space to everything else', async () => {
  await serve({});
  expect(await blobs.hasSpaceFor(1)).toBe(true);
  expect(await blobs.hasSpaceFor(Number.MAX_SAFE_INTEGER)).toBe(false);
});
