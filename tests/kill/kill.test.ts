import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PHOTO_VARIANTS } from '@alpenglow/domain';
import { findRunningPostgres } from '@alpenglow/infra/embedded-postgres';
import { apiClient } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { listedAds } from '../support/listed-ads.ts';
import {
  kill9,
  launchProduct,
  postgresPid,
  temporaryDataDir,
  type LaunchedProduct,
} from '../support/launched-product.ts';
import { randomNumbers } from '../support/random.ts';
import { isFullRun } from '../support/sample.ts';
import { Actor, type Target } from '../support/actor.ts';
import { readEventLog, streamsWithGaps, typesByStream } from '../support/event-log.ts';
import { untilRead } from '../support/threads.ts';

const ROUNDS = isFullRun ? 24 : 2;
const WRITERS = 6;
/** A writer goes on as another actor this often, who is one of earlier rounds or a new one: sign-ups are under way all the time. */
const CHANGE_ACTOR_CHANCE = 0.1;
const KNOWN_ACTOR_CHANCE = 0.5;
const KILL_AFTER_MS = { least: 20, most: 1_200 };

type Victim = 'node' | 'node and Postgres' | 'Postgres, then node' | 'node while it starts';

/** Every kind of death in turn. */
const VICTIMS: readonly Victim[] = [
  'node',
  'node and Postgres',
  'node',
  'Postgres, then node',
  'node',
  'node while it starts',
];

test(`${ROUNDS} times killed -9 during writes: what was acknowledged is there once, what was not is there whole or not at all`, async () => {
  // `KILL_SEED=… npm test -- tests/kill` repeats a run's decisions.
  const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
  const random = randomNumbers(seed);
  const dataDir = await temporaryDataDir();
  const actors: Actor[] = [];
  let doubts = 0;
  let current = launchProduct({ dataDir: dataDir.path });

  const acknowledged = () => actors.reduce((sum, { count }) => sum + count, 0);

  async function kill(victim: Victim): Promise<void> {
    const postgres = await postgresPid(dataDir.path);
    if (victim === 'Postgres, then node') {
      kill9(postgres);
      await pause(random() * 100);
    }
    kill9(current.process.pid);
    if (victim === 'node and Postgres') kill9(postgres);
    await current.ended();
  }

  /** Writes until the product is gone, as one actor after the other; nobody is two writers' at once. */
  async function write(target: Target, idle: Actor[]): Promise<void> {
    const pick = (): Actor => {
      const known = random() < KNOWN_ACTOR_CHANCE ? idle.pop() : undefined;
      if (known !== undefined) return known;
      const actor = new Actor();
      actors.push(actor);
      return actor;
    };
    let actor = pick();
    while (await actor.act(target, random)) if (random() < CHANGE_ACTOR_CHANCE) actor = pick();
  }

  async function check(target: Target, round: string): Promise<void> {
    const { api } = target;
    const databaseUrl = await findRunningPostgres(dataDir.path);
    if (databaseUrl === null) throw new Error('The product runs without a Postgres of its own');
    const before = typesByStream(await readEventLog(databaseUrl));
    const headers: Record<string, string> = {};
    for (const actor of actors) {
      if (actor.isInDoubt) doubts += 1;
      const position = await actor.settle(target, (stream) => before.get(stream) ?? []);
      if (position !== null) headers['x-wait-position'] = position;
    }
    // A read itself waits two seconds at most.
    await untilRead(target.url, headers['x-wait-position'] ?? '');

    const log = await readEventLog(databaseUrl);
    expect(streamsWithGaps(log), `${round}: revisions without gaps`).toEqual([]);
    const histories = typesByStream(log);
    const known = actors.filter(({ accountId }) => accountId !== null);
    const theirs = (stream: 'account' | 'listing') =>
      known.map(({ accountId, acknowledged }): [string, readonly string[]] => [
        `${stream}-${accountId ?? ''}`,
        acknowledged[stream],
      ]);
    const expected = [...theirs('account'), ...theirs('listing')].filter(([, types]) => types.length > 0);
    const found = [...histories].filter(
      ([stream]) => /^(account|listing)-/u.test(stream) && !stream.endsWith('-house'),
    );
    expect(Object.fromEntries(found), `${round}: event store`).toEqual(Object.fromEntries(expected));

    const active = new Map(known.flatMap(({ ad }) => (ad === null ? [] : [[ad.id, ad.title]])));
    expect(await listedAds(api, headers), `${round}: listings`).toEqual(active);
    for (const actor of known)
      expect(await actor.ownAds(api, headers), `${round}: own ads`).toEqual(actor.ad === null ? [] : [actor.ad]);
  }

  /** Every photo that was answered is shown; one that was not is shown whole, or taken back and gone. */
  async function checkPhotos({ url }: Target): Promise<void> {
    const databaseUrl = await findRunningPostgres(dataDir.path);
    const photos = async () =>
      [...typesByStream(await readEventLog(databaseUrl ?? ''))].filter(([stream]) => /^media-(?!demo-)/u.test(stream));
    await expect.poll(async () => (await photos()).filter(([, types]) => types.length < 2)).toEqual([]);
    const made = new Set<string>();
    for (const [stream, types] of await photos()) {
      const id = stream.slice('media-'.length);
      const isMade = types.join() === 'MediaUploaded,PhotoVariantsMade';
      if (isMade) made.add(id);
      for (const variant of PHOTO_VARIANTS) {
        const { status } = await fetch(`${url}/uploads/photos/${id}/${variant}`);
        expect(status, `${id}/${variant} of ${types.join()}`).toBe(isMade ? 200 : 404);
      }
    }
    expect([...made]).toEqual(expect.arrayContaining(actors.flatMap((actor) => actor.photos)));
  }

  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const victim = VICTIMS[round % VICTIMS.length] ?? 'node';
      const name = `seed ${seed}, round ${round}, killing ${victim}`;
      if (victim === 'node while it starts') {
        await pause(random() * 1_500);
        await kill(victim);
      } else {
        const target = await targetOf(current);
        await check(target, name);
        const idle = actors.filter(({ canGoOn }) => canGoOn);
        const writers = Array.from({ length: WRITERS }, () => write(target, idle));
        await pause(KILL_AFTER_MS.least + random() * (KILL_AFTER_MS.most - KILL_AFTER_MS.least));
        // Otherwise a slow machine would have nothing to lose.
        await Promise.race([
          Promise.all(writers),
          eventually(() => expect(acknowledged()).toBeGreaterThan((round + 2) * WRITERS), { interval_ms: 5 }),
        ]);
        await kill(victim);
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
  // Otherwise nothing was tried.
  expect(acknowledged()).toBeGreaterThan(ROUNDS * WRITERS);
  expect(doubts).toBeGreaterThan(ROUNDS);
});

async function targetOf(product: LaunchedProduct): Promise<Target> {
  const url = await product.ready();
  return { url, api: apiClient(url) };
}
