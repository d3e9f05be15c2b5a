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
import { freshPlace, type Place } from '../support/product.ts';
import { blobFiles, houseIsReady, mediaEventTypes, settledBlobFiles, type Kind } from '../support/uploads.ts';
import { mp4 } from '../support/videos.ts';

/** Large uploads stream: what is in memory does not grow with them. */

const UPLOADS = 20;
const BROKEN_OFF = 6;
const MAX_GROWTH_bytes = 150 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024);
const BOUNDARY = 'b';
/** As `npm start` sets it. */
const AS_STARTED = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };

let place: Place & { remove(): Promise<void> };
let bundle: Awaited<ReturnType<typeof bundleForNode>>;
let product: TestProcess;
let url: string;
/** Resident bytes of the product, the latest and the most since it was last asked. */
const resident = { now: 0, most: 0 };

beforeAll(async () => {
  place = await freshPlace();
  bundle = await bundleForNode('./product-process.ts');
  const plan: ProductPlan = {
    databaseUrl: place.databaseUrl,
    dataDir: place.dataDir,
    rootDir: path.resolve(import.meta.dirname, '../..'),
    sampleEvery_ms: 50,
  };
  product = runBundle(bundle.path, plan, AS_STARTED);
  url = await new Promise<string>((resolve, reject) => {
    void read(resolve)
      .then(() => product.finished())
      .then(() => reject(new Error('The product ended')), reject);
  });
  await houseIsReady(url);
});
afterAll(async () => {
  product.kill();
  await product.finished();
  await bundle.remove();
  await place.remove();
});

async function read(isReady: (url: string) => void): Promise<void> {
  for await (const line of product.lines) {
    const [what, value] = line.split(' ');
    if (what === 'port') isReady(`http://127.0.0.1:${value ?? ''}`);
    resident.now = what === 'resident' ? Number(value) : resident.now;
    resident.most = Math.max(resident.most, resident.now);
  }
}

interface Large {
  readonly kind: Kind;
  /** The first bytes; zeros follow up to 100 MB. */
  readonly head: Buffer;
}

/** A picture with zeros behind it, and a video whose last box is all zeros: both are fine, and as large as may be. */
async function largest(): Promise<{ readonly photo: Large; readonly video: Large }> {
  const video = await mp4();
  const free = Buffer.alloc(8);
  free.writeUInt32BE(MAX_FILE_bytes - video.length);
  free.write('free', 4, 'latin1');
  return {
    photo: { kind: 'photos', head: await pictures.jpeg() },
    video: { kind: 'video', head: Buffer.concat([video, free]) },
  };
}

/** Uploads 100 MB without ever having them in memory; answers the status, or null when it broke off at `until_bytes`. */
async function stream({ kind, head }: Large, token: string, until_bytes = MAX_FILE_bytes): Promise<number | null> {
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
  const answered = new Promise<number | null>((resolve) => {
    req.once('response', (res) => {
      res.resume();
      resolve(res.statusCode ?? 0);
    });
    req.once('error', () => resolve(null));
  });
  const write = async (bytes: Buffer) => {
    if (!req.write(bytes)) await Promise.race([new Promise((resolve) => req.once('drain', resolve)), answered]);
  };
  await write(before);
  await write(head);
  for (let sent = head.length; sent < until_bytes && !req.destroyed; sent += CHUNK.length)
    await write(CHUNK.subarray(0, Math.min(CHUNK.length, until_bytes - sent)));
  if (until_bytes < MAX_FILE_bytes) req.destroy();
  else req.end(after);
  return answered;
}

/** As `stream`, again and again while the product is busy: it takes 16 uploads at a time, and lets others wait for 30 s. */
async function streamInTurn(large: Large, token: string): Promise<number | null> {
  for (;;) {
    const status = await stream(large, token);
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

test(`${UPLOADS} parallel uploads of 100 MB hold resident memory under +150 MB, and are all taken`, async () => {
  const api = apiClient(url);
  const { photo, video } = await largest();
  const people = await Promise.all(Array.from({ length: UPLOADS }, () => api.signUp('provider')));
  await pause(1_000);
  const before = resident.now;
  resident.most = 0;
  const statuses = await Promise.all(
    people.map(({ token }, index) => streamInTurn(index % 2 === 0 ? photo : video, token)),
  );
  expect(
    statuses.every((status) => status === 201 || status === 202),
    statuses.join(' '),
  ).toBe(true);
  // The worker looks at one photo and one video at a time; until it has judged them all, it counts too.
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
  expect(resident.most - before).toBeLessThan(MAX_GROWTH_bytes);
});

test('large uploads that break off leave no bytes and no event', async () => {
  const api = apiClient(url);
  const { photo, video } = await largest();
  const [files, events] = [await settledBlobFiles(place.dataDir), await mediaEvents()];
  const people = await Promise.all(Array.from({ length: BROKEN_OFF }, () => api.signUp('provider')));
  const broken = people.map(({ token }, index) =>
    stream(index % 2 === 0 ? photo : video, token, (index + 1) * 10_000_000),
  );
  expect(await Promise.all(broken)).toEqual(people.map(() => null));
  await eventually(async () => expect(await blobFiles(place.dataDir)).toEqual(files));
  expect(await mediaEvents()).toEqual(events);
});
