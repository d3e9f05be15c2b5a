import { request } from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MAX_FILE_bytes } from '@alpenglow/domain';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient } from '../support/api.ts';
import { bundleForNode } from '../support/bundle.mjs';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { runBundle, type TestProcess } from '../support/processes.ts';
import type { ProductPlan } from '../support/product-process.ts';
import { createEmptyLocation, type DataLocation } from '../support/product.ts';
import {
  blobFiles,
  waitForStockPictures,
  mediaEventTypes,
  settledBlobFiles,
  type UploadKind,
} from '../support/uploads.ts';
import { mp4 } from '../support/videos.ts';

/** Tests that the product streams large uploads, so that memory does not grow with their size. */

const UPLOADS = 20;
const INTERRUPTED_UPLOADS = 6;
const MAX_GROWTH_bytes = 150 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024);
const BOUNDARY = 'b';
/** Environment variables for memory that `npm start` sets. */
const START_ENV = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };

let place: DataLocation & { remove(): Promise<void> };
let bundle: Awaited<ReturnType<typeof bundleForNode>>;
let product: TestProcess;
let url: string;
/** Resident bytes of the product: the latest value, and the maximum since the last reset. */
const resident = { now: 0, maximum: 0 };

beforeAll(async () => {
  place = await createEmptyLocation();
  bundle = await bundleForNode('./product-process.ts');
  const plan: ProductPlan = {
    databaseUrl: place.databaseUrl,
    dataDir: place.dataDir,
    rootDir: path.resolve(import.meta.dirname, '../..'),
    sampleEvery_ms: 50,
  };
  product = runBundle(bundle.path, plan, START_ENV);
  url = await new Promise<string>((resolve, reject) => {
    void readOutput(resolve)
      .then(() => product.exited())
      .then(() => reject(new Error('The product ended')), reject);
  });
  await waitForStockPictures(url);
});
afterAll(async () => {
  product.kill();
  await product.exited();
  await bundle.remove();
  await place.remove();
});

async function readOutput(isReady: (url: string) => void): Promise<void> {
  for await (const line of product.lines) {
    const [name, value] = line.split(' ');
    if (name === 'port') isReady(`http://127.0.0.1:${value ?? ''}`);
    resident.now = name === 'resident' ? Number(value) : resident.now;
    resident.maximum = Math.max(resident.maximum, resident.now);
  }
}

interface LargeFile {
  readonly kind: UploadKind;
  /** First bytes of the file. All other bytes of the 100 MB are zeros. */
  readonly head: Buffer;
}

/**
 * Creates a photo and a video that are valid and have the maximum size. The picture data of the photo is followed by
 * zeros. The last box of the video, which is a part of the file, contains zeros.
 */
async function createLargestFiles(): Promise<{ readonly photo: LargeFile; readonly video: LargeFile }> {
  const video = await mp4();
  const free = Buffer.alloc(8);
  free.writeUInt32BE(MAX_FILE_bytes - video.length);
  free.write('free', 4, 'latin1');
  return {
    photo: { kind: 'photos', head: await pictures.jpeg() },
    video: { kind: 'video', head: Buffer.concat([video, free]) },
  };
}

/**
 * Uploads 100 MB in small chunks, to save memory. Returns the status, or null if the upload was interrupted
 * at `until_bytes`.
 */
async function streamFile(
  { kind, head }: LargeFile,
  token: string,
  until_bytes = MAX_FILE_bytes,
): Promise<number | null> {
  const before = Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${kind}"; filename="large"\r\n\r\n`,
  );
  const after = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const req = request(`${url}/api/uploads/${kind}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': before.length + MAX_FILE_bytes + after.length,
    },
  });
  const responded = new Promise<number | null>((resolve) => {
    req.once('response', (res) => {
      res.resume();
      resolve(res.statusCode ?? 0);
    });
    req.once('error', () => resolve(null));
  });
  const write = async (bytes: Buffer) => {
    if (!req.write(bytes)) await Promise.race([new Promise((resolve) => req.once('drain', resolve)), responded]);
  };
  await write(before);
  await write(head);
  for (let sent = head.length; sent < until_bytes && !req.destroyed; sent += CHUNK.length)
    await write(CHUNK.subarray(0, Math.min(CHUNK.length, until_bytes - sent)));
  if (until_bytes < MAX_FILE_bytes) req.destroy();
  else req.end(after);
  return responded;
}

/**
 * Repeats an upload while the product responds with 503. The product accepts 16 uploads in parallel, and further
 * uploads wait for up to 30 s.
 */
async function streamUntilAccepted(large: LargeFile, token: string): Promise<number | null> {
  for (;;) {
    const status = await streamFile(large, token);
    if (status !== 503) return status;
    await pause(1_000);
  }
}

const mediaEvents = async () => {
  const database = new Client({ connectionString: place.databaseUrl });
  await database.connect();
  try {
    return await mediaEventTypes(database);
  } finally {
    await database.end();
  }
};

test(`${UPLOADS} parallel uploads of 100 MB are accepted with less than 150 MB of additional memory`, async () => {
  const api = apiClient(url);
  const { photo, video } = await createLargestFiles();
  const people = await Promise.all(Array.from({ length: UPLOADS }, () => api.signUp('provider')));
  await pause(1_000);
  const before = resident.now;
  resident.maximum = 0;
  const statuses = await Promise.all(
    people.map(({ token }, index) => streamUntilAccepted(index % 2 === 0 ? photo : video, token)),
  );
  expect(
    statuses.every((status) => status === 201 || status === 202),
    statuses.join(' '),
  ).toBe(true);
  // The worker processes one photo and one video at a time. The memory of the product is measured until all files are
  // processed.
  await eventually(
    async () => expect((await mediaEvents()).filter((type) => type !== 'MediaUploaded')).toHaveLength(UPLOADS),
    { interval_ms: 250 },
  );
  expect((await mediaEvents()).toSorted()).toEqual(
    [
      ...Array(UPLOADS).fill('MediaUploaded'),
      ...Array(UPLOADS / 2).fill('PhotoVariantsMade'),
      ...Array(UPLOADS / 2).fill('VideoProbed'),
    ].toSorted(),
  );
  expect(resident.maximum - before).toBeLessThan(MAX_GROWTH_bytes);
});

test('interrupted large uploads leave no files and no event', async () => {
  const api = apiClient(url);
  const { photo, video } = await createLargestFiles();
  const [files, events] = [await settledBlobFiles(place.dataDir), await mediaEvents()];
  const people = await Promise.all(Array.from({ length: INTERRUPTED_UPLOADS }, () => api.signUp('provider')));
  const interrupted = people.map(({ token }, index) =>
    streamFile(index % 2 === 0 ? photo : video, token, (index + 1) * 10_000_000),
  );
  expect(await Promise.all(interrupted)).toEqual(people.map(() => null));
  await eventually(async () => expect(await blobFiles(place.dataDir)).toEqual(files));
  expect(await mediaEvents()).toEqual(events);
});
