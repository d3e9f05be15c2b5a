import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedEvent } from '@alpenglow/domain';
import type { DataKeys, Pool } from '@alpenglow/infra';
import {
  checkCommands,
  checkKeys,
  checkLive,
  checkLogReader,
  checkMails,
  checkProcesses,
  checkReads,
  checkStatuses,
  checkStreams,
  checkTables,
  createDifferenceFilter,
  createProgressCheck,
} from './checker.ts';
import type { Anomaly, LoggedEvent } from './history.ts';
import type { ProvingLiveClient } from './live-client.ts';
import type { LogReader } from './log-reader.ts';
import { toLoggedEvents, type StateReader } from './read-state.ts';
import type { Recorder } from './recorder.ts';
import type { System } from './system.ts';

/** Time between two tests whether the load is over. */
const POLL_ms = 250;
/** The checks take at most about a fifth of the time, because the log grows and the machine has few cores. */
const PAUSE_PER_DURATION = 4;

/** Losses of commits during a run. A check that overlaps with one would compare two different logs. */
export interface Losses {
  begun: number;
  isRunning: boolean;
}

export interface LoadCheckOptions {
  readonly system: Pick<System, 'letters' | 'messages' | 'hasRedis'>;
  readonly recorder: Recorder;
  readonly liveClients: readonly ProvingLiveClient[];
  readonly logReader: LogReader;
  readonly losses: Losses;
  /** Position after which all events belong to recorded calls. */
  readonly since: bigint;
  /** Opens a connection pool to the current primary server. */
  readonly openPool: () => Pool;
  readonly openKeys: (pool: Pool) => DataKeys;
  readonly readState: StateReader;
  /** The events that an earlier check has converted. */
  readonly knownEvents: WeakMap<RecordedEvent, LoggedEvent>;
  readonly isOver: () => boolean;
  /** True if the run has no disruptions, so that every projection must make progress. */
  readonly isUndisturbed: boolean;
  /** Minimum time between two checks. */
  readonly interval_ms: number;
}

export interface LoadCheckResult {
  /** Number of completed checks. A check is not complete if the database failed or commits were lost meanwhile. */
  readonly checks: number;
  readonly anomalies: readonly Anomaly[];
}

/**
 * Checks the history every `interval_ms` while the load runs. Ends with the first check that finds an anomaly, or when
 * the load is over. It checks only what must already be true: an effect that may still follow, such as a mail or the
 * message of the last event, is checked after the load.
 */
export async function checkDuringLoad(options: LoadCheckOptions): Promise<LoadCheckResult> {
  let filterDifferences = createDifferenceFilter();
  const checkProgress = createProgressCheck();
  let checks = 0;
  let pause_ms = options.interval_ms;
  for (;;) {
    const end_ms = Date.now() + pause_ms;
    // A check that overlaps with a loss of commits fails. It therefore begins right after the loss.
    while ((Date.now() < end_ms || options.losses.isRunning) && !options.isOver()) await pause(POLL_ms);
    if (options.isOver()) return { checks, anomalies: [] };
    const start_ms = Date.now();
    const anomalies = await checkOnce(options, filterDifferences, checkProgress);
    if (anomalies === null) filterDifferences = createDifferenceFilter();
    else checks += 1;
    if (anomalies !== null && anomalies.length > 0) return { checks, anomalies };
    pause_ms = Math.max(options.interval_ms, PAUSE_PER_DURATION * (Date.now() - start_ms));
  }
}

/** Returns the anomalies, or null if the check could not be completed. */
async function checkOnce(
  { system, recorder, liveClients, logReader, losses, since, openPool, openKeys, ...options }: LoadCheckOptions,
  filterDifferences: ReturnType<typeof createDifferenceFilter>,
  checkProgress: ReturnType<typeof createProgressCheck>,
): Promise<readonly Anomaly[] | null> {
  if (losses.isRunning) return null;
  const { begun } = losses;
  // The history is copied before the log is read. Everything in the copy must then be in the log.
  const reads = [...recorder.reads];
  const calls = [...recorder.calls];
  const positions = [...logReader.positions];
  const live = liveClients.map(({ topics, segments, errors }, n) => ({
    client: `live client ${n}`,
    topics,
    segments: segments.map((messages) => [...messages]),
    errors: [...errors],
  }));
  const pool = openPool();
  try {
    const { log, differences, checkpointsBehind, openErasures } = await options.readState(pool, openKeys(pool));
    if (losses.begun !== begun) return null;
    const { disruptions, sent } = recorder;
    const events = toLoggedEvents(log, options.knownEvents);
    const afterStart = events.filter(({ position }) => position > since);
    // After a loss of commits, the product repairs tables and keys while it runs. The last check includes all of them.
    const isRepaired = disruptions.some(({ loses }) => loses);
    const comparable = differences.filter(
      ({ pending }) => pending === undefined || (pending === 'parked events' && !isRepaired),
    );
    return [
      ...checkCommands(calls, afterStart, disruptions, sent),
      ...checkStatuses(calls),
      ...checkStreams(events),
      ...checkLogReader(positions, events, { isRunning: true }),
      ...checkReads(reads, calls, disruptions),
      ...checkTables(filterDifferences(comparable, openErasures)),
      ...(options.isUndisturbed ? checkProgress(checkpointsBehind, Date.now()) : []),
      ...live.flatMap((client) => checkLive(client, events, since, disruptions, { isRunning: true })),
      ...checkMails({ letters: system.letters, due: [], calls, disruptions, hasRedis: system.hasRedis }),
      ...(isRepaired ? [] : checkKeys(log)),
      ...checkProcesses(system.messages),
    ];
  } catch {
    // A disruption can interrupt the queries. The check after the load runs without disruptions.
    return null;
  } finally {
    await pool.end().catch(() => undefined);
  }
}
