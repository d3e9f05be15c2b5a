import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { kill9 } from '../tests/support/launched-product.ts';
import { processTreeOf } from '../tests/support/process-usage.ts';
import type { Disruption } from './history.ts';
import type { Recorder } from './recorder.ts';
import type { System } from './system.ts';

const run = promisify(execFile);
const GAP_ms = { least: 500, most: 3_000 };
const OUTAGE_ms = { least: 500, most: 3_000 };
/** Longer than the lock of a duty (5 s), and often longer than the lock of a job (10 s). */
const HANG_ms = { least: 8_000, most: 20_000 };
/** Often longer than the claim of a mail (35 s) and of an Idempotency-Key (60 s). */
const LONG_HANG_ms = { least: 20_000, most: 70_000 };
/** Time for which the replica of an earlier server can still be read after the first new events. */
const STALE_ms = { least: 2_000, most: 5_000 };
/** Number of repetitions of a momentary disruption, and the time between them. */
const REPETITIONS = 20;
const REPETITION_GAP_ms = { least: 10, most: 60 };
/** Share of the connections that break in a partial failure. */
const BREAK_CHANCE = 0.5;
const DELAY_ms = { least: 5, most: 60 };
const LAG_ms = { least: 300, most: 2_000 };
/** Number of events for which a loss of commits waits, and the maximum time. On a slow machine, few are appended. */
const LOST_events = 20;
const LOST_EVENTS_ms = 8_000;
/** The same for a restore. With fewer events, the restored server soon has more WAL than the earlier replica. */
const RESTORE_LOST_events = 200;
const CLOCK_SHIFT_ms = { least: -30_000, most: 30_000 };
/** The lag of the replica before a promotion that `strand` combines with the stop of a process. */
const STRAND_LAG_ms = { least: 2_000, most: 5_000 };
/** The process continues when the others already work with the new primary server. */
const STRAND_ms = { least: 2_000, most: 4_000 };
/** Limit of the size of a file during a full disk. Postgres can then neither extend a table nor write to its log. */
const FULL_DISK_bytes = 1_000_000;
const FIRST_CHANCE_WEIGHT = 3;
/** Interval between checks for the end of the run, or for new events. */
const POLL_ms = 250;

type Loss = Pick<Disruption, 'start_ms' | 'end_ms' | 'staleUntil_ms'>;

/** The result of a disruption. The commits of the period `loss` were lost on purpose. */
interface Effect {
  readonly target: string;
  readonly loss?: Loss;
}
interface Range {
  readonly least: number;
  readonly most: number;
}
interface Chance {
  /** Returns a random number of a range. */
  within(range: Range): number;
  /** Waits for a random time. Ends early when the run is over. */
  wait(range_ms: Range): Promise<void>;
}
type Action = (system: System, chance: Chance) => Promise<Effect | null>;

function randomMember({ members }: Pick<System, 'members'>, { within }: Chance) {
  const running = members.filter((member) => member.pid() !== undefined);
  return running[Math.floor(within({ least: 0, most: running.length }))];
}

/** Repeats an action, because few jobs wait, and few statements run, at the same time. */
async function repeat({ wait }: Chance, action: () => Promise<void>): Promise<void> {
  for (let n = 0; n < REPETITIONS; n += 1) {
    await action();
    await wait(REPETITION_GAP_ms);
  }
}

/** Stops a random process for a time, without its knowledge. */
async function stopForTime(system: System, chance: Chance, range_ms: Range): Promise<Effect | null> {
  const member = randomMember(system, chance);
  const pid = member?.pid();
  if (!member || pid === undefined) return null;
  process.kill(pid, 'SIGSTOP');
  await chance.wait(range_ms);
  if (member.pid() === pid) process.kill(pid, 'SIGCONT');
  return { target: member.name };
}

/** Waits until events were appended, and for the random time in which the product handles them. */
async function waitForEvents(
  { databases }: System,
  { wait }: Chance,
  range_ms: Range,
  least = LOST_events,
): Promise<void> {
  const first = await databases.readHead();
  const end_ms = Date.now() + LOST_EVENTS_ms;
  while ((await databases.readHead()) < first + least && Date.now() < end_ms) await pause(POLL_ms);
  await wait(range_ms);
}

/** Sets the maximum file size of Postgres and its processes. */
async function limitFileSize({ databases }: System, limit: string): Promise<void> {
  for (const pid of await processTreeOf([databases.pid()]))
    await run('prlimit', ['--pid', String(pid), `--fsize=${limit}`]).catch((error: unknown) => error);
}

/** The disruptions by kind. An action returns null if it was not possible. */
const ACTIONS: Readonly<Record<string, Action>> = {
  async kill(system, chance) {
    const member = randomMember(system, chance);
    if (!member) return null;
    kill9(member.pid());
    return { target: member.name };
  },
  pause: (system, chance) => stopForTime(system, chance, OUTAGE_ms),
  hang: (system, chance) => stopForTime(system, chance, HANG_ms),
  'long-hang': (system, chance) => stopForTime(system, chance, LONG_HANG_ms),
  /** A process and Postgres cannot reach each other, and their connections stay open. */
  async isolate(system, chance) {
    const members = system.members.filter(({ name }) => system.ownLinks.has(name));
    const member = randomMember({ members }, chance);
    const link = member && system.ownLinks.get(member.name);
    if (!member || !link) return null;
    link.discardData();
    await chance.wait(HANG_ms);
    link.restore();
    return { target: member.name };
  },
  async restart(system, chance) {
    const member = randomMember(system, chance);
    if (!member) return null;
    await member.restart();
    return { target: member.name };
  },
  async cut({ databases }, chance) {
    databases.link.resetConnections();
    await chance.wait(OUTAGE_ms);
    databases.link.restore();
    return { target: 'connections to Postgres' };
  },
  async silence({ databases }, chance) {
    databases.link.discardData();
    await chance.wait(OUTAGE_ms);
    databases.link.restore();
    return { target: 'connections to Postgres' };
  },
  async slow({ databases }, chance) {
    databases.link.delayData(chance.within(DELAY_ms));
    await chance.wait(OUTAGE_ms);
    databases.link.restore();
    return { target: 'connections to Postgres' };
  },
  async break({ databases }, { within }) {
    databases.link.resetSome(() => within({ least: 0, most: 1 }) < BREAK_CHANCE);
    return { target: 'some connections to Postgres' };
  },
  async cancel({ databases }, chance) {
    let left = REPETITIONS;
    await databases.cancelStatements(async () => {
      await chance.wait(REPETITION_GAP_ms);
      left -= 1;
      return left > 0;
    });
    return { target: 'statements' };
  },
  async 'silence-replica'({ databases: { replica } }, chance) {
    replica.link.discardData();
    await chance.wait(OUTAGE_ms);
    replica.link.restore();
    return { target: 'connections to the replica' };
  },
  async 'lag-replica'({ databases: { replica } }, chance) {
    replica.upstream.discardData();
    await chance.wait(OUTAGE_ms);
    replica.upstream.restore();
    return { target: 'replication' };
  },
  async 'kill-service'({ backingServices }, chance) {
    const service = backingServices[Math.floor(chance.within({ least: 0, most: backingServices.length }))];
    if (!service) return null;
    await service.stop('SIGKILL');
    await chance.wait(OUTAGE_ms);
    await service.start();
    return { target: service.name };
  },
  async 'lose-jobs'(system, chance) {
    await repeat(chance, () => system.loseJobs());
    return { target: 'queue' };
  },
  async clock(system, chance) {
    const member = randomMember(system, chance);
    if (!member) return null;
    await system.setClock(member.port, Math.round(chance.within(CLOCK_SHIFT_ms)));
    await chance.wait(OUTAGE_ms);
    await system.setClock(member.port, 0);
    return { target: member.name };
  },
  async promote(system, chance) {
    const loss = await system.databases.promote(() => waitForEvents(system, chance, LAG_ms));
    return { target: 'Postgres', loss };
  },
  /** A process stops right before a promotion, and continues soon after it with events that the log has lost. */
  async strand(system, chance) {
    let stopped: Promise<unknown> = Promise.resolve();
    const loss = await system.databases.promote(async () => {
      await waitForEvents(system, chance, STRAND_LAG_ms);
      stopped = stopForTime(system, chance, STRAND_ms);
    });
    await stopped;
    return { target: 'Postgres', loss };
  },
  async rollout(system) {
    await system.rollOut();
    return { target: 'all processes' };
  },
  async backup({ databases }) {
    await databases.backUp();
    return { target: 'Postgres' };
  },
  /** Restores the last backup. Without one, makes it first. */
  async restore(system, chance) {
    const { databases } = system;
    if (!databases.hasBackup()) await databases.backUp();
    await waitForEvents(system, chance, LAG_ms, RESTORE_LOST_events);
    const loss = await databases.restore(() => waitForEvents(system, chance, STALE_ms));
    return loss && { target: 'Postgres', loss };
  },
  async 'rewind-log'(system, chance) {
    const loss = await system.databases.rewindLog(() => waitForEvents(system, chance, LAG_ms));
    return { target: 'event log', loss };
  },
  async 'full-disk'(system, chance) {
    if ((await run('prlimit', ['--version']).catch(() => null)) === null) return null;
    await limitFileSize(system, String(FULL_DISK_bytes));
    await chance.wait(OUTAGE_ms);
    await limitFileSize(system, 'unlimited');
    await system.databases.ensureRunning();
    return { target: 'Postgres' };
  },
};
/** The disruptions that lose commits. */
const LOSSES: ReadonlySet<string> = new Set(['promote', 'strand', 'restore', 'rewind-log']);
export const DISRUPTIONS: readonly string[] = Object.keys(ACTIONS);
/** The disruptions that leave the addresses of Postgres and the connections to it alone. */
const WITHOUT_LINKS: ReadonlySet<string> = new Set([
  'kill',
  'pause',
  'hang',
  'long-hang',
  'restart',
  'cancel',
  'lag-replica',
  'kill-service',
  'lose-jobs',
  'clock',
  'rollout',
  'backup',
]);

/** Returns true if one of these disruptions needs links between the product and Postgres. They cost processor time. */
export function needsLinks(kinds: readonly string[]): boolean {
  return kinds.some((kind) => !WITHOUT_LINKS.has(kind));
}

/**
 * Returns the disruptions for a run. If events are in EventStoreDB, Postgres must not lose commits: the keys of
 * accounts would be lost while their events remain. `backup` alone has no effect.
 */
export function findDisruptions(usesEventStoreDb: boolean): readonly string[] {
  return usesEventStoreDb ? DISRUPTIONS.filter((kind) => kind !== 'backup' && !LOSSES.has(kind)) : DISRUPTIONS;
}

export interface NemesisOptions {
  readonly system: System;
  readonly recorder: Recorder;
  readonly random: () => number;
  /** Kinds of disruptions to choose from. */
  readonly kinds: readonly string[];
  /** Only processes whose name starts with this text are disrupted. */
  readonly target: string;
  /** The time between two disruptions. */
  readonly gap_ms?: Range;
  /** Called before a disruption that may lose commits. */
  readonly onLossBegin: () => void;
  /** Called after this disruption was recorded. `isLost` is true if commits were lost. */
  readonly onLossEnd: (isLost: boolean) => void;
  readonly isOver: () => boolean;
}

/**
 * Disrupts the system until the run is over, one disruption after the other. The kinds are chosen at random, and a kind
 * that was not chosen yet is more likely. Ends with all processes running and all connections restored.
 */
export async function runNemesis({
  system,
  recorder,
  random,
  kinds,
  target: targetName,
  gap_ms = GAP_ms,
  onLossBegin,
  onLossEnd,
  isOver,
}: NemesisOptions): Promise<void> {
  const chance: Chance = {
    within: ({ least, most }) => least + random() * (most - least),
    async wait(range_ms) {
      const end_ms = Date.now() + chance.within(range_ms);
      while (Date.now() < end_ms && !isOver()) await pause(Math.min(POLL_ms, end_ms - Date.now()));
    },
  };
  const used = new Set<string>();
  const members = system.members.filter(({ name }) => name.startsWith(targetName));
  while (!isOver()) {
    await chance.wait(gap_ms);
    if (isOver()) return;
    const choices = kinds.flatMap((kind) => Array<string>(used.has(kind) ? 1 : FIRST_CHANCE_WEIGHT).fill(kind));
    const kind = choices[Math.floor(random() * choices.length)];
    const action = kind === undefined ? undefined : ACTIONS[kind];
    if (kind === undefined || !action) return;
    if (LOSSES.has(kind)) onLossBegin();
    const start_ms = Date.now();
    const effect = await action({ ...system, members }, chance);
    used.add(kind);
    if (effect) {
      const { target, loss } = effect;
      const times = loss ?? { start_ms, end_ms: Date.now() };
      recorder.record({ type: 'disruption', kind, target, ...times, loses: loss !== undefined });
    }
    if (LOSSES.has(kind)) onLossEnd(effect?.loss !== undefined);
  }
}
