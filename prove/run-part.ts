import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createDataKeys, createPool, loadSecrets, type Pool } from '@alpenglow/infra';
import type { LiveTopic, RecordedEvent } from '@alpenglow/domain';
import { createApiClient, validAd } from '../tests/support/api-client.ts';
import { countEvents, createPositionReader, readEventStoreDbLog } from '../tests/support/event-log.ts';
import { eventually } from '../tests/support/eventually.ts';
import { pictures } from '../tests/support/pictures.ts';
import { randomNumbers } from '../tests/support/random.ts';
import {
  checkCommands,
  checkErasures,
  checkJobs,
  checkKeys,
  checkLive,
  checkLogReader,
  checkMails,
  checkProcesses,
  checkReads,
  checkStatuses,
  checkStreams,
  checkTables,
  eventsForClient,
  findMissingMails,
  mayBeLost,
} from './checker.ts';
import { CITIES, runProvider, runVisitor } from './clients.ts';
import type { Workload } from './command.ts';
import type { Anomaly, Call, Disruption, LoggedEvent, Sample } from './history.ts';
import { followLive } from './live-client.ts';
import { checkDuringLoad, type Losses } from './load-check.ts';
import { readGrowingEventStoreDb, readGrowingLog } from './log-reader.ts';
import { needsLinks, runNemesis } from './nemesis.ts';
import { createPace } from './pace.ts';
import { createStateReader, findUnfinishedJobs, readLag, toLoggedEvents, type State } from './read-state.ts';
import { createRecorder } from './recorder.ts';
import { findLeftovers, findRemains } from './remains.ts';
import {
  createAdmin,
  PLACE,
  prepareDigests,
  runCommunity,
  runModeration,
  runRebuilds,
  signUpFollowers,
} from './staff.ts';
import { startSystem } from './system.ts';

export const DEFAULT_CLIENTS = 16;
/**
 * Minimum time between two calls of a kind. A photo needs a separate process, a report and a reply need several jobs,
 * and an erasure rewrites the read models. The other calls then have most of the processor time.
 */
const CALL_INTERVALS_ms = { upload: 3_000, erase: 4_000, report: 1_000, bump: 3_000, delete: 500 };
/** Every fourth client is a visitor, and the others are providers. */
const CLIENTS_PER_VISITOR = 4;
/** The live clients. Each one without topics receives all messages. */
const LIVE_CLIENTS: readonly (readonly LiveTopic[] | null)[] = [
  null,
  null,
  null,
  [{ kind: 'ads', state: validAd.state, city: CITIES[0], category: validAd.category }],
  [{ kind: 'ads', state: validAd.state, city: CITIES[1] }],
  [{ kind: 'threads', ...PLACE }],
];
const PHOTO_px = { width: 96, height: 64 };
/** A run of at least this time waits for daily mails, which a periodic task sends. */
const DIGESTS_FROM_ms = 3 * 60_000;
/** Interval of the task that sends daily mails, with a margin. */
const DIGEST_LIMIT_ms = 12 * 60_000;
/** The processes read a shift of their clock in intervals of 250 ms. */
const CLOCK_CHANGE_ms = 1_000;
const SAMPLE_ms = 500;
const QUIET_CHECK_ms = 500;
/** Maximum time for which the disruptions wait for the first ads. */
const FIRST_ADS_ms = 15_000;

export interface PartOptions {
  readonly root: string;
  /** Folder of the history. */
  readonly dir: string;
  readonly seed: number;
  /** The part ends after this time or this number of calls. */
  readonly duration_ms: number;
  readonly operations: number;
  readonly each: number;
  /** Number of clients that write at the same time, without the admin. */
  readonly clients: number;
  readonly isEmbedded: boolean;
  /** If true, events are in EventStoreDB. By default, they are in Postgres. */
  readonly usesEventStoreDb?: boolean;
  readonly kinds: readonly string[];
  /** Only processes whose name starts with this text are disrupted, all by default. */
  readonly target?: string;
  /** Maximum time between two disruptions. */
  readonly gap_ms?: number;
  /** Time in which a client repeats a call whose outcome is unknown. */
  readonly repeatLimit_ms?: number;
  /** Minimum time between two checks during the load. */
  readonly checkInterval_ms: number;
  /** Maximum time until all events, mails and erasures are processed. */
  readonly settleLimit_ms: number;
  /** Returns true if these anomalies of a check during the load suffice, so that the rest is not checked. */
  readonly isEnough?: (anomalies: readonly Anomaly[]) => boolean;
  readonly onStep: (step: string) => void;
}

export interface PartResult {
  readonly seed: number;
  readonly calls: readonly Call[];
  readonly disruptions: readonly Disruption[];
  readonly samples: readonly Sample[];
  readonly reads: number;
  readonly liveMessages: number;
  readonly letters: number;
  readonly erased: number;
  readonly events: number;
  /** Number of checks during the load. */
  readonly checks: number;
  readonly missing: readonly string[];
  readonly anomalies: readonly Anomaly[];
  /** Time when the load and the disruptions started. */
  readonly start_ms: number;
  readonly end_ms: number;
}

/**
 * Runs clients and disruptions against a new system and checks its whole history. The load ends early if a check during
 * the load finds an anomaly.
 */
export async function runPart(options: PartOptions): Promise<PartResult> {
  const { seed, duration_ms, onStep } = options;
  await mkdir(options.dir, { recursive: true });
  const recorder = createRecorder(path.join(options.dir, 'history.jsonl'));
  onStep('Starting the processes');
  const system = await startSystem({ ...options, hasLinks: needsLinks(options.kinds) });
  try {
    await system.ready();
    const { url, databases, dataDir, eventLog } = system;
    const api = createApiClient(url);
    // On a busy machine, the first responses can be 503.
    const first = await eventually(async () => api.postAd((await api.signUp('provider')).token));
    const positionOf = await createPositionReader(dataDir);
    const since = positionOf(first.position);
    const liveClients = LIVE_CLIENTS.map((topics) => followLive(url, first.position, positionOf, topics));
    const logReader =
      eventLog.kind === 'postgres' ? readGrowingLog(() => databases.directUrl()) : readGrowingEventStoreDb(eventLog);
    const load: Workload = {
      url,
      prefix: `prove-${seed}`,
      adminEmail: system.adminEmail,
      recorder,
      random: randomNumbers(seed),
      ...(options.repeatLimit_ms !== undefined && { repeatLimit_ms: options.repeatLimit_ms }),
      mayCall: createPace(CALL_INTERVALS_ms),
      positionOf,
      due: [],
      erased: [],
      adIds: [],
      isOver: false,
    };
    const { calls, reads, disruptions, samples } = recorder;
    const { dataKeys: secrets } = await loadSecrets(dataDir);
    const openKeys = (pool: Pool) => createDataKeys(pool, secrets);
    const openPool = () => createPool({ connectionString: databases.directUrl(), max: 3, applicationName: 'prove' });
    const photo = await pictures.jpeg(PHOTO_px.width, PHOTO_px.height);
    const admin = createAdmin(load, 'admin');
    const followers = await signUpFollowers(load);
    if (duration_ms >= DIGESTS_FROM_ms)
      await prepareDigests(load, admin, followers, async (shift_ms) => {
        for (const { service, port } of system.members)
          if (service === 'command-api') await system.setClock(port, shift_ms);
        await pause(CLOCK_CHANGE_ms);
      });
    const start_ms = Date.now();
    const toResult = (anomalies: readonly Anomaly[], checks: number, events: number): PartResult => ({
      seed,
      calls,
      disruptions,
      samples,
      reads: reads.length,
      liveMessages: liveClients.reduce((all, { segments }) => all + segments.flat().length, 0),
      letters: system.letters.length,
      erased: load.erased.length,
      events,
      checks,
      missing: system.missing,
      anomalies,
      start_ms,
      end_ms: Date.now(),
    });

    const providers = Math.ceil(options.clients * (1 - 1 / CLIENTS_PER_VISITOR));
    onStep(`Running for ${Math.round(duration_ms / 1000)} s with seed ${seed}`);
    const readState = createStateReader(eventLog);
    const knownEvents = new WeakMap<RecordedEvent, LoggedEvent>();
    const losses: Losses = { begun: 0, isRunning: false };
    const nemesis = whenFirstAdsExist(load, providers).then(() =>
      runNemesis({
        system,
        recorder,
        random: randomNumbers(seed + 1),
        kinds: options.kinds,
        target: options.target ?? '',
        ...(options.gap_ms !== undefined && { gap_ms: { least: 0, most: options.gap_ms } }),
        onLossBegin() {
          losses.begun += 1;
          losses.isRunning = true;
        },
        onLossEnd(isLost) {
          losses.isRunning = false;
          if (isLost) logReader.rewind();
        },
        isOver: () => load.isOver,
      }),
    );
    const sampling = (async () => {
      let pool = openPool();
      while (!load.isOver) {
        await pause(SAMPLE_ms);
        const lag_events = await readLag(pool, eventLog, logReader.positions).catch(() => null);
        if (lag_events !== null) {
          recorder.record({ type: 'sample', at_ms: Date.now(), lag_events });
          continue;
        }
        // Another server may be the primary one now.
        await pool.end().catch(() => undefined);
        pool = openPool();
      }
      await pool.end().catch(() => undefined);
    })();
    const checking = (async () => {
      const result = await checkDuringLoad({
        system,
        recorder,
        liveClients,
        logReader,
        losses,
        since,
        openPool,
        openKeys,
        readState,
        knownEvents,
        isOver: () => load.isOver,
        isUndisturbed: options.kinds.length === 0,
        interval_ms: options.checkInterval_ms,
      });
      load.isOver = true;
      return result;
    })();
    const running = Promise.all([
      nemesis,
      sampling,
      ...Array.from({ length: providers }, (_, n) => runProvider(load, `provider-${n}`, photo)),
      ...Array.from({ length: options.clients - providers }, (_, n) => runVisitor(load, `visitor-${n}`)),
      runCommunity(load, admin, followers),
      runModeration(load, admin),
      runRebuilds(load, admin),
    ]);
    // If one of them fails, the others end, and the failure is reported below.
    running.catch(() => (load.isOver = true));
    while (!load.isOver && Date.now() - start_ms < duration_ms && calls.length < options.operations)
      await pause(SAMPLE_ms);
    load.isOver = true;
    const { anomalies: early, checks } = await checking;
    if (options.isEnough?.(early) === true) {
      const result = toResult(early, checks, 0);
      // The clients and the reader must end before the processes end.
      for (const client of liveClients) client.stop();
      await Promise.all([running, logReader.finish(0n)]);
      return result;
    }
    await running;

    onStep('Waiting for the last events, mails and erasures');
    await databases.ensureRunning();
    const deadline_ms = Date.now() + options.settleLimit_ms;
    const pool = openPool();
    const { letters, hasRedis } = system;
    const mailHistory = { letters, due: load.due, calls, disruptions, hasRedis };
    const received = (events: readonly LoggedEvent[]) =>
      liveClients.every((client) => {
        const last = eventsForClient(client, events, since).at(-1)?.position ?? since;
        return (client.segments.at(-1)?.at(-1)?.position ?? since) >= last;
      });
    const countAll = async () =>
      eventLog.kind === 'postgres' ? countEvents(pool) : (await readEventStoreDbLog(eventLog)).length;
    let jobs: readonly string[] = [];
    /** Checks whether nothing more must happen, or the time is over. Also stores the unfinished jobs for the report. */
    const isSettled = async ({ lags, openErasures, log }: State, known?: WeakMap<RecordedEvent, LoggedEvent>) => {
      const missing = findMissingMails(mailHistory);
      jobs = await findUnfinishedJobs(pool);
      const events = toLoggedEvents(log, known);
      const isDone = lags.size === 0 && openErasures.size === 0 && received(events) && jobs.length === 0;
      // An event that was appended during the checks can change what they found.
      if (isDone && missing.length === 0 && (await countAll()) === log.length) return true;
      const waitsForDigests = isDone && missing.every(({ kind }) => kind === 'digest');
      return Date.now() > deadline_ms + (waitsForDigests ? DIGEST_LIMIT_ms : 0);
    };
    let state: State;
    do {
      while (!(await isSettled(await readState(pool, openKeys(pool)), knownEvents))) await pause(QUIET_CHECK_ms);
      // The last check reads everything again.
      state = await createStateReader(eventLog)(pool, openKeys(pool));
    } while (!(await isSettled(state)));

    onStep('Checking the history');
    const { log, lags, openErasures, differences } = state;
    const events = toLoggedEvents(log);
    await logReader.finish(events.at(-1)?.position ?? 0n);
    for (const client of liveClients) client.stop();
    const erased = load.erased.filter(({ call }) => {
      const erasure = calls.find(({ id }) => id === call);
      return erasure !== undefined && !mayBeLost(erasure, disruptions);
    });
    const texts = erased.flatMap((person) => person.texts);
    const remains = [
      ...(await findRemains(texts, { pool, keys: openKeys(pool), log, dataDir, logFile: system.logFile })),
      ...(await findLeftovers(
        erased.flatMap(({ ids }) => ids),
        { pool, dataDir },
      )),
    ];
    await pool.end();
    const found: readonly Anomaly[] = [
      ...early,
      ...[...lags].map(([projection, lag]) => ({
        check: 'lag' as const,
        message: `${projection} stays ${lag} events behind`,
        evidence: [],
      })),
      ...[...openErasures].map((stream) => ({
        check: 'erasure progress' as const,
        message: `the erasure of ${stream} is not complete`,
        evidence: [],
      })),
      ...checkKeys(log),
      ...checkCommands(
        calls,
        events.filter(({ position }) => position > since),
        disruptions,
        recorder.sent,
      ),
      ...checkStatuses(calls),
      ...checkStreams(events),
      ...checkLogReader(logReader.positions, events),
      ...checkReads(reads, calls, disruptions),
      ...checkTables(differences),
      ...liveClients.flatMap(({ topics, segments, errors }, n) =>
        checkLive({ client: `live client ${n}`, topics, segments, errors }, events, since, disruptions),
      ),
      ...checkMails(mailHistory),
      ...checkJobs(jobs),
      ...checkErasures(remains),
      ...checkProcesses(system.messages),
    ];
    // A check during the load and the last check can find the same anomaly.
    const unique = [...new Map(found.map((one) => [`${one.check} ${one.message} ${one.evidence[0]}`, one])).values()];
    return toResult(unique, checks, events.length);
  } finally {
    await copyFile(system.logFile, path.join(options.dir, 'services.log'));
    await system.stop();
    await recorder.close();
  }
}

/** Resolves when about as many ads exist as there are providers. Without ads, a disruption meets few operations. */
async function whenFirstAdsExist(load: Workload, providers: number): Promise<void> {
  const end_ms = Date.now() + FIRST_ADS_ms;
  while (load.adIds.length < providers && !load.isOver && Date.now() < end_ms) await pause(SAMPLE_ms);
}
