import { setTimeout as pause } from 'node:timers/promises';
import type { TestCluster } from '../support/cluster.ts';
import { commandOf, cpuOf, familyOf, memoryOf, type Memory } from './processes.ts';

/** Processor seconds or bytes, by service (all its processes together) or engine. */
export type ByPart<T = number> = Readonly<Record<string, T>>;

export interface Used<T> {
  readonly result: T;
  readonly elapsed_s: number;
  /** Processor seconds, less what the part uses idle in that time. */
  readonly cpu_s: ByPart;
}

/** Tells what each part of a running cluster uses. */
export interface Meter {
  memory(): Promise<ByPart<Memory>>;
  /**
   * Waits until the parts have done what they do after a start. Answers the processor seconds a second that each uses while nobody asks
   * anything of it, read over so long; `during` takes them off from then on.
   */
  rest(duration_ms: number): Promise<ByPart>;
  /** What the parts use while something is done. */
  during<T>(work: () => Promise<T>): Promise<Used<T>>;
}

/** Engines by a word of their command lines; they are children of this process. */
const ENGINES: Readonly<Record<string, RegExp>> = {
  Postgres: /^\S*postgres\s/u,
  Kafka: /kafka\.Kafka/u,
  Redis: /^\S*redis-server\s/u,
  S3: /s3proxy\.Main/u,
};

/** Of a processor. */
const AT_REST = 0.2;
const REST_LIMIT_ms = 5 * 60_000;

export async function createMeter(cluster: TestCluster): Promise<Meter> {
  const engines = await enginesOf(process.pid);
  /** The root processes of each part. They may have been started anew since. */
  const roots = (): ReadonlyMap<string, readonly number[]> => {
    const parts = new Map<string, number[]>(engines);
    for (const member of cluster.members) {
      const pid = member.pid();
      if (pid !== undefined) parts.set(member.service, [...(parts.get(member.service) ?? []), pid]);
    }
    return parts;
  };
  async function ofEach<T>(read: (pids: readonly number[]) => Promise<T>): Promise<ByPart<T>> {
    return Object.fromEntries(
      await Promise.all([...roots()].map(async ([part, pids]) => [part, await read(pids)] as const)),
    );
  }
  const cpu = () =>
    ofEach(async (pids) => (await Promise.all(pids.map(cpuOf))).reduce((sum, seconds) => sum + seconds, 0));
  let idle: ByPart = {};

  async function during<T>(work: () => Promise<T>): Promise<Used<T>> {
    const before = await cpu();
    const begun = performance.now();
    const result = await work();
    const elapsed_s = (performance.now() - begun) / 1_000;
    const after = await cpu();
    const cpu_s = Object.fromEntries(
      Object.entries(after).map(([part, seconds]) => [
        part,
        Math.max(0, seconds - (before[part] ?? 0) - (idle[part] ?? 0) * elapsed_s),
      ]),
    );
    return { result, elapsed_s, cpu_s };
  }

  return {
    memory: () => ofEach(async (pids) => memoryOf(await familyOf(pids))),
    async rest(duration_ms) {
      for (const deadline = Date.now() + REST_LIMIT_ms; ; ) {
        idle = {};
        const { cpu_s, elapsed_s } = await during(() => pause(duration_ms));
        idle = Object.fromEntries(Object.entries(cpu_s).map(([part, seconds]) => [part, seconds / elapsed_s]));
        if (Object.values(idle).every((share) => share < AT_REST)) return idle;
        if (Date.now() > deadline) throw new Error(`Not at rest after ${REST_LIMIT_ms} ms: ${JSON.stringify(idle)}`);
      }
    },
    during,
  };
}

async function enginesOf(pid: number): Promise<ReadonlyMap<string, number[]>> {
  const found = new Map<string, number[]>();
  const family = await familyOf([pid]);
  for (const one of family) {
    const command = await commandOf(one);
    for (const [name, pattern] of Object.entries(ENGINES))
      if (pattern.test(command) && !found.has(name)) found.set(name, [one]);
  }
  return found;
}

/** The processor time of parts as milliseconds of each of so many units. */
export function msEach(cpu_s: ByPart, units: number): ByPart {
  return Object.fromEntries(Object.entries(cpu_s).map(([part, seconds]) => [part, (seconds * 1_000) / units]));
}
