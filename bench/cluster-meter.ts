import { setTimeout as pause } from 'node:timers/promises';
import type { TestCluster } from '../tests/support/cluster.ts';
import {
  readCommandLine,
  readCpuTime,
  processTreeOf,
  readMemory,
  type Memory,
} from '../tests/support/process-usage.ts';

/** Values for each service or backing service. The value of a service is the sum over all its processes. */
export type ByPart<T = number> = Readonly<Record<string, T>>;

export interface Usage<T> {
  readonly result: T;
  readonly elapsed_s: number;
  /** Processor seconds during the measurement, minus the processor seconds that the part uses when idle. */
  readonly cpu_s: ByPart;
}

/** Measures the resources that each part of a running cluster uses. */
export interface Meter {
  memory(): Promise<ByPart<Memory>>;
  /**
   * Waits until no part of the cluster is busy after the start. Then measures the processor seconds per second that
   * each part uses when idle, over `duration_ms`. Later calls of `measure` subtract these values.
   */
  measureIdle(duration_ms: number): Promise<ByPart>;
  /** Measures all parts while `work` runs. */
  measure<T>(work: () => Promise<T>): Promise<Usage<T>>;
}

/** Patterns of the command lines of the backing services, which are child processes of this process. */
const BACKING_SERVICES: Readonly<Record<string, RegExp>> = {
  Postgres: /^\S*postgres\s/u,
  Kafka: /kafka\.Kafka/u,
  Redis: /^\S*redis-server\s/u,
  S3: /s3proxy\.Main/u,
};

/** A part is idle if it uses less than this share of a processor. */
const AT_REST = 0.2;
const REST_LIMIT_ms = 5 * 60_000;

export async function createMeter(cluster: TestCluster): Promise<Meter> {
  const backingServices = await findBackingServices(process.pid);
  /**
   * Returns the ids of the main processes of each part. They are read again each time, because processes may restart.
   */
  const roots = (): ReadonlyMap<string, readonly number[]> => {
    const parts = new Map<string, number[]>(backingServices);
    for (const member of cluster.members) {
      const pid = member.pid();
      if (pid !== undefined) parts.set(member.service, [...(parts.get(member.service) ?? []), pid]);
    }
    return parts;
  };
  async function readEachPart<T>(read: (pids: readonly number[]) => Promise<T>): Promise<ByPart<T>> {
    return Object.fromEntries(
      await Promise.all([...roots()].map(async ([part, pids]) => [part, await read(pids)] as const)),
    );
  }
  const cpu = () =>
    readEachPart(async (pids) => (await Promise.all(pids.map(readCpuTime))).reduce((sum, seconds) => sum + seconds, 0));
  let idle: ByPart = {};

  async function during<T>(work: () => Promise<T>): Promise<Usage<T>> {
    const before = await cpu();
    const started_ms = performance.now();
    const result = await work();
    const elapsed_s = (performance.now() - started_ms) / 1_000;
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
    memory: () => readEachPart(async (pids) => readMemory(await processTreeOf(pids))),
    async measureIdle(duration_ms) {
      for (const deadline = Date.now() + REST_LIMIT_ms; ; ) {
        idle = {};
        const { cpu_s, elapsed_s } = await during(() => pause(duration_ms));
        idle = Object.fromEntries(Object.entries(cpu_s).map(([part, seconds]) => [part, seconds / elapsed_s]));
        if (Object.values(idle).every((share) => share < AT_REST)) return idle;
        if (Date.now() > deadline) throw new Error(`Not at rest after ${REST_LIMIT_ms} ms: ${JSON.stringify(idle)}`);
      }
    },
    measure: during,
  };
}

async function findBackingServices(pid: number): Promise<ReadonlyMap<string, number[]>> {
  const pidsByName = new Map<string, number[]>();
  const family = await processTreeOf([pid]);
  for (const member of family) {
    const command = await readCommandLine(member);
    for (const [name, pattern] of Object.entries(BACKING_SERVICES))
      if (pattern.test(command) && !pidsByName.has(name)) pidsByName.set(name, [member]);
  }
  return pidsByName;
}

/** Converts the processor seconds of each part to milliseconds per unit of work. */
export function msPerUnit(cpu_s: ByPart, units: number): ByPart {
  return Object.fromEntries(Object.entries(cpu_s).map(([part, seconds]) => [part, (seconds * 1_000) / units]));
}
