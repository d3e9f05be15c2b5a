import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { findFreePort } from '../launcher/cluster/free-port.mjs';
import { startDatabases, type Databases } from '../tests/support/postgres-with-replica.ts';
import { removeServerFiles } from '../tests/support/server-folder.mjs';
import { runClosedLoop } from './closed-loop.ts';
import { seedAds } from './generated-ads.ts';
import { createHttpClient } from './http-client.ts';
import { createUniqueFilterQuery } from './list-scale.ts';
import { readCpuTime } from '../tests/support/process-usage.ts';
import { createDataDir } from './running-product.ts';
import { median } from './statistics.ts';

const ADS = 20_000;
const ROUNDS = 5;
const ROUND_ms = 3_000;
const WORKERS = 8;
const WRITES_PER_SECOND = 200;
const POLL_INTERVAL_ms = 200;

/** The cost of uncached lists in a process without replicas, or in one with a replica. */
interface ListCost {
  readonly listsPerSecond: number;
  /** Processor time of the primary server for each list, without what it uses when there are no lists. */
  readonly primary_ms: number;
  readonly replica_ms: number;
  readonly service_ms: number;
}

interface Comparison {
  readonly without: ListCost;
  readonly with: ListCost;
  /** Processor time of the primary server for a list without a replica, divided by that with one. */
  readonly ratio: number;
}

export interface ReplicaFigures {
  readonly quiet: Comparison;
  /** The same while other statements commit 200 times a second. */
  readonly busy: Comparison;
}

/**
 * Measures uncached lists of 20,000 ads from two processes of query-api on the same database. One has a read replica.
 * They take turns, so that the load of the machine affects both.
 */
export async function benchReplicas(root: string, printProgress: (text: string) => void): Promise<ReplicaFigures> {
  const dataDir = await createDataDir();
  const databases = await startDatabases(path.join(dataDir, 'postgres'));
  const closing: (() => Promise<unknown>)[] = [() => removeServerFiles(dataDir)];
  closing.push(() => databases.close());
  try {
    const env = { DATABASE_URL: databases.url, DATA_DIR: path.join(dataDir, 'data'), DEMO: 'off' };
    printProgress(`Seeding ${ADS.toLocaleString('en')} ads`);
    await seedAds(root, env.DATA_DIR, ADS, env);
    printProgress('Starting the projectors and two processes of query-api');
    const projectors = await startService(root, 'projectors', env);
    closing.push(() => projectors.stop());
    const without = await startService(root, 'query-api', env);
    closing.push(() => without.stop());
    const withReplica = await startService(root, 'query-api', { ...env, DATABASE_READ_URLS: databases.replica.url });
    closing.push(() => withReplica.stop());
    printProgress('Lists without and with a replica');
    const quiet = await compare(databases, without, withReplica);
    printProgress('The same with other commits');
    const writer = startWriter(databases.url);
    closing.push(() => writer.stop());
    const busy = await compare(databases, without, withReplica);
    await writer.stop();
    return { quiet, busy };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

interface Service {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

async function startService(root: string, name: string, env: Readonly<Record<string, string>>): Promise<Service> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [path.join(root, `launcher/dist/${name}.mjs`)], {
    cwd: root,
    env: { ...process.env, ...env, PORT: String(port), RATE_LIMITS: 'off' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
    await pause(POLL_INTERVAL_ms);
  }
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Commits small changes at regular intervals, so that the WAL grows during the reads. */
function startWriter(connectionString: string) {
  let isOver = false;
  const finished = (async () => {
    const client = new Client({ connectionString });
    await client.connect();
    await client.query('create table if not exists bench_writes (value integer not null)');
    while (!isOver) {
      await client.query('insert into bench_writes values (1)');
      await pause(1_000 / WRITES_PER_SECOND);
    }
    await client.end();
  })();
  return {
    async stop(): Promise<void> {
      isOver = true;
      await finished;
    },
  };
}

let lists = 0;

async function compare(databases: Databases, without: Service, withReplica: Service): Promise<Comparison> {
  const rounds = [];
  await measure(databases, without);
  await measure(databases, withReplica);
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({
      idle: await measureIdle(databases),
      without: await measure(databases, without),
      with: await measure(databases, withReplica),
    });
  // The median excludes rounds in which the server cleaned up tables.
  const idle = {
    primary: median(rounds.map((round) => round.idle.primary)),
    replica: median(rounds.map((round) => round.idle.replica)),
  };
  const one = subtractIdle(medianOf(rounds.map((round) => round.without)), idle);
  const other = subtractIdle(medianOf(rounds.map((round) => round.with)), idle);
  return { without: one, with: other, ratio: one.primary_ms / other.primary_ms };
}

function medianOf(costs: readonly ListCost[]): ListCost {
  const of = (name: keyof ListCost) => median(costs.map((cost) => cost[name]));
  return {
    listsPerSecond: of('listsPerSecond'),
    primary_ms: of('primary_ms'),
    replica_ms: of('replica_ms'),
    service_ms: of('service_ms'),
  };
}

/** Processor seconds that a server uses in each second without lists, e.g. for replication. */
interface IdleCost {
  readonly primary: number;
  readonly replica: number;
}

async function measureIdle(databases: Databases): Promise<IdleCost> {
  const pids = [databases.pid(), databases.replica.pid()];
  const [before, start_ms] = [await Promise.all(pids.map(readCpuTime)), performance.now()];
  await pause(ROUND_ms);
  const [after, elapsed_s] = [await Promise.all(pids.map(readCpuTime)), (performance.now() - start_ms) / 1_000];
  const [primary = 0, replica = 0] = after.map((time_s, index) => (time_s - (before[index] ?? 0)) / elapsed_s);
  return { primary, replica };
}

function subtractIdle(cost: ListCost, idle: IdleCost): ListCost {
  const perList = (idle_s: number) => (idle_s * 1_000) / cost.listsPerSecond;
  return {
    ...cost,
    primary_ms: cost.primary_ms - perList(idle.primary),
    replica_ms: cost.replica_ms - perList(idle.replica),
  };
}

async function measure(databases: Databases, { url, pid }: Service): Promise<ListCost> {
  const http = createHttpClient({ connections: WORKERS });
  const times_s = () => Promise.all([databases.pid(), databases.replica.pid(), pid].map(readCpuTime));
  const before = await times_s();
  // Each URL is requested only once, so no response comes from a cache.
  const result = await runClosedLoop(
    () => {
      lists += 1;
      return http.send('GET', `${url}/api/ads?${createUniqueFilterQuery(lists)}&limit=${10 + (lists % 90)}`);
    },
    { workers: WORKERS, duration_ms: ROUND_ms },
  );
  const after = await times_s();
  http.close();
  const [primary_ms = 0, replica_ms = 0, service_ms = 0] = after.map(
    (time_s, index) => ((time_s - (before[index] ?? 0)) * 1_000) / result.count,
  );
  return { listsPerSecond: result.perSecond, primary_ms, replica_ms, service_ms };
}
