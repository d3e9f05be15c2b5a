import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { createApiClient } from '../tests/support/api-client.ts';
import { startTestCluster, type TestCluster } from '../tests/support/cluster.ts';
import { CLUSTER_PARTS as PARTS, type BenchArguments } from './arguments.mjs';
import { openStoreAccess, storeAds, waitUntilProjected, type StoreAccess, type StoredAd } from './cluster-ads.ts';
import { benchCosts, type CostFigures, type UnitCost } from './cluster-costs.ts';
import { benchJobs, type JobFigures } from './cluster-jobs.ts';
import { benchLive, type LiveFigures } from './cluster-live.ts';
import { createMeter, type ByPart, type Meter } from './cluster-meter.ts';
import { benchPhotos, type PhotoFigures } from './cluster-photos.ts';
import { benchRelay, type RelayFigures } from './cluster-relay.ts';
import { signUpWriters, type Writers } from './cluster-writers.ts';
import { createFigures, printFigures, type Figures } from './figures.ts';
import { writeResults } from './results.ts';
import { benchPostToLive, type PostToLiveFigures } from './cluster-latency.ts';
import type { Memory } from '../tests/support/process-usage.ts';

/**
 * Amounts of work for each part. The option `--quick` uses small amounts to test the benchmark, so its figures are not
 * meaningful.
 */
const SIZES = {
  whole: {
    ads: 5_000,
    changesEach: 6,
    postings: 300,
    clients: 5_000,
    rounds: 11,
    burst: 20,
    jobs: 2_000,
    jobRounds: 3,
    photos: 12,
    settle_ms: 15_000,
    duration_ms: 6_000,
  },
  quick: {
    ads: 300,
    changesEach: 10,
    postings: 20,
    clients: 500,
    rounds: 3,
    burst: 5,
    jobs: 300,
    jobRounds: 1,
    photos: 2,
    settle_ms: 3_000,
    duration_ms: 1_000,
  },
};
type Sizes = (typeof SIZES)['whole'];

type Part = (typeof PARTS)[number];

const MB = 1024 * 1024;
const KB = 1024;
const WRITERS = 16;
/** Number of characters of the service log that are printed after a failure. */
const LOG_EXCERPT_characters = 5_000;

const printProgress = (text: string) => process.stderr.write(`${text}\n`);

interface BenchContext {
  readonly root: string;
  readonly cluster: TestCluster;
  readonly secrets: ClusterSecrets;
  readonly access: StoreAccess;
  readonly ads: readonly StoredAd[];
  readonly meter: Meter;
  readonly writers: Writers;
  readonly sizes: Sizes;
}

/**
 * Runs `npm run bench:cluster`. It measures the cluster profile on this machine, with services as processes and real
 * backing services. The arguments are `--quick` and the names of the parts to run, by default all. Prints a table and
 * writes `bench/cluster-results.json`.
 */
export async function bench(root: string, { others, options }: BenchArguments): Promise<void> {
  const requestedParts = PARTS.filter((part) => others.includes(part));
  const sizes = options.quick === true ? SIZES.quick : SIZES.whole;
  const figures = createFigures();
  const loadBefore = os.loadavg();
  await measureCluster(root, figures, { parts: requestedParts.length > 0 ? requestedParts : PARTS, sizes });
  printFigures(figures.all);
  const load = { before: loadBefore, after: os.loadavg() };
  printProgress(
    `load average ${load.before[0]?.toFixed(1)} before, ${load.after[0]?.toFixed(1)} after; ` +
      `${os.cpus().length} processors, ${os.cpus()[0]?.model ?? ''}`,
  );
  await writeResults(root, 'cluster-results.json', { load, sizes, figures: figures.all });
}

/** Measures parts of the cluster, and adds their figures to the table. */
export async function measureCluster(
  root: string,
  figures: Figures,
  { parts: requested = PARTS, sizes = SIZES.whole }: { readonly parts?: readonly Part[]; readonly sizes?: Sizes },
): Promise<void> {
  const parts: ReadonlySet<Part> = new Set(requested);

  if (parts.has('latency')) {
    await withCluster(2, async (cluster) => {
      printProgress('From POST /ads to the WebSocket');
      addLatency(figures, await benchPostToLive(cluster.url, sizes.postings));
    });
  }
  if ([...parts].some((part) => part !== 'latency')) {
    await withCluster(1, async (cluster, secrets) => {
      const meter = await createMeter(cluster);
      printProgress('Idle');
      await pause(sizes.settle_ms);
      const idle = { cpu: await meter.measureIdle(sizes.settle_ms), memory: await meter.memory() };
      if (parts.has('idle')) addIdle(figures, idle);
      const access = openStoreAccess(cluster.databaseUrl, secrets.dataKeys);
      const writers = await signUpWriters(createApiClient(cluster.url), {
        count: WRITERS,
        target: cluster.members.find(({ service }) => service === 'command-api')?.url ?? '',
      });
      try {
        const ads = await storeAds(access.store, sizes.ads);
        await waitUntilProjected(access.pool, await access.store.readHead());
        await runParts(parts, { root, cluster, secrets, access, ads, meter, writers, sizes }, figures);
      } finally {
        writers.close();
        await access.close();
      }
    });
  }
}

/**
 * Secrets of the cluster. They are in the environment of its services, so the file of its data folder does not contain
 * them.
 */
interface ClusterSecrets {
  /** Signs the tokens for photos that are not public. */
  readonly accountIds: string;
  /** Encrypts personal data. */
  readonly dataKeys: string;
}

/** Runs `work` with a new cluster that has `each` processes of each service. */
async function withCluster<T>(
  each: number,
  work: (cluster: TestCluster, secrets: ClusterSecrets) => Promise<T>,
): Promise<T> {
  printProgress(`Starting a cluster, ${each} of each service`);
  const [accountIds = '', dataKeys = '', verificationCodes = ''] = Array.from({ length: 3 }, () =>
    randomBytes(32).toString('hex'),
  );
  const cluster = await startTestCluster({
    each,
    // The figures of docs/scaling.md are those of events in Postgres.
    eventStoreNodes: 0,
    env: {
      LOG_LEVEL: 'warn',
      SECRET_ACCOUNT_IDS: accountIds,
      SECRET_DATA_KEYS: dataKeys,
      SECRET_VERIFICATION_CODES: verificationCodes,
    },
  });
  for (const line of cluster.backingServices.missing) printProgress(`not running: ${line}`);
  try {
    await cluster.ready();
    return await work(cluster, { accountIds, dataKeys });
  } catch (error) {
    for (const line of cluster.supervisorMessages) printProgress(line);
    printProgress((await readFile(cluster.logFile, 'utf8')).slice(-LOG_EXCERPT_characters));
    throw error;
  } finally {
    await cluster.stop();
  }
}

async function runParts(parts: ReadonlySet<Part>, bench: BenchContext, figures: Figures): Promise<void> {
  const { root, cluster, meter, writers, sizes } = bench;
  const { env } = cluster.backingServices;
  if (parts.has('relay')) {
    printProgress('From the event store to a WebSocket client');
    if (env['KAFKA_BROKERS'] === undefined) printProgress('not run: the relay needs Kafka');
    else addRelay(figures, await benchRelay({ ...bench, changesEach: sizes.changesEach }));
  }
  if (parts.has('costs')) {
    printProgress('Cost of a unit of each kind of work');
    addCosts(figures, await benchCosts({ ...bench, duration_ms: sizes.duration_ms }));
  }
  if (parts.has('photos')) {
    printProgress('Photos');
    const { photos, duration_ms } = sizes;
    addPhotos(
      figures,
      await benchPhotos({ cluster, accountIds: bench.secrets.accountIds, meter, writers, photos, duration_ms }),
    );
  }
  if (parts.has('live')) {
    printProgress('WebSocket clients of one query-api process');
    const { clients: wanted, rounds, burst } = sizes;
    addLive(figures, await benchLive({ root, cluster, meter, writer: writers, wanted, rounds, burst }));
  }
  if (parts.has('jobs')) {
    printProgress('Jobs on Redis, compared with jobs on Postgres');
    const redisUrl = env['REDIS_URL'];
    if (redisUrl === undefined) printProgress('not run: jobs on Redis need Redis');
    else {
      const { jobRounds: rounds, jobs } = sizes;
      addJobs(figures, await benchJobs({ redisUrl, databaseUrl: cluster.databaseUrl, rounds, jobs }));
    }
  }
}

function addLatency(figures: Figures, latency: PostToLiveFigures): void {
  figures.report('POST /ads sent → WebSocket, through the gateway, p50', latency.p50_ms, 'ms');
  figures.atMost('POST /ads sent → WebSocket, through the gateway, p99', latency.p99_ms, 'ms', 250);
}

function addIdle(figures: Figures, { cpu, memory }: { cpu: ByPart; memory: ByPart<Memory> }): void {
  for (const [part, { pss }] of Object.entries(memory))
    figures.report(`idle memory of ${part}, shared pages counted once`, pss / MB, 'MB');
  for (const [part, share] of Object.entries(cpu))
    figures.report(`idle processor time of ${part}`, share * 1_000, 'ms a second');
}

function addRelay(figures: Figures, relay: RelayFigures): void {
  figures.report('relay → Kafka → query-api → WebSocket, lists up to date', relay.perSecond, 'events/s');
  addParts(figures, 'an event on this path', relay.cpu_ms);
}

function addCosts(figures: Figures, costs: CostFigures): void {
  const unit = (name: string, { perSecond, cpu_ms }: UnitCost) => {
    figures.report(`${name}, on this machine`, perSecond, 'a second');
    addParts(figures, name, cpu_ms);
  };
  unit('append to the store, 64 writers', costs.append);
  unit('changed ad, with all consequences', costs.write);
  figures.goal('clusterAd', sumOf(costs.write.cpu_ms));
  figures.report('changed ad, one connection, p50', costs.write.p50_ms, 'ms');
  unit('cached list', costs.cachedList);
  unit('uncached list', costs.listRead);
  unit('page of an ad', costs.adPage);
  unit('sign-in', costs.signIn);
  unit('HTML page of the site', costs.sitePage);
  unit('cached list through the gateway', costs.gateway);
  figures.report(
    'gateway hop of a read, p50 of one connection',
    costs.hop.read.throughGateway_ms - costs.hop.read.direct_ms,
    'ms',
  );
  figures.report(
    'gateway hop of a write, p50 of one connection',
    costs.hop.write.throughGateway_ms - costs.hop.write.direct_ms,
    'ms',
  );
  figures.report('a list, first page', costs.listSize_bytes / KB, 'KB');
  figures.report('disk of an event, indexes included', costs.event_bytes, 'bytes');
}

function addPhotos(figures: Figures, photos: PhotoFigures): void {
  addParts(figures, '12-megapixel photo', photos.cpu_ms);
  figures.report('photo as stored, all variants', photos.stored_bytes / KB, 'KB');
  figures.report('picture served, on this machine', photos.served.perSecond, 'a second');
  addParts(figures, `picture of ${Math.round(photos.served.bytes / KB)} KB served`, photos.served.cpu_ms);
  figures.goal('picture', sumOf(photos.served.cpu_ms));
  figures.goal('pictureUnchanged', sumOf(photos.unchanged_ms));
  figures.goal('pictureRange', sumOf(photos.range_ms));
}

function addLive(figures: Figures, live: LiveFigures): void {
  const { clients, memory, gateway } = live;
  if (live.restricted !== null) printProgress(`fewer clients than requested: ${live.restricted}`);
  figures.report(`memory of query-api for each of ${clients} WebSocket clients, RSS`, memory.rss / KB, 'KB');
  figures.report(`memory of query-api for each of ${clients} WebSocket clients, PSS`, memory.pss / KB, 'KB');
  figures.report(`one event to ${clients} WebSocket clients, first to last`, live.spread_ms, 'ms');
  figures.report('processor time of query-api for a message to a client', live.send_us, 'µs');
  figures.report('processor time of the gateway for a message to a client', gateway.send_us, 'µs');
  figures.report(
    `memory of the gateway for each of ${gateway.clients} WebSocket clients, RSS`,
    gateway.memory.rss / KB,
    'KB',
  );
}

function addJobs(figures: Figures, jobs: JobFigures): void {
  figures.report('jobs enqueued, Redis ÷ Postgres', jobs.enqueuedRatio, '×');
  figures.report('jobs done on Redis, one worker', jobs.doneOnRedis, 'a second');
  figures.report('jobs done on Postgres, one worker', jobs.doneOnPostgres, 'a second');
}

const sumOf = (cpu_ms: ByPart): number => Object.values(cpu_ms).reduce((sum, share) => sum + share, 0);

/** Adds a figure for each part of the cluster that uses more than 2 percent of the processor time. */
function addParts(figures: Figures, name: string, cpu_ms: ByPart): void {
  const total = sumOf(cpu_ms);
  for (const [part, share] of Object.entries(cpu_ms))
    if (share > total * 0.02) figures.report(`  ${name}: processor time of ${part}`, share, 'ms');
}
