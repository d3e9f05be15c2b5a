import { setTimeout as pause } from 'node:timers/promises';
import { PHOTO_VARIANTS } from '@alpenglow/domain';
import { isPassing } from '@alpenglow/infra';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { Actor, NoAnswer, type Target } from '../support/actor.ts';
import { apiClient } from '../support/api.ts';
import { startTestCluster } from '../support/cluster.ts';
import { count, endingsOf, mailJobs, readMails, summaryOf, type Counts } from '../support/cluster-records.ts';
import { readEventLog, streamsWithGaps, typesByStream } from '../support/event-log.ts';
import { kill9 } from '../support/launched-product.ts';
import { listedAds } from '../support/listed-ads.ts';
import { witnessLive } from '../support/live-witness.ts';
import { isNetworkFailure } from '../support/network-failure.ts';
import { randomNumbers } from '../support/random.ts';

const WRITERS = 6;
const READERS = 2;
const CLIENTS = 6;
/** After a fault, the next comes this much later. */
const BETWEEN_ms = { least: 2_000, most: 6_000 };
const ENGINE_DOWN_ms = { least: 500, most: 4_000 };
/** A write without an answer may still take effect within this time: an append waits 10 s for its turn. */
const DOUBT_ms = 15_000;
/** Whoever is told that something is unavailable waits a little. */
const REFUSED_PAUSE_ms = 500;
const CHANGE_ACTOR_CHANCE = 0.1;
/** Whoever writes next is now and then somebody who signs up and leaves it at that: their mail must come. */
const UNVERIFIED_CHANCE = 0.1;
/** Many times what the product allows itself. */
const READ_LIMIT_ms = 30_000;
/** So long a run goes at least once through everything that can die. */
const WHOLE_ROUND_ms = 240_000;

const listed = (counts: ReadonlyMap<string, number>) =>
  [...counts]
    .sort()
    .map(([name, times]) => `${name} ${times}`)
    .join(', ');
const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, times) => all + times, 0);

/** In an order of chance. */
function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

test('the cluster loses nothing and doubles nothing while its processes and engines die', async () => {
  const duration_ms = Number(process.env['FAULT_SECONDS'] ?? 300) * 1_000;
  // `FAULT_SEED=… npm run test:engines` repeats a run's decisions.
  const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);
  const random = randomNumbers(seed);
  const between = ({ least, most }: { least: number; most: number }) => least + random() * (most - least);
  const cluster = await startTestCluster();
  const load: Promise<void>[] = [];
  let isOver = false;
  try {
    await cluster.ready();
    const { url, databaseUrl } = cluster;
    const target: Target = { url, api: apiClient(url) };
    const history = async () => {
      const log = typesByStream(await readEventLog(databaseUrl));
      return (stream: string) => log.get(stream) ?? [];
    };
    const { position: start } = await target.api.postAd((await target.api.signUp('provider')).token);
    const witnesses = await Promise.all(Array.from({ length: CLIENTS }, () => witnessLive(url, start)));
    const actors: Actor[] = [];
    const idle: Actor[] = [];
    const killed: Counts = new Map();
    const stopped: Counts = new Map();
    const faults: unknown[] = [];
    const reads = { answered: 0, unavailable: 0, broken: 0 };
    let doubts = 0;

    /** Writes as one actor after the other; nobody is two writers' at once. An actor whose write is in doubt rests until that can be told. */
    async function write(): Promise<void> {
      const pick = (): Actor => {
        // The first never does, so that there is one in every run.
        const verifies = random() >= UNVERIFIED_CHANCE && actors.length > 0;
        const known = verifies ? idle.shift() : undefined;
        if (known) return known;
        const actor = new Actor({ verifies });
        actors.push(actor);
        return actor;
      };
      let actor = pick();
      while (!isOver) {
        if (await actor.act(target, random)) {
          await pause(30);
          if (actor.canGoOn && random() >= CHANGE_ACTOR_CHANCE) continue;
          if (actor.canGoOn) idle.push(actor);
        } else {
          doubts += 1;
          void rest(actor);
          await pause(REFUSED_PAUSE_ms);
        }
        actor = pick();
      }
    }
    const resting = new Set<Promise<void>>();
    function rest(actor: Actor): Promise<void> {
      const waiting = (async () => {
        await pause(DOUBT_ms);
        for (;;) {
          try {
            await actor.settle(target, await history());
            break;
          } catch (error) {
            if (!(error instanceof NoAnswer) && !isPassing(error)) throw error;
          }
          await pause(500);
        }
        if (actor.canGoOn) idle.push(actor);
      })();
      resting.add(waiting);
      return waiting.catch((error: unknown) => void faults.push(error)).finally(() => resting.delete(waiting));
    }
    /** Every answer is a whole list, or says in words that it cannot be had. Only the gateway's own death breaks one off. */
    async function read(): Promise<void> {
      while (!isOver) {
        try {
          const answer = await fetch(`${url}/api/ads?limit=50`, { signal: AbortSignal.timeout(READ_LIMIT_ms) });
          const text = await answer.text();
          const body = JSON.parse(text) as { success?: boolean; code?: string; data?: unknown };
          if (answer.status === 200 && body.success === true && Array.isArray(body.data)) reads.answered += 1;
          else if (answer.status === 503 && body.code === 'UNAVAILABLE') reads.unavailable += 1;
          else throw new Error(`A list answered ${answer.status} ${text.slice(0, 200)}`);
        } catch (error) {
          if (!isNetworkFailure(error)) throw error;
          reads.broken += 1;
        }
        await pause(50);
      }
    }
    const services = [...new Set(cluster.members.map(({ service }) => service))];
    const engines = [...cluster.engines.running];
    async function killOneOf(service: string): Promise<void> {
      while (!isOver) {
        const running = cluster.members.filter((member) => member.service === service && member.pid() !== undefined);
        const member = running[Math.floor(random() * running.length)];
        if (member) {
          kill9(member.pid());
          count(killed, member.name);
          return;
        }
        await pause(100);
      }
    }
    /** Round after round of all there is, so that nothing is left out; an engine is killed the one time and stopped the next. */
    async function breakThings(): Promise<void> {
      const kills = new Map(engines.map(([name]) => [name, random() < 0.5]));
      const faultsOfARound = [
        ...services.map((service) => () => killOneOf(service)),
        ...engines.map(([name, engine]) => async () => {
          const isKill = kills.get(name) === true;
          kills.set(name, !isKill);
          await engine.stop(isKill ? 'SIGKILL' : 'SIGTERM');
          count(stopped, name);
          await pause(between(ENGINE_DOWN_ms));
          await engine.start();
        }),
      ];
      while (!isOver) {
        for (const fault of shuffled(faultsOfARound, random)) {
          await pause(between(BETWEEN_ms));
          if (isOver) return;
          await fault();
        }
      }
    }

    load.push(...Array.from({ length: WRITERS }, write), ...Array.from({ length: READERS }, read), breakThings());
    await Promise.race([pause(duration_ms), Promise.all(load)]);
    isOver = true;
    await Promise.all(load);
    await cluster.ready();
    await expect.poll(() => resting.size, { interval: 500 }).toBe(0);

    const story = `seed ${seed}; killed: ${listed(killed)}; stopped: ${listed(stopped)}`;
    expect(faults, `${story}: writes in doubt`).toEqual([]);
    const log = await readEventLog(databaseUrl);
    expect(streamsWithGaps(log), `${story}: revisions without gaps`).toEqual([]);
    const histories = typesByStream(log);
    const known = actors.filter(({ accountId }) => accountId !== null);
    for (const stream of ['account', 'listing'] as const) {
      for (const { accountId, acknowledged } of known) {
        expect(
          histories.get(`${stream}-${accountId ?? ''}`) ?? [],
          `${story}: ${stream} of ${accountId ?? ''}`,
        ).toEqual(acknowledged[stream]);
      }
    }

    const headers = { 'x-wait-position': String(log.at(-1)?.position ?? '').padStart(19, '0') };
    const active = new Map(known.flatMap(({ ad }) => (ad === null ? [] : [[ad.id, ad.title]])));
    const theirs = async () =>
      new Map([...(await listedAds(target.api, headers))].filter(([, title]) => title.startsWith('Ad ')));
    await expect.poll(theirs, { message: `${story}: listings`, interval: 1_000 }).toEqual(active);
    for (const actor of known)
      expect(await actor.ownAds(target.api, headers), `${story}: own ads`).toEqual(actor.ad === null ? [] : [actor.ad]);

    const told = log
      .filter(({ type, position }) => /^Ad(Posted|Updated|Bumped|Deleted)$/u.test(type) && position > BigInt(start))
      .map(({ position }) => position);
    for (const witness of witnesses) {
      await expect
        .poll(() => witness.messages.length, { message: `${story}: live messages` })
        .toBeGreaterThanOrEqual(told.length);
      expect(witness.refusals, `${story}: live clients are never sent away`).toEqual([]);
      expect(
        witness.messages.map(({ seq }) => BigInt(seq)),
        `${story}: live messages in order, each once`,
      ).toEqual(told);
      witness.stop();
    }

    const photos = async () =>
      [...typesByStream(await readEventLog(databaseUrl))].filter(([stream]) => /^media-(?!demo-)/u.test(stream));
    await expect
      .poll(async () => (await photos()).filter(([, types]) => types.length < 2), {
        message: `${story}: photos judged`,
        interval: 1_000,
      })
      .toEqual([]);
    const made = new Set<string>();
    for (const [stream, types] of await photos()) {
      const id = stream.slice('media-'.length);
      expect(types.length, `${story}: ${types.join()} happened once each`).toBe(new Set(types).size);
      if (types.join() !== 'MediaUploaded,PhotoVariantsMade') continue;
      made.add(id);
      for (const variant of PHOTO_VARIANTS)
        expect((await fetch(`${url}/uploads/photos/${id}/${variant}`)).status, `${story}: ${id}/${variant}`).toBe(200);
    }
    const answered = actors.flatMap((actor) => actor.photos);
    expect([...made], `${story}: photos answered for`).toEqual(expect.arrayContaining(answered));

    await expect
      .poll(() => mailJobs(cluster), { message: `${story}: jobs that mail codes`, interval: 500 })
      .toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
    const { issued, mails } = await readMails(databaseUrl);
    const mailsTo = (accountId: string | null) => mails.filter(({ id }) => issued.get(id) === accountId);
    expect(
      mails.filter(({ id }) => !issued.has(id)),
      `${story}: mails of codes nobody issued`,
    ).toEqual([]);
    const unverified = known.filter(({ isVerified }) => !isVerified);
    for (const { accountId, email, code } of unverified) {
      const theirMails = mailsTo(accountId);
      expect(
        theirMails.map(({ to }) => to),
        `${story}: mails of ${accountId ?? ''}, who was never verified`,
      ).toEqual([email]);
      expect(theirMails[0]?.text).toContain(code ?? '');
    }
    for (const { accountId, email } of known)
      for (const { to } of mailsTo(accountId)) expect(to, `${story}: whom a code was mailed`).toBe(email);

    const database = new Client({ connectionString: databaseUrl });
    await database.connect();
    const { rows: parked } = await database.query('select * from rm.parked_events');
    await database.end();
    expect(parked, `${story}: parked events`).toEqual([]);

    const endings = endingsOf(cluster.said);
    const { fatal, errors, mailJobsDone } = await summaryOf(cluster.logFile);
    // What is logged tells why a process ended.
    expect(fatal, `${story}: what nobody foresaw`).toEqual([]);
    expect(endings.others, `${story}: processes that ended by themselves`).toEqual([]);
    expect(Object.fromEntries(endings.killed), `${story}: processes that were killed`).toEqual(
      Object.fromEntries(killed),
    );
    expect(errors.get('job failed for good'), `${story}: jobs that failed for good`).toBeUndefined();
    expect(
      [...mailJobsDone].filter(([, times]) => times > 1),
      `${story}: mail jobs that took effect twice`,
    ).toEqual([]);

    const acknowledged = actors.reduce((all, { count: writes }) => all + writes, 0);
    process.stdout.write(
      [
        `fault run of ${duration_ms / 1000} s, seed ${seed}`,
        `  killed -9: ${listed(killed)}`,
        `  engines stopped or killed: ${listed(stopped)}`,
        `  writes acknowledged ${acknowledged}, in doubt ${doubts}, events ${log.length}, lost 0, doubled 0`,
        `  reads answered ${reads.answered}, refused with 503 ${reads.unavailable}, broken off ${reads.broken}`,
        `  live: ${told.length} messages to each of ${CLIENTS} clients over ${witnesses.reduce((all, { connections }) => all + connections, 0)} connections, in order, none missed or repeated`,
        `  photos made ${made.size} (${answered.length} answered for)`,
        `  mails ${mails.length} for ${issued.size} codes; accounts never verified ${unverified.length}, each with its one mail; mail jobs logged as done ${mailJobsDone.size}, none twice, none failed or left`,
        `  processes ended ${sum(endings.killed)}, each by a kill of ours; logged as errors: ${listed(errors) || 'nothing'}`,
        '',
      ].join('\n'),
    );
    // Otherwise nothing was tried.
    expect(acknowledged).toBeGreaterThan(duration_ms / 1_000);
    for (const [name, number] of Object.entries({
      'reads answered': reads.answered,
      'photos made': made.size,
      'photos answered for': answered.length,
      'accounts never verified': unverified.length,
      'mail jobs': mailJobsDone.size,
    })) {
      expect(number, `${story}: ${name}`).toBeGreaterThan(0);
    }
    expect(sum(killed) + sum(stopped)).toBeGreaterThan(duration_ms / 20_000);
    if (duration_ms >= WHOLE_ROUND_ms) {
      expect([...stopped.keys()].toSorted(), `${story}: engines`).toEqual(
        engines.map(([name]) => name as string).toSorted(),
      );
      const killedServices = new Set(
        cluster.members.filter(({ name }) => killed.has(name)).map(({ service }) => service),
      );
      expect([...killedServices].toSorted(), `${story}: services`).toEqual(services.toSorted());
    }
  } finally {
    isOver = true;
    await Promise.allSettled(load);
    await cluster.stop();
  }
});
