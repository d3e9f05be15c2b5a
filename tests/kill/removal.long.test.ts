import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { RemovalView, StaffRemovalView } from '@alpenglow/domain';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient, PASSWORD, type ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import {
  kill9,
  launchProduct,
  postgresPid,
  temporaryDataDir,
  type LaunchedProduct,
} from '../support/launched-product.ts';
import { photoOf } from '../support/picture-corpus.ts';
import { randomNumbers } from '../support/random.ts';
import { upload } from '../support/uploads.ts';
import { Volume } from '../support/volume.ts';

/**
 * Removal requests from the form to the end, while the clock moves and everything is killed after each step, and at
 * random moments in between. The deadline does not move, each warning is recorded, and the decisions are carried out
 * (R-18.11, R-18.14, R-18.17).
 */

const HOUR_ms = 60 * 60_000;
const ADMIN = 'admin@example.com';
const CLOCK = pathToFileURL(path.resolve(import.meta.dirname, '../support/clock.mjs')).href;
/** The number of steps after which everything is killed, and the most kills at random moments before each of them. */
const STEPS = 7;
const RANDOM_KILLS_OF_STEP_MAX = 7;
/** The product starts within this time, so a kill can hit its start, its jobs and its requests. */
const RANDOM_KILL_ms = 5_000;
/** The time for which a product that has started runs before it is killed. */
const RUNNING_ms = 2_000;

let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;
let product: LaunchedProduct;
let url: string;
let api: ApiClient;
const random = randomNumbers(42);
const kills = new Volume({
  name: 'kills of removal requests',
  short: STEPS,
  minimum: 2 * STEPS,
  maximum: STEPS * (1 + RANDOM_KILLS_OF_STEP_MAX),
  time_s: 150,
});

beforeAll(async () => {
  dataDir = await temporaryDataDir();
  await launch(0);
});
afterAll(async () => {
  await kill();
  await dataDir.remove();
});

/** Starts the product with a clock that is ahead by a number of hours. */
function start(ahead_h: number): LaunchedProduct {
  return launchProduct({
    dataDir: dataDir.path,
    env: {
      ADMIN_EMAIL: ADMIN,
      EXPOSE_VERIFICATION_CODES: 'on',
      NODE_OPTIONS: `--import=${CLOCK}`,
      CLOCK_SHIFT_MS: String(ahead_h * HOUR_ms),
    },
  });
}

/** Starts the product and waits until it is ready. */
async function launch(ahead_h: number): Promise<void> {
  product = start(ahead_h);
  url = await product.ready();
  api = createApiClient(url);
}

/** Kills all processes at once, without a chance to finish any work. */
async function kill(): Promise<void> {
  const postgres = await postgresPid(dataDir.path);
  kill9(product.process.pid);
  kill9(postgres);
  await product.ended();
}

/** Kills everything after a step. The volume counts these kills, too. */
async function killAfterStep(): Promise<void> {
  kills.takeNext();
  await kill();
}

/** Starts the product some times, and kills it at random moments, also before it is ready. */
async function killAtRandomMoments(ahead_h: number): Promise<void> {
  for (let count = 0; count < RANDOM_KILLS_OF_STEP_MAX && kills.takeNext(); count += 1) {
    product = start(ahead_h);
    const isReady = product.ready().then(
      () => true,
      () => false,
    );
    if (await Promise.race([isReady, pause(random() * RANDOM_KILL_ms, false)])) {
      await pause(random() * RUNNING_ms);
      await kill();
      continue;
    }
    // Postgres may not have started yet, so the file with its id may be from an earlier start.
    kill9(product.process.pid);
    await product.ended();
  }
}

async function logIn(): Promise<string> {
  const { status, body } = await api.call('POST', '/api/auth/login', { body: { email: ADMIN, password: PASSWORD } });
  expect(status, JSON.stringify(body)).toBe(200);
  return String(body['token']);
}

async function ask(links: readonly string[]) {
  const { status, body } = await api.call('POST', '/api/removal-requests', {
    body: {
      name: 'Anna Example',
      email: 'anna@example.com',
      relation: 'self',
      links,
      statement: true,
      signature: 'Anna Example',
    },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  const { id, statusUrl, deadline } = body['data'] as { id: string; statusUrl: string; deadline: string };
  const headers = { 'X-Removal-Token': new URL(statusUrl).hash.slice(1) };
  const read = async () =>
    (await api.call('GET', `/api/removal-requests/${id}`, { headers })).body['data'] as RemovalView;
  return { id, deadline, read };
}

/** Uploads a photo and posts an ad with it. Returns the URL of the photo. */
async function postPhoto(bytes: Buffer): Promise<string> {
  const { token } = await api.signUp('provider');
  const { body } = await upload(url, 'photos', [{ bytes }], token);
  const [photo] = body['media'] as readonly { readonly url: string }[];
  const path = photo?.url ?? '';
  await api.postAd(token, { photos: [path] });
  await eventually(async () => expect((await fetch(`${url}${path}`)).status).toBe(200));
  return path;
}
const expectGone = (photo: string) => eventually(async () => expect((await fetch(`${url}${photo}`)).status).toBe(404));

test('survives kills at every step, with the clock of the request', async () => {
  await api.signUp('client', { email: ADMIN });
  const provider = await api.signUp('provider');
  const { id: adId } = await api.postAd(provider.token);
  const picture = await photoOf(960);
  const named = await postPhoto(picture);
  const copied = await postPhoto(await sharp(picture).resize(400).jpeg({ quality: 70 }).toBuffer());
  const [aboutAd, aboutPhoto] = [await ask([`${url}/ad/${adId}`]), await ask([`${url}${named}`])];
  const { id, deadline, read } = aboutAd;
  await killAfterStep();

  for (const [ahead_h, warning_h] of [
    [25, 24],
    [41, 40],
    [45, 44],
  ] as const) {
    await killAtRandomMoments(ahead_h);
    await launch(ahead_h);
    const token = await logIn();
    await eventually(async () => {
      const found = await api.call('GET', `/api/admin/moderation/removals/${id}`, { token });
      expect(found.body['data'] as StaffRemovalView).toMatchObject({ warnedAfter_h: warning_h, deadline });
    });
    expect(await read()).toMatchObject({ status: 'open', deadline, contents: [{ isHidden: true }] });
    expect((await api.call('GET', `/api/ads/${adId}`)).status).toBe(404);
    expect(await aboutPhoto.read()).toMatchObject({ status: 'open', deadline: aboutPhoto.deadline });
    await expectGone(named);
    await killAfterStep();
  }

  const decide = async (requestId: string) =>
    api.call('POST', `/api/admin/moderation/removals/${requestId}/decide`, {
      token: await logIn(),
      body: { outcome: 'valid', facts: 'The person did not consent.' },
    });
  await killAtRandomMoments(46);
  await launch(46);
  const decided = await decide(id);
  expect(decided.status).toBe(200);
  await killAfterStep();

  // The next decision is interrupted while it is carried out.
  await killAtRandomMoments(46);
  await launch(46);
  const interrupted = decide(aboutPhoto.id).catch(() => null);
  await pause(random() * 1_000);
  await killAfterStep();
  await interrupted;
  await killAtRandomMoments(46);
  await launch(46);
  if ((await aboutPhoto.read()).status === 'open') expect((await decide(aboutPhoto.id)).status).toBe(200);
  await killAfterStep();

  await killAtRandomMoments(47);
  await launch(47);
  await eventually(async () => expect(await read()).toMatchObject({ status: 'completed', completed: { removed: 1 } }));
  expect((await api.call('GET', `/api/ads/${adId}`)).status).toBe(404);
  await eventually(async () =>
    expect(await aboutPhoto.read()).toMatchObject({ status: 'completed', completed: { removed: 2, copies: 1 } }),
  );
  await expectGone(named);
  await expectGone(copied);
});
