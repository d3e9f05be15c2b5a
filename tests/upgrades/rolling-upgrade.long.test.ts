import { existsSync, openSync } from 'node:fs';
import { readlink, rename, symlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { startCluster, type Member } from '../../launcher/cluster/supervisor.mjs';
import { startEmbeddedPostgres } from '../../launcher/postgres/index.ts';
import { Actor, UnavailableError } from '../support/actor.ts';
import { createApiClient } from '../support/api-client.ts';
import { readEventLog, streamsWithGaps, typesByStream } from '../support/event-log.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryDataDir } from '../support/launched-product.ts';
import { listAds } from '../support/list-ads.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { buildCheckout, checkOut, findCommit } from '../support/old-checkout.ts';
import { randomNumbers } from '../support/random.ts';
import { readServiceLog, type LogLine } from '../support/service-log.ts';
import { whenAvailable } from '../support/when-available.ts';

/**
 * The first commit with rolling upgrades (decision 0071) that can be installed. Its versions of several read models are
 * older than the current ones.
 */
const OLD = 'd026b0fb';
const root = path.resolve(import.meta.dirname, '../..');
const EACH = 2;
const ACTORS = 4;
const RETRY_ms = 1_000;
/** Time limit for the installation and the build of the old commit. */
const PREPARE_LIMIT_ms = 40 * 60_000;
/** The level of log lines about errors. Processes that start and stop log warnings about lost connections. */
const ERROR = 50;

let prepared: Awaited<ReturnType<typeof prepareOld>>;
beforeAll(async () => {
  prepared = await prepareOld();
}, PREPARE_LIMIT_ms);

test('a rolling upgrade under load loses no write, and causes only errors that clients retry', async ({ skip }) => {
  if ('missing' in prepared) return skip(prepared.missing);
  const { folder: old } = prepared;
  const dataDir = await temporaryDataDir();
  onTestFinished(() => dataDir.remove());
  const postgres = await startEmbeddedPostgres({ dataDir: dataDir.path, durable: false });
  onTestFinished(() => postgres.stop());
  // A process runs the build to which this link leads at the start of the process.
  const current = path.join(dataDir.path, 'current');
  await symlink(old, current);
  const logFile = path.join(dataDir.path, 'services.log');
  const messages: string[] = [];
  const cluster = await startCluster({
    root: current,
    each: EACH,
    stderr: openSync(logFile, 'a'),
    onMessage: (line) => messages.push(line),
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: '0',
      DEMO: 'off',
      EXPOSE_VERIFICATION_CODES: 'on',
      RATE_LIMITS: 'off',
      DATABASE_URL: postgres.connectionString,
      DATA_DIR: path.join(dataDir.path, 'data'),
      LOG_LEVEL: 'info',
    },
  });
  onTestFinished(() => cluster.stop());
  await untilReady(cluster.members);
  const replacedPids = new Map<Member, number | undefined>();
  const isStopping = () => [...replacedPids].some(([member, pid]) => member.pid() === pid);
  const abort = new AbortController();
  const load = startLoad(cluster.url, { databaseUrl: postgres.connectionString, isStopping, signal: abort.signal });
  onTestFinished(async () => {
    abort.abort();
    await load.stop();
  });
  await eventually(() =>
    expect(load.actors.filter(({ canContinue }) => canContinue).every(({ ad }) => ad !== null)).toBe(true),
  );

  await symlink(root, `${current}.new`);
  await rename(`${current}.new`, current);
  for (let number = 1; number <= EACH; number += 1) {
    const replaced = cluster.members.filter(({ name }) => name.endsWith(`-${number}`));
    for (const member of replaced) replacedPids.set(member, member.pid());
    // A process that builds or awaits new read models may take longer than the time limit of `restart`.
    await Promise.all(replaced.map((member) => member.restart().catch(() => undefined)));
    // New projectors are ready only when no process reads an older read model.
    await untilReady(replaced.filter(({ service }) => service !== 'projectors' || number === EACH));
  }
  await untilReady(cluster.members);
  const { failures, reads } = await load.stop();

  // With the log of the services, a failure states its cause.
  expect({ failures, errors: await errorsIn(logFile) }).toEqual({ failures: [], errors: [] });
  expect(reads).toBeGreaterThan(0);
  const replaced = cluster.members.filter(({ service }) => service !== 'gateway');
  const folders = await Promise.all(replaced.map((member) => readlink(`/proc/${member.pid() ?? ''}/cwd`)));
  expect(new Set(folders)).toEqual(new Set([root]));
  const log = await readEventLog(postgres.connectionString);
  expect(streamsWithGaps(log)).toEqual([]);
  const histories = typesByStream(log);
  for (const { accountId, acknowledged } of load.actors)
    expect(histories.get(`listing-${accountId ?? ''}`) ?? []).toEqual(acknowledged.listing);
  const expected = new Map(load.actors.flatMap(({ ad }) => (ad ? [[ad.id, ad.title] as const] : [])));
  await eventually(async () => expect(await listAds(createApiClient(cluster.url))).toEqual(expected));
  expect(messages).toEqual([]);
  expect(await errorsIn(logFile)).toEqual([]);
});

/**
 * Installs and builds the old commit. Returns its folder, or the reason why the test cannot run here. In continuous
 * integration, throws if npm cannot install the packages.
 */
async function prepareOld(): Promise<{ readonly folder: string } | { readonly missing: string }> {
  // The test reads there which build a process runs.
  if (!existsSync('/proc/self/cwd')) return { missing: 'this system has no /proc' };
  if ((await findCommit(OLD)) === null) return { missing: `the history of this checkout does not contain ${OLD}` };
  const { folder } = await checkOut(OLD);
  try {
    await buildCheckout(folder);
  } catch (error) {
    const code = /"npm ci" failed[\s\S]*^npm error code (\S+)/mu.exec(String(error))?.[1];
    if (code === undefined || process.env['CI'] !== undefined) throw error;
    return { missing: `npm could not install the packages of ${OLD} (${code})` };
  }
  return { folder };
}

async function untilReady(members: readonly Member[]): Promise<void> {
  await Promise.all(members.map((member) => eventually(() => member.ready())));
}

interface LoadOptions {
  readonly databaseUrl: string;
  /** Returns true while a process stops. It may still store a write whose response was lost. */
  readonly isStopping: () => boolean;
  /** Ends the retries. */
  readonly signal: AbortSignal;
}

/**
 * Starts providers that post, change, bump and delete ads, and a reader of the list. `actors` also contains replaced
 * actors. `stop` returns the failures, and the number of successful reads.
 */
function startLoad(url: string, { databaseUrl, isStopping, signal }: LoadOptions) {
  const random = randomNumbers(7);
  const target = { url, api: createApiClient(url) };
  const actors: Actor[] = [];
  const addActor = () => {
    const actor = new Actor();
    actors.push(actor);
    return actor;
  };
  const failures: string[] = [];
  let reads = 0;
  let isOver = false;
  /** Repeats a write after a response 503 or a lost connection, which clients must expect. */
  const retry = async (actor: Actor) => {
    const until_ms = performance.now() + MAX_WAIT_ms;
    while (performance.now() < until_ms) {
      const mayBeStoredLater = isStopping();
      await pause(RETRY_ms, undefined, { signal });
      if (mayBeStoredLater) continue;
      const histories = typesByStream(await readEventLog(databaseUrl));
      try {
        await actor.settle(target, (stream) => histories.get(stream) ?? []);
        return;
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error;
      }
    }
    throw new Error(`The result of a write was not known after ${MAX_WAIT_ms} ms`);
  };
  const write = async () => {
    let actor = addActor();
    while (!isOver && failures.length === 0) {
      try {
        if (!(await actor.performNextStep(target, random))) await retry(actor);
        if (!actor.canContinue) actor = addActor();
      } catch (error) {
        failures.push(String(error));
      }
      await pause(20);
    }
  };
  const read = async () => {
    while (!isOver && failures.length === 0) {
      try {
        const { status } = await whenAvailable(() => target.api.call('GET', '/api/ads?limit=20'));
        if (status === 200) reads += 1;
        else failures.push(`GET /api/ads returned ${status}`);
      } catch (error) {
        failures.push(String(error));
      }
      await pause(20);
    }
  };
  const running = Promise.all([...Array.from({ length: ACTORS }, write), read()]);
  return {
    actors,
    async stop() {
      isOver = true;
      await running;
      return { failures, reads };
    },
  };
}

async function errorsIn(logFile: string): Promise<readonly LogLine[]> {
  const errors: LogLine[] = [];
  for await (const line of readServiceLog(logFile)) if (line.level >= ERROR) errors.push(line);
  return errors;
}
