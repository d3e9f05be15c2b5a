import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PHOTO_VARIANT_NAMES } from '@alpenglow/domain';
import { findRunningPostgres } from '@alpenglow/launcher/postgres';
import { apiClient } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { listAds } from '../support/list-ads.ts';
import {
  kill9,
  launchProduct,
  postgresPid,
  temporaryDataDir,
  type LaunchedProduct,
} from '../support/launched-product.ts';
import { randomNumbers } from '../support/random.ts';
import { Actor, type RunningProduct } from '../support/actor.ts';
import { readEventLog, streamsWithGaps, typesByStream } from '../support/event-log.ts';
import { waitForReadModels } from '../support/threads.ts';
import { Volume } from '../support/volume.ts';
import { createStaffUrls } from '../support/uploads.ts';

const WRITERS = 6;
/**
 * Probability that a writer continues with another actor after a write. Some of these actors are new and sign up first,
 * so sign-ups take place during the whole test.
 */
const CHANGE_ACTOR_CHANCE = 0.1;
const KNOWN_ACTOR_CHANCE = 0.5;
const KILL_AFTER_MS = { least: 20, most: 1_200 };

type KillTarget = 'node' | 'node and Postgres' | 'Postgres, then node' | 'node while it starts';

/** Processes that are killed, in the order of the rounds. */
const KILL_TARGETS: readonly KillTarget[] = [
  'node',
  'node and Postgres',
  'node',
  'Postgres, then node',
  'node',
  'node while it starts',
];

test('stores acknowledged writes once and other writes completely or not at all after SIGKILLs', async () => {
  const kills = new Volume({ name: 'kills', short: 2, minimum: 6, maximum: 24, time_s: 120 });
  // `KILL_SEED=… npm test -- tests/kill` repeats a run with the same random decisions.
  const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
  const random = randomNumbers(seed);
  const dataDir = await temporaryDataDir();
  const actors: Actor[] = [];
  let unsettledWrites = 0;
  let current = launchProduct({ dataDir: dataDir.path });

  const acknowledged = () => actors.reduce((sum, { acknowledgedCount }) => sum + acknowledgedCount, 0);

  async function kill(killTarget: KillTarget): Promise<void> {
    const postgres = await postgresPid(dataDir.path);
    if (killTarget === 'Postgres, then node') {
      kill9(postgres);
      await pause(random() * 100);
    }
    kill9(current.process.pid);
    if (killTarget === 'node and Postgres') kill9(postgres);
    await current.ended();
  }

  /**
   * Performs the writes of one actor at a time, until the product stops responding. Two writers never use the same
   * actor.
   */
  async function write(target: RunningProduct, idle: Actor[]): Promise<void> {
    const pick = (): Actor => {
      const known = random() < KNOWN_ACTOR_CHANCE ? idle.pop() : undefined;
      if (known !== undefined) return known;
      const actor = new Actor();
      actors.push(actor);
      return actor;
    };
    let actor = pick();
    while (await actor.performNextStep(target, random)) if (random() < CHANGE_ACTOR_CHANCE) actor = pick();
  }

  async function check(target: RunningProduct, round: string): Promise<void> {
    const { api } = target;
    const databaseUrl = await findRunningPostgres(dataDir.path);
    if (databaseUrl === null) throw new Error('The product runs without its own Postgres');
    const before = typesByStream(await readEventLog(databaseUrl));
    const headers: Record<string, string> = {};
    for (const actor of actors) {
      if (actor.isUnsettled) unsettledWrites += 1;
      const position = await actor.settle(target, (stream) => before.get(stream) ?? []);
      if (position !== null) headers['x-wait-position'] = position;
    }
    // A read that names a position waits only for a limited time. The test therefore waits for the position here.
    await waitForReadModels(target.url);

    const log = await readEventLog(databaseUrl);
    expect(streamsWithGaps(log), `${round}: revisions without gaps`).toEqual([]);
    const histories = typesByStream(log);
    const known = actors.filter(({ accountId }) => accountId !== null);
    const acknowledgedStreams = (stream: 'account' | 'listing') =>
      known.map(({ accountId, acknowledged }): [string, readonly string[]] => [
        `${stream}-${accountId ?? ''}`,
        acknowledged[stream],
      ]);
    const expected = [...acknowledgedStreams('account'), ...acknowledgedStreams('listing')].filter(
      ([, types]) => types.length > 0,
    );
    const storedStreams = [...histories].filter(
      ([stream]) => /^(account|listing)-/u.test(stream) && !stream.endsWith('-house'),
    );
    expect(Object.fromEntries(storedStreams), `${round}: event store`).toEqual(Object.fromEntries(expected));

    const active = new Map(known.flatMap(({ ad }) => (ad === null ? [] : [[ad.id, ad.title]])));
    expect(await listAds(api, headers), `${round}: listings`).toEqual(active);
    for (const actor of known)
      expect(await actor.ownAds(api, headers), `${round}: own ads`).toEqual(actor.ad === null ? [] : [actor.ad]);
  }

  /**
   * Expects that every acknowledged photo is served. Photos that were not acknowledged are either complete or removed.
   */
  async function checkPhotos({ url }: RunningProduct): Promise<void> {
    const databaseUrl = await findRunningPostgres(dataDir.path);
    const photos = async () =>
      [...typesByStream(await readEventLog(databaseUrl ?? ''))].filter(([stream]) => /^media-(?!demo-)/u.test(stream));
    await expect.poll(async () => (await photos()).filter(([, types]) => types.length < 2)).toEqual([]);
    const staffUrl = await createStaffUrls(dataDir.path);
    const readyPhotos = new Set<string>();
    for (const [stream, types] of await photos()) {
      const id = stream.slice('media-'.length);
      const isReady = types.join() === 'MediaUploaded,PhotoVariantsMade';
      if (isReady) readyPhotos.add(id);
      for (const variant of PHOTO_VARIANT_NAMES) {
        const { status } = await fetch(staffUrl(id, `${url}/uploads/photos/${id}/${variant}`));
        expect(status, `${id}/${variant} of ${types.join()}`).toBe(isReady ? 200 : 404);
      }
    }
    expect([...readyPhotos]).toEqual(expect.arrayContaining(actors.flatMap((actor) => actor.photos)));
  }

  try {
    for (let round = 0; kills.takeNext(); round += 1) {
      const killTarget = KILL_TARGETS[round % KILL_TARGETS.length] ?? 'node';
      const name = `seed ${seed}, round ${round}, killing ${killTarget}`;
      if (killTarget === 'node while it starts') {
        await pause(random() * 1_500);
        await kill(killTarget);
      } else {
        const target = await targetOf(current);
        await check(target, name);
        const idle = actors.filter(({ canContinue }) => canContinue);
        const writers = Array.from({ length: WRITERS }, () => write(target, idle));
        await pause(KILL_AFTER_MS.least + random() * (KILL_AFTER_MS.most - KILL_AFTER_MS.least));
        // Waits for enough acknowledged writes, so that the product is not killed too early on a slow machine.
        await Promise.race([
          Promise.all(writers),
          eventually(() => expect(acknowledged()).toBeGreaterThan((round + 2) * WRITERS), { interval_ms: 5 }),
        ]);
        await kill(killTarget);
        await Promise.all(writers);
      }
      current = launchProduct({ dataDir: dataDir.path });
    }
    const target = await targetOf(current);
    await check(target, `seed ${seed}, at the end`);
    await checkPhotos(target);
    current.process.kill('SIGTERM');
    expect(await current.ended()).toEqual({ code: 0, signal: null });
  } finally {
    await kill('node and Postgres');
    await dataDir.remove();
  }
  // Fails if the run made too few writes to test anything.
  expect(acknowledged()).toBeGreaterThan(kills.count * WRITERS);
  expect(unsettledWrites).toBeGreaterThan(kills.count);
});

async function targetOf(product: LaunchedProduct): Promise<RunningProduct> {
  const url = await product.ready();
  return { url, api: apiClient(url) };
}
