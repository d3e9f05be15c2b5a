import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { media, type BlobStore } from '@alpenglow/domain';
import { rejectMedia } from '@alpenglow/domain/deciders';
import {
  createCommandHandler,
  createErrorHandler,
  createFileBlobStore,
  createLogger,
  type Authentication,
  type CommandHandler,
} from '@alpenglow/infra';
import express, { type Request } from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { uploadRoutes } from '../../command-api/src/uploads/routes.ts';
import type { UploadLimits } from '../../command-api/src/uploads/upload-slots.ts';
import { assignRequestId } from '../support/assign-request-id.ts';
import { eventually } from '../support/eventually.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { pictures } from '../support/pictures.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

/** One client cannot use all upload slots, neither with many accounts nor with slow uploads. */

const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
/** Limits that no test reaches unless it sets others. */
const LIMITS = {
  maxUploads: 16,
  maxUploadsPerAccount: 2,
  maxUploadsPerNetwork: 4,
  maxUnfinishedFiles: 6,
  slotWait_ms: 50,
  progress: { check_ms: 10, idle_ms: MAX_WAIT_ms, period_ms: MAX_WAIT_ms, minRate: 0 },
} satisfies Partial<UploadLimits>;

let folder: string;
let blobs: BlobStore;
let commands: CommandHandler;
let server: Server;
let url: string;
/** The accounts whose uploads were authenticated, in order. */
let authenticated: string[];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-upload-slots-'));
  blobs = await createFileBlobStore({ root: folder });
  commands = createCommandHandler(createMemoryEventStore());
  authenticated = [];
});
afterEach(async () => {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
  await rm(folder, { recursive: true });
});

async function serve(limits: Partial<UploadLimits> = {}, store: BlobStore = blobs): Promise<void> {
  // The Authorization header is the account id.
  const authentication = {
    require(req: Request) {
      const accountId = req.get('authorization') ?? '';
      authenticated.push(accountId);
      return Promise.resolve({ account: { accountId } });
    },
  } as unknown as Authentication;
  const app = express();
  app.use(assignRequestId);
  app.set('trust proxy', 1);
  app.use('/api', uploadRoutes({ blobs: store, commands, authentication, uploadWait_ms: 1 }, { ...LIMITS, ...limits }));
  app.use(createErrorHandler(createLogger('silent')));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/uploads/photos`;
}

interface Sender {
  readonly accountId: string;
  readonly address?: string;
}
const headersOf = ({ accountId, address = '192.0.2.1' }: Sender) => ({
  authorization: accountId,
  'x-forwarded-for': address,
});

const START = '--b\r\nContent-Disposition: form-data; name="photos"; filename="a.png"\r\n\r\n';
/** Starts an upload that sends its first bytes and then the bytes of `next` at short intervals. */
function startSlowUpload(sender: Sender, next = ''): Promise<Response> {
  let timer: NodeJS.Timeout;
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(START));
      if (next !== '') timer = setInterval(() => controller.enqueue(new TextEncoder().encode(next)), 5);
    },
    cancel: () => clearInterval(timer),
  });
  const headers = { ...headersOf(sender), 'content-type': 'multipart/form-data; boundary=b' };
  const request = { method: 'POST', body, headers, duplex: 'half', signal: AbortSignal.timeout(MAX_WAIT_ms) };
  return fetch(url, request).finally(() => clearInterval(timer));
}

/**
 * Sends a complete form at once. A browser sends it in several parts. On a busy machine, the time between two parts
 * could be longer than the short limits of these tests.
 */
async function send(form: FormData, sender: Sender): Promise<Response> {
  const encoded = new Response(form);
  const headers = { ...headersOf(sender), 'content-type': encoded.headers.get('content-type') ?? '' };
  return fetch(url, { method: 'POST', body: await encoded.arrayBuffer(), headers });
}

async function upload(
  sender: Sender,
  files = 1,
): Promise<{ status: number; code?: unknown; media?: { id: string }[] }> {
  const body = new FormData();
  for (let count = 0; count < files; count += 1)
    body.append('photos', new Blob([new Uint8Array(await pictures.jpeg())]), 'a.jpg');
  const response = await send(body, sender);
  return { status: response.status, ...((await response.json()) as object) };
}

/** Returns the names of the stored files, also of incomplete ones. */
async function storedFiles(): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('slow uploads', () => {
  /** Starts uploads that never end, two for each account, and waits until they have their slots. */
  async function occupy(senders: readonly Sender[]): Promise<void> {
    for (const sender of senders) startSlowUpload(sender).catch(() => undefined);
    await eventually(() => expect(authenticated).toHaveLength(senders.length));
    authenticated = [];
  }

  test('of one network with many accounts do not block other networks', async () => {
    await serve();
    await occupy(Array.from({ length: 16 }, (_, turn) => ({ accountId: `a${turn >> 1}`, address: '203.0.113.5' })));
    expect(await upload({ accountId: 'anna' })).toMatchObject({ status: 202 });
    expect(await upload({ accountId: 'bea', address: '203.0.113.5' })).toMatchObject({
      status: 503,
      code: 'UPLOADS_BUSY',
    });
  });

  test('of one /64 network count together, and a /48 network has half of all slots', async () => {
    await serve();
    await occupy(
      Array.from({ length: 16 }, (_, turn) => ({ accountId: `a${turn}`, address: `2001:db8:1:${turn >> 2}::${turn}` })),
    );
    expect(await upload({ accountId: 'bea', address: '2001:db8:1:99::1' })).toMatchObject({ code: 'UPLOADS_BUSY' });
    expect(await upload({ accountId: 'bea', address: '2001:db8:2:99::1' })).toMatchObject({ status: 202 });
  });

  test('wait for a free slot of their network', async () => {
    await serve({ maxUploadsPerNetwork: 1, slotWait_ms: MAX_WAIT_ms });
    const results = await Promise.all(['anna', 'bea', 'carla'].map((accountId) => upload({ accountId })));
    expect(results.map(({ status }) => status)).toEqual([202, 202, 202]);
  });

  test.each([
    ['send nothing', '', { idle_ms: 50 }],
    ['send less than the minimum rate', 'x', { period_ms: 50, minRate: 1_000_000 }],
  ])('that %s are ended, and nothing of them remains', async (_what, next, progress) => {
    await serve({ progress: { ...LIMITS.progress, ...progress }, maxUploadsPerNetwork: 1 });
    const response = await startSlowUpload({ accountId: 'anna' }, next);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'UPLOAD_BROKEN_OFF',
      message: 'Upload failed: the file is incomplete',
    });
    expect(await upload({ accountId: 'anna' })).toMatchObject({ status: 202 });
    await eventually(async () => expect(await storedFiles()).toHaveLength(1));
  });

  test('are not ended if only the blob store is slow', async () => {
    let passed_ms = 0;
    const slow: BlobStore = {
      ...blobs,
      async put(key, bytes, options) {
        // The body is larger than all buffers, so the server does not read the rest of it now.
        for (; passed_ms < 300; passed_ms += 10) await new Promise((resolve) => setTimeout(resolve, 10));
        return blobs.put(key, bytes, options);
      },
    };
    await serve({ progress: { check_ms: 10, idle_ms: 100, period_ms: 100, minRate: 1_000 } }, slow);
    const body = new FormData();
    const bytes = Buffer.concat([await pictures.jpeg(), Buffer.alloc(20_000_000)]);
    body.append('photos', new Blob([new Uint8Array(bytes)]), 'a.jpg');
    expect((await send(body, { accountId: 'anna' })).status).toBe(202);
  });
});

test('an account with many files that are still being checked cannot upload others until a check ends', async () => {
  await serve();
  const first = await upload({ accountId: 'anna' }, 5);
  expect((await upload({ accountId: 'anna' })).status).toBe(202);
  expect(await upload({ accountId: 'anna' })).toMatchObject({ status: 503, code: 'UPLOADS_BUSY' });
  expect((await upload({ accountId: 'bea' })).status).toBe(202);
  await commands.execute(media, first.media?.[0]?.id ?? '', rejectMedia, { code: 'NOT_AN_IMAGE' }, origin);
  expect((await upload({ accountId: 'anna' })).status).toBe(202);
});
