import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { kill9 } from '../support/launched-product.ts';
import type { Disruption } from './history.ts';
import type { Recorder } from './recorder.ts';
import type { System } from './system.ts';

const run = promisify(execFile);
const GAP_ms = { least: 500, most: 3_000 };
const OUTAGE_ms = { least: 500, most: 3_000 };
const DELAY_ms = { least: 5, most: 60 };
const LAG_ms = { least: 300, most: 2_000 };
const CLOCK_SHIFT_ms = { least: -30_000, most: 30_000 };
/** Limit of the size of a file during a full disk. Postgres can then neither extend a table nor write to its log. */
const FULL_DISK_bytes = 1_000_000;
const FIRST_CHANCE_WEIGHT = 3;

type Loss = Pick<Disruption, 'start_ms' | 'end_ms'>;

/** The result of a disruption. The commits of the period `loss` were lost on purpose. */
interface Effect {
  readonly target: string;
  readonly loss?: Loss;
}
type Action = (system: System, random: (range: { least: number; most: number }) => number) => Promise<Effect | null>;

function randomMember({ members }: System, random: (range: { least: number; most: number }) => number) {
  const running = members.filter((member) => member.pid() !== undefined);
  return running[Math.floor(random({ least: 0, most: running.length }))];
}

/** Sets the maximum file size of Postgres and its processes. */
async function limitFileSize({ databases }: System, limit: string): Promise<void> {
  const pids = [databases.pid()];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/u.test(name)) continue;
    const { stdout } = await run('ps', ['-o', 'ppid=', '-p', name]).catch(() => ({ stdout: '' }));
    if (Number(stdout) === databases.pid()) pids.push(Number(name));
  }
  for (const pid of pids)
    await run('prlimit', ['--pid', String(pid), `--fsize=${limit}`]).catch((error: unknown) => error);
}

/** The disruptions by kind. An action returns null if it was not possible. */
const ACTIONS: Readonly<Record<string, Action>> = {
  async kill(system, random) {
    const member = randomMember(system, random);
    if (!member) return null;
    kill9(member.pid());
    return { target: member.name };
  },
  async pause(system, random) {
    const member = randomMember(system, random);
    const pid = member?.pid();
    if (!member || pid === undefined) return null;
    process.kill(pid, 'SIGSTOP');
    await pause(random(OUTAGE_ms));
    if (member.pid() === pid) process.kill(pid, 'SIGCONT');
    return { target: member.name };
  },
  async restart(system, random) {
    const member = randomMember(system, random);
    if (!member) return null;
    await member.restart();
    return { target: member.name };
  },
  async cut({ databases }, random) {
    databases.link.resetConnections();
    await pause(random(OUTAGE_ms));
    databases.link.restore();
    return { target: 'connections to Postgres' };
  },
  async silence({ databases }, random) {
    databases.link.discardData();
    await pause(random(OUTAGE_ms));
    databases.link.restore();
    return { target: 'connections to Postgres' };
  },
  async slow({ databases }, random) {
    databases.link.delayData(random(DELAY_ms));
    await pause(random(OUTAGE_ms));
    databases.link.restore();
    return { target: 'connections to Postgres' };
  },
  async 'silence-replica'({ databases: { replica } }, random) {
    replica.link.discardData();
    await pause(random(OUTAGE_ms));
    replica.link.restore();
    return { target: 'connections to the replica' };
  },
  async 'lag-replica'({ databases: { replica } }, random) {
    replica.upstream.discardData();
    await pause(random(OUTAGE_ms));
    replica.upstream.restore();
    return { target: 'replication' };
  },
  async 'kill-service'({ backingServices }, random) {
    const service = backingServices[Math.floor(random({ least: 0, most: backingServices.length }))];
    if (!service) return null;
    await service.stop('SIGKILL');
    await pause(random(OUTAGE_ms));
    await service.start();
    return { target: service.name };
  },
  async clock(system, random) {
    const member = randomMember(system, random);
    if (!member) return null;
    await system.setClock(member.port, Math.round(random(CLOCK_SHIFT_ms)));
    await pause(random(OUTAGE_ms));
    await system.setClock(member.port, 0);
    return { target: member.name };
  },
  async promote({ databases }, random) {
    return { target: 'Postgres', loss: await databases.promote(() => pause(random(LAG_ms))) };
  },
  async rollout(system) {
    await system.rollOut();
    return { target: 'all processes' };
  },
  async backup({ databases }) {
    await databases.backUp();
    return { target: 'Postgres' };
  },
  async restore({ databases }) {
    const loss = await databases.restore();
    return loss && { target: 'Postgres', loss };
  },
  async 'full-disk'(system, random) {
    if ((await run('prlimit', ['--version']).catch(() => null)) === null) return null;
    await limitFileSize(system, String(FULL_DISK_bytes));
    await pause(random(OUTAGE_ms));
    await limitFileSize(system, 'unlimited');
    await system.databases.ensureRunning();
    return { target: 'Postgres' };
  },
};
/** The disruptions that lose commits. */
const LOSSES: ReadonlySet<string> = new Set(['promote', 'restore']);
export const DISRUPTIONS: readonly string[] = Object.keys(ACTIONS);

export interface NemesisOptions {
  readonly system: System;
  readonly recorder: Recorder;
  readonly random: () => number;
  /** Kinds of disruptions to choose from. */
  readonly kinds: readonly string[];
  /** Only processes whose name starts with this text are disrupted. */
  readonly target: string;
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
  onLossBegin,
  onLossEnd,
  isOver,
}: NemesisOptions): Promise<void> {
  const within = ({ least, most }: { least: number; most: number }) => least + random() * (most - least);
  const used = new Set<string>();
  const members = system.members.filter(({ name }) => name.startsWith(targetName));
  while (!isOver()) {
    await pause(within(GAP_ms));
    if (isOver()) return;
    const choices = kinds.flatMap((kind) => Array<string>(used.has(kind) ? 1 : FIRST_CHANCE_WEIGHT).fill(kind));
    const kind = choices[Math.floor(random() * choices.length)];
    const action = kind === undefined ? undefined : ACTIONS[kind];
    if (kind === undefined || !action) return;
    if (LOSSES.has(kind)) onLossBegin();
    const start_ms = Date.now();
    const effect = await action({ ...system, members }, within);
    used.add(kind);
    if (effect) {
      const { target, loss } = effect;
      const times = loss ?? { start_ms, end_ms: Date.now() };
      recorder.record({ type: 'disruption', kind, target, ...times, loses: loss !== undefined });
    }
    if (LOSSES.has(kind)) onLossEnd(effect?.loss !== undefined);
  }
}
