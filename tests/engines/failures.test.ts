import { setTimeout as pause } from 'node:timers/promises';
import { PHOTO_VARIANT_NAMES } from '@alpenglow/domain';
import { isTransient } from '@alpenglow/infra';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import type { EventStoreNode } from '../../launcher/engines/eventstoredb.mjs';
import { waitForReadModels } from '../support/threads.ts';
import { Actor, UnavailableError, type RunningProduct } from '../support/actor.ts';
import { apiClient } from '../support/api.ts';
import { startTestCluster } from '../support/cluster.ts';
import {
  count,
  processEndsOf,
  countMailJobs,
  readMails,
  summarizeLog,
  type Counts,
} from '../support/cluster-records.ts';
import { createPositionReader, readEventLog, streamsWithGaps, typesByStream } from '../support/event-log.ts';
import { writeForeignEvents } from '../support/foreign-event-writer.ts';
import { kill9 } from '../support/launched-product.ts';
import { listAds } from '../support/list-ads.ts';
import { connectReconnectingLive } from '../support/reconnecting-live-client.ts';
import { isNetworkFailure } from '../support/network-failure.ts';
import { randomNumbers } from '../support/random.ts';
import { createStaffUrls } from '../support/uploads.ts';

const WRITERS = 6;
const READERS = 2;
const CLIENTS = 6;
/** Time between two failures that the test injects. */
const FAILURE_INTERVAL_ms = { least: 2_000, most: 6_000 };
const DOWNTIME_ms = { least: 500, most: 4_000 };
/** Number of nodes of EventStoreDB, if this machine has it. */
const EVENT_STORE_NODES = 3;
/** Time for which the leader of EventStoreDB hangs. After about two seconds, the others elect a new one. */
const LEADER_PAUSE_ms = { least: 500, most: 10_000 };
/**
 * Time within which a write without a response may still take effect. An append to the event store may wait for up to
 * 10 s.
 */
const DOUBT_ms = 15_000;
/** Pause of a writer after a response with status 503. */
const UNAVAILABLE_PAUSE_ms = 500;
const CHANGE_ACTOR_CHANCE = 0.1;
/**
 * Probability that the next writer signs up and does not verify its e-mail address. The mail to this address must
 * arrive.
 */
const UNVERIFIED_CHANCE = 0.1;
/** Time limit of a read. It is much longer than the time limit of the product. */
const READ_LIMIT_ms = 30_000;
/** A run of this duration stops or kills each process and each backing service at least once. */
const FULL_ROUND_ms = 240_000;

const formatCounts = (counts: ReadonlyMap<string, number>) =>
  [...counts]
    .sort()
    .map(([name, times]) => `${name} ${times}`)
    .join(', ');
const totalOf = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, times) => all + times, 0);

/** Returns the items in random order. */
function shuffle<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

test('the cluster neither loses nor repeats a write while processes and backing services are killed', async () => {
  const duration_ms = Number(process.env['FAULT_SECONDS'] ?? 300) * 1_000;
  // `FAULT_SEED=… npm run test:engines` repeats a run with the same random decisions.
  const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);
  const random = randomNumbers(seed);
  const randomDuration = ({ least, most }: { least: number; most: number }) => least + random() * (most - least);
  const cluster = await startTestCluster({ eventStoreNodes: EVENT_STORE_NODES });
  const load: Promise<unknown>[] = [];
  let isOver = false;
  try {
    await cluster.ready();
    const { url, databaseUrl, eventLog } = cluster;
    const { eventStoreDb } = cluster.backingServices;
    const target: RunningProduct = { url, api: apiClient(url) };
    const history = async () => {
      const log = typesByStream(await readEventLog(eventLog));
      return (stream: string) => log.get(stream) ?? [];
    };
    const { position: start } = await target.api.postAd((await target.api.signUp('provider')).token);
    const witnesses = await Promise.all(Array.from({ length: CLIENTS }, () => connectReconnectingLive(url, start)));
    const actors: Actor[] = [];
    const idle: Actor[] = [];
    const killed: Counts = new Map();
    const stopped: Counts = new Map();
    /** The failures of leaders of EventStoreDB, by kind. */
    const leaderFailures: Counts = new Map();
    let foreignEvents = 0;
    const unexpectedErrors: unknown[] = [];
    const reads = { succeeded: 0, unavailable: 0, broken: 0 };
    let doubtfulWrites = 0;

    /**
     * Performs the writes of one actor at a time. Two writers never use the same actor. If a write gets no response,
     * its actor is not used until the result of the write is known.
     */
    async function write(): Promise<void> {
      const pickActor = (): Actor => {
        // The first actor never verifies its e-mail address, so that every run has an unverified account.
        const verifies = random() >= UNVERIFIED_CHANCE && actors.length > 0;
        const registered = verifies ? idle.shift() : undefined;
        if (registered) return registered;
        const actor = new Actor({ verifies });
        actors.push(actor);
        return actor;
      };
      let actor = pickActor();
      while (!isOver) {
        if (await actor.performNextStep(target, random)) {
          await pause(30);
          if (actor.canContinue && random() >= CHANGE_ACTOR_CHANCE) continue;
          if (actor.canContinue) idle.push(actor);
        } else {
          doubtfulWrites += 1;
          void waitForResult(actor);
          await pause(UNAVAILABLE_PAUSE_ms);
        }
        actor = pickActor();
      }
    }
    const pendingResults = new Set<Promise<void>>();
    function waitForResult(actor: Actor): Promise<void> {
      const waiting = (async () => {
        await pause(DOUBT_ms);
        for (;;) {
          try {
            await actor.settle(target, await history());
            break;
          } catch (error) {
            if (!(error instanceof UnavailableError) && !isTransient(error)) throw error;
          }
          await pause(500);
        }
        if (actor.canContinue) idle.push(actor);
      })();
      pendingResults.add(waiting);
      return waiting
        .catch((error: unknown) => void unexpectedErrors.push(error))
        .finally(() => pendingResults.delete(waiting));
    }
    /**
     * Every read must return a complete list, or status 503 with a problem body. Only a killed gateway may break a
     * connection.
     */
    async function read(): Promise<void> {
      while (!isOver) {
        try {
          const response = await fetch(`${url}/api/ads?limit=50`, { signal: AbortSignal.timeout(READ_LIMIT_ms) });
          const text = await response.text();
          const body = JSON.parse(text) as { success?: boolean; code?: string; data?: unknown };
          if (response.status === 200 && body.success === true && Array.isArray(body.data)) reads.succeeded += 1;
          else if (response.status === 503 && body.code === 'UNAVAILABLE') reads.unavailable += 1;
          else throw new Error(`A list returned ${response.status} ${text.slice(0, 200)}`);
        } catch (error) {
          if (!isNetworkFailure(error)) throw error;
          reads.broken += 1;
        }
        await pause(50);
      }
    }
    const services = [...new Set(cluster.members.map(({ service }) => service))];
    const backingServices = [...cluster.backingServices.running];
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
    /** The failures of leaders of EventStoreDB. A failure of another node has no effect on the product. */
    const failuresOfLeader: Readonly<Record<string, (leader: EventStoreNode) => Promise<unknown>>> = {
      async killed(leader) {
        await leader.stop('SIGKILL');
        await pause(randomDuration(DOWNTIME_ms));
        await leader.start();
      },
      paused: (leader) => leader.pause(randomDuration(LEADER_PAUSE_ms)),
      resigned: (leader) => leader.resign(),
    };
    /**
     * Stops services and backing services in random order until the end of the run. Each backing service is alternately
     * killed and stopped. If there is an own EventStoreDB, its leader is also killed, paused, and made to resign.
     */
    async function causeFailures(): Promise<void> {
      const kills = new Map(backingServices.map(([name]) => [name, random() < 0.5]));
      const failuresPerRound = [
        ...services.map((service) => () => killOneOf(service)),
        ...backingServices.map(([name, backingService]) => async () => {
          const isKill = kills.get(name) === true;
          kills.set(name, !isKill);
          await backingService.stop(isKill ? 'SIGKILL' : 'SIGTERM');
          count(stopped, name);
          await pause(randomDuration(DOWNTIME_ms));
          await backingService.start();
        }),
        ...Object.entries(eventStoreDb ? failuresOfLeader : {}).map(([kind, causeFailure]) => async () => {
          const leader = await eventStoreDb?.findLeader();
          if (leader) await causeFailure(leader);
          count(leaderFailures, kind);
        }),
      ];
      while (!isOver) {
        for (const causeFailure of shuffle(failuresPerRound, random)) {
          await pause(randomDuration(FAILURE_INTERVAL_ms));
          if (isOver) return;
          await causeFailure();
        }
      }
    }

    async function writeEventsOfAnother(): Promise<void> {
      if (eventLog.kind === 'eventstoredb') foreignEvents = await writeForeignEvents(eventLog.url, () => isOver);
    }

    load.push(
      ...Array.from({ length: WRITERS }, write),
      ...Array.from({ length: READERS }, read),
      causeFailures(),
      writeEventsOfAnother(),
    );
    await Promise.race([pause(duration_ms), Promise.all(load)]);
    isOver = true;
    await Promise.all(load);
    await cluster.ready();
    await expect.poll(() => pendingResults.size, { interval: 500 }).toBe(0);

    const summary =
      `seed ${seed}; killed: ${formatCounts(killed)}; stopped: ${formatCounts(stopped)}; ` +
      `leaders: ${formatCounts(leaderFailures)}`;
    expect(unexpectedErrors, `${summary}: writes in doubt`).toEqual([]);
    const log = await readEventLog(eventLog);
    expect(streamsWithGaps(log), `${summary}: revisions without gaps`).toEqual([]);
    const histories = typesByStream(log);
    const registered = actors.filter(({ accountId }) => accountId !== null);
    for (const stream of ['account', 'listing'] as const) {
      for (const { accountId, acknowledged } of registered) {
        expect(
          histories.get(`${stream}-${accountId ?? ''}`) ?? [],
          `${summary}: ${stream} of ${accountId ?? ''}`,
        ).toEqual(acknowledged[stream]);
      }
    }

    await waitForReadModels(target.url);
    const active = new Map(registered.flatMap(({ ad }) => (ad === null ? [] : [[ad.id, ad.title]])));
    const listedTestAds = async () =>
      new Map([...(await listAds(target.api))].filter(([, title]) => title.startsWith('Ad ')));
    await expect.poll(listedTestAds, { message: `${summary}: listings`, interval: 1_000 }).toEqual(active);
    for (const actor of registered)
      expect(await actor.ownAds(target.api, {}), `${summary}: own ads`).toEqual(actor.ad === null ? [] : [actor.ad]);

    const positionOf = await createPositionReader(cluster.dataDir);
    const adPositions = log
      .filter(({ type, position }) => /^Ad(Posted|Updated|Bumped|Deleted)$/u.test(type) && position > positionOf(start))
      .map(({ position }) => position);
    for (const witness of witnesses) {
      await expect
        .poll(() => witness.messages.length, { message: `${summary}: live messages` })
        .toBeGreaterThanOrEqual(adPositions.length);
      expect(witness.unexpectedErrors, `${summary}: live clients are never rejected`).toEqual([]);
      expect(
        witness.messages.map(({ seq }) => positionOf(seq)),
        `${summary}: live messages in order, each once`,
      ).toEqual(adPositions);
      witness.stop();
    }

    const photos = async () =>
      [...typesByStream(await readEventLog(eventLog))].filter(([stream]) => /^media-(?!demo-)/u.test(stream));
    await expect
      .poll(async () => (await photos()).filter(([, types]) => types.length < 2), {
        message: `${summary}: photos processed`,
        interval: 1_000,
      })
      .toEqual([]);
    const staffUrl = await createStaffUrls(cluster.dataDir);
    const processedPhotos = new Set<string>();
    for (const [stream, types] of await photos()) {
      const id = stream.slice('media-'.length);
      expect(types.length, `${summary}: ${types.join()} occur only once each`).toBe(new Set(types).size);
      if (types.join() !== 'MediaUploaded,PhotoVariantsMade') continue;
      processedPhotos.add(id);
      for (const variant of PHOTO_VARIANT_NAMES)
        expect(
          (await fetch(staffUrl(id, `${url}/uploads/photos/${id}/${variant}`))).status,
          `${summary}: ${id}/${variant}`,
        ).toBe(200);
    }
    const reportedPhotos = actors.flatMap((actor) => actor.photos);
    expect([...processedPhotos], `${summary}: photos reported as uploaded`).toEqual(
      expect.arrayContaining(reportedPhotos),
    );

    await expect
      .poll(() => countMailJobs(cluster), { message: `${summary}: jobs that mail codes`, interval: 500 })
      .toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
    const { issued, mails } = await readMails(databaseUrl, await readEventLog(eventLog));
    const mailsTo = (accountId: string | null) => mails.filter(({ id }) => issued.get(id) === accountId);
    expect(
      mails.filter(({ id }) => !issued.has(id)),
      `${summary}: mails of codes that were never issued`,
    ).toEqual([]);
    const unverified = registered.filter(({ isVerified }) => !isVerified);
    for (const { accountId, email, code } of unverified) {
      const accountMails = mailsTo(accountId);
      expect(
        accountMails.map(({ to }) => to),
        `${summary}: mails of ${accountId ?? ''}, which was never verified`,
      ).toEqual([email]);
      expect(accountMails[0]?.text).toContain(code ?? '');
    }
    for (const { accountId, email } of registered)
      for (const { to } of mailsTo(accountId)) expect(to, `${summary}: recipient of a code`).toBe(email);

    const database = new Client({ connectionString: databaseUrl });
    await database.connect();
    const { rows: parked } = await database.query('select * from rm.parked_events');
    await database.end();
    expect(parked, `${summary}: parked events`).toEqual([]);

    const processExits = processEndsOf(cluster.supervisorMessages);
    const { fatal, errors, mailJobsDone } = await summarizeLog(cluster.logFile);
    // The log is checked first, because it may explain why a process ended.
    expect(fatal, `${summary}: unexpected fatal errors`).toEqual([]);
    expect(processExits.others, `${summary}: processes that ended by themselves`).toEqual([]);
    expect(Object.fromEntries(processExits.killed), `${summary}: processes that were killed`).toEqual(
      Object.fromEntries(killed),
    );
    expect(errors.get('job failed for good'), `${summary}: jobs that failed for good`).toBeUndefined();
    expect(
      [...mailJobsDone].filter(([, times]) => times > 1),
      `${summary}: mail jobs that took effect twice`,
    ).toEqual([]);

    const acknowledged = actors.reduce((all, { acknowledgedCount: writes }) => all + writes, 0);
    process.stdout.write(
      [
        `failure run of ${duration_ms / 1000} s, seed ${seed}`,
        `  killed -9: ${formatCounts(killed)}`,
        `  backing services stopped or killed: ${formatCounts(stopped)}`,
        ...(eventLog.kind === 'eventstoredb'
          ? [
              `  leaders of EventStoreDB: ${formatCounts(leaderFailures) || 'not disturbed'}; ` +
                `events of another application ${foreignEvents}`,
            ]
          : []),
        `  writes acknowledged ${acknowledged}, in doubt ${doubtfulWrites}, events ${log.length}, lost 0, repeated 0`,
        `  reads succeeded ${reads.succeeded}, unavailable with 503 ${reads.unavailable}, broken off ${reads.broken}`,
        `  live: ${adPositions.length} messages to each of ${CLIENTS} clients over ` +
          `${witnesses.reduce((all, { connections }) => all + connections, 0)} connections, ` +
          'in order, none missed or repeated',
        `  photos made ${processedPhotos.size} (${reportedPhotos.length} reported as uploaded)`,
        `  mails ${mails.length} for ${issued.size} codes; accounts never verified ${unverified.length}, ` +
          `each with one mail; mail jobs logged as done ${mailJobsDone.size}, none twice, none failed or left`,
        `  processes ended ${totalOf(processExits.killed)}, each killed by the test; logged as errors: ` +
          `${formatCounts(errors) || 'nothing'}`,
        '',
      ].join('\n'),
    );
    // Fails if the run made too few writes, reads or failures to test anything.
    expect(acknowledged).toBeGreaterThan(duration_ms / 1_000);
    for (const [name, number] of Object.entries({
      'successful reads': reads.succeeded,
      'photos made': processedPhotos.size,
      'photos reported as uploaded': reportedPhotos.length,
      'accounts never verified': unverified.length,
      'mail jobs': mailJobsDone.size,
    })) {
      expect(number, `${summary}: ${name}`).toBeGreaterThan(0);
    }
    if (eventLog.kind === 'eventstoredb') expect(foreignEvents, `${summary}: foreign events`).toBeGreaterThan(0);
    expect(totalOf(killed) + totalOf(stopped)).toBeGreaterThan(duration_ms / 20_000);
    if (duration_ms >= FULL_ROUND_ms) {
      expect([...stopped.keys()].toSorted(), `${summary}: backing services`).toEqual(
        backingServices.map(([name]) => name as string).toSorted(),
      );
      const killedServices = new Set(
        cluster.members.filter(({ name }) => killed.has(name)).map(({ service }) => service),
      );
      expect([...killedServices].toSorted(), `${summary}: services`).toEqual(services.toSorted());
      if (eventStoreDb)
        expect([...leaderFailures.keys()].toSorted(), `${summary}: leaders of EventStoreDB`).toEqual(
          Object.keys(failuresOfLeader).toSorted(),
        );
    }
  } finally {
    isOver = true;
    await Promise.allSettled(load);
    await cluster.stop();
  }
});
