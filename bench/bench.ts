import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '@alpenglow/infra';
import type { EditName } from '../tests/support/picture-corpus.ts';
import { RECOGNIZED_MIN } from '../tests/support/picture-hashes.ts';
import { PARTS as NAMES, type BenchArguments } from './arguments.mjs';
import { measureCluster } from './cluster.ts';
import { withDatabase } from './databases.ts';
import { benchBumps } from './bumps.ts';
import { NO_EVENTSTOREDB } from '../launcher/engines/eventstoredb.mjs';
import { benchEventStore } from './event-store.ts';
import { benchEventStoreDb } from './event-store-db.ts';
import { benchFlood } from './flood.ts';
import { ALL_GOALS } from './goals.ts';
import { benchGrowth, type GrowthFigures } from './growth.ts';
import { createFigures, printFigures, type Figures } from './figures.ts';
import { benchLogGrowth, type LogFigures } from './log-growth.ts';
import { benchLists } from './lists.ts';
import { benchLivePlaces } from './live-places.ts';
import { benchPages } from './pages.ts';
import { benchPeers } from './peers.ts';
import { benchPictures } from './pictures.ts';
import { benchProjecting } from './projecting.ts';
import { benchRebuild } from './rebuild.ts';
import { benchReplicas } from './replicas.ts';
import { readLastRelease, writeFigures, writeResults } from './results.ts';
import { startProductProcess, type RunningProduct } from './running-product.ts';
import { benchSearches } from './list-scale.ts';
import { benchSearch } from './search-scale.ts';
import { benchStart, START_ADS } from './start.ts';
import { benchTracing } from './tracing.ts';
import { benchWeb } from './web/web.ts';

/**
 * The time until the product is idle after the demo data were written. The work that follows them has then ended, their
 * connections are closed, and Node has returned the memory.
 */
const SETTLE_ms = 90_000;
/** The time over which the processor time of the idle product is measured. */
const IDLE_ms = 20_000;
const MB = 1024 * 1024;

type PrintProgress = (text: string) => void;
type PartName = (typeof NAMES)[number];

interface BenchContext {
  readonly root: string;
  readonly product: RunningProduct;
  readonly figures: Figures;
  readonly printProgress: PrintProgress;
}

/**
 * Parts of the benchmark that share one running product. Each part adds its figures to the table. `memory` is first,
 * because it must run directly after the start of the product.
 */
const PARTS = { memory: measureMemory, lists, store, bumps } satisfies Partial<Record<PartName, unknown>>;
/** Parts of the benchmark that each start their own product. */
const SEPARATE_PARTS = {
  'event-store': eventStoreDb,
  'peer-stores': peerStores,
  pages,
  live,
  projecting,
  start,
  'large-start': largeStart,
  rebuild,
  flood,
  replicas,
  'log-growth': logGrowth,
  growth,
  scale,
  search,
  pictures,
  tracing,
  'cluster-costs': clusterCosts,
  browser,
} satisfies Record<Exclude<PartName, keyof typeof PARTS>, unknown>;
/** The parts of the short form, which takes about five minutes. */
const SHORT_PARTS: readonly PartName[] = ['memory', 'bumps', 'event-store', 'pages', 'projecting'];
const SMALL_ads = 100_000;
const LARGE_ads = 1_000_000;
/** The numbers of ads of the part `search`, separated by commas, instead of 100,000 and 1,000,000. */
const SEARCHED_ads = process.env['BENCH_SEARCH_ADS'];
/** The folder in which the part `search` stores its ads for later runs. By default, each run writes all ads. */
const SEARCHED_DIR = process.env['BENCH_SEARCH_DIR'] ?? null;

/**
 * Runs the requested parts of the benchmark, or all parts if none is requested. With `--short`, runs only the parts
 * that take about five minutes together, and names the figures of `GOALS` that are missing. The measured product runs
 * in a separate process. Prints a table with the figures of the last release, and writes `bench/results.json`. With
 * `--json <file>`, also writes the table to this file.
 */
export async function bench(root: string, { others, options }: BenchArguments): Promise<void> {
  const requested: readonly string[] = others.length > 0 ? others : options.short === true ? SHORT_PARTS : NAMES;
  const isRequested = (name: string) => requested.includes(name);
  const lastRelease = await readLastRelease(root);
  const figures = createFigures();
  const notRun: string[] = [];
  const printProgress: PrintProgress = (text) => process.stderr.write(`${text}\n`);
  const parts = Object.entries(PARTS).filter(([name]) => isRequested(name));
  if (parts.length > 0) {
    printProgress('Starting the product with all demo data');
    const product = await startProductProcess(root);
    try {
      for (const [, part] of parts) await part({ root, product, figures, printProgress });
    } finally {
      await product.stop();
    }
  }
  for (const [name, part] of Object.entries(SEPARATE_PARTS))
    if (isRequested(name)) await part({ root, figures, printProgress, notRun });
  printFigures(figures.all, lastRelease);
  const measured = new Set(figures.all.map(({ name }) => name));
  const leftOut = ALL_GOALS.filter(({ name }) => !measured.has(name));
  if (others.length === 0 && leftOut.length > 0)
    process.stdout.write(`\nLeft out:\n${leftOut.map(({ name, part }) => `  ${name} (${part})\n`).join('')}`);
  await writeResults(root, 'results.json', { figures: figures.all });
  if (options.json !== undefined) await writeFigures(options.json, figures.all);
  for (const line of notRun) process.stdout.write(`not run: ${line}\n`);
}

async function measureMemory({ product, figures, printProgress }: BenchContext): Promise<void> {
  printProgress(`Waiting ${SETTLE_ms / 1000} s, then measuring the idle product`);
  await pause(SETTLE_ms);
  const memory = await product.memory();
  figures.goal('idleMemory', memory.pss / MB);
  figures.report('idle memory, sum over all processes', memory.rss / MB, 'MB');
  const before_s = await product.wholeTime_s();
  const start_ms = performance.now();
  await pause(IDLE_ms);
  const elapsed_s = (performance.now() - start_ms) / 1_000;
  figures.goal('idleTime', (((await product.wholeTime_s()) - before_s) * 1_000) / elapsed_s);
}

async function lists({ root, product, figures, printProgress }: BenchContext): Promise<void> {
  printProgress('GET /ads at 32 connections, compared with Express alone');
  const ratio = await benchLists(root, product.url);
  figures.atLeast('GET /ads ÷ Express returning the same bytes from memory', ratio, '×', 0.6);
}

async function store({ root, product, figures, printProgress }: BenchContext): Promise<void> {
  printProgress('Appends compared with plain inserts, and replay');
  const result = await withDatabase(product.databaseUrl, async (connectionString) => {
    await migrate(connectionString, { migrationsDir: path.join(root, 'infra/migrations') });
    return benchEventStore({ connectionString });
  });
  figures.report('durable appends at 64 writers', result.appendsPerSecond, 'events/s');
  figures.atLeast('durable appends at 64 writers ÷ plain inserts', result.appendRatio, '×', 2);
  figures.atMost('durable append at 64 writers, p99', result.appendP99_ms, 'ms', 10);
  figures.atLeast('sequential replay', result.replayedPerSecond, 'events/s', 50_000);
}

async function eventStoreDb({
  root,
  figures,
  printProgress,
  notRun,
}: Omit<BenchContext, 'product'> & { readonly notRun: string[] }): Promise<void> {
  const result = await benchEventStoreDb(root, printProgress);
  const { pages: paged, longRead, subscription, append } = result;
  if (!result.isReal)
    notRun.push(`${NO_EVENTSTOREDB}; the gRPC server of the tests shows only the part of our own process`);
  figures.goal('esdbPages', paged.ratio);
  figures.goal('esdbLongRead', longRead.ratio);
  figures.goal('esdbSubscription', subscription.ratio);
  figures.goal(
    'esdbOwnTime',
    Math.max(...[paged, longRead, subscription].map(({ ours_us, theirs_us }) => ours_us - theirs_us)),
  );
  figures.goal('esdbAppend', append.ratio);
  figures.goal('esdbWriter', result.writerTimeRatio);
  for (const [name, { ours_us, theirs_us }] of Object.entries({ page: paged, longRead, subscription, append })) {
    figures.report(`… processor time of an event, ${name}, adapter`, ours_us, 'µs');
    figures.report(`… processor time of an event, ${name}, client`, theirs_us, 'µs');
  }
}

async function peerStores({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  printProgress('The event store next to three others on Postgres');
  const result = await benchPeers(root);
  figures.goal('oneWriter', result.oneWriter);
  figures.goal('readAll', result.readAll);
  figures.goal('processes', result.processes);
}

async function pages({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  printProgress('Pages that the server renders');
  const result = await benchPages(root);
  figures.goal('pagesOfLists', result.lists);
  figures.goal('pagesOfAds', result.ads);
  figures.goal('pagesOfSearches', result.searches);
}

async function clusterCosts({ root, figures }: Omit<BenchContext, 'product'>): Promise<void> {
  await measureCluster(root, figures, { parts: ['costs', 'photos'] });
}

async function browser({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  printProgress('Pages in a browser, next to one application');
  const result = await benchWeb(root);
  figures.goal('blockingList', result.blockingList);
  figures.goal('blockingAd', result.blockingAd);
  figures.goal('interaction', result.interaction);
  figures.goal('secondPage', result.secondPage);
}

async function bumps({ root, product, figures, printProgress }: BenchContext): Promise<void> {
  printProgress('POST /ads/{id}/bump at 32 connections, compared with Express alone');
  const ratio = await benchBumps(root, product);
  figures.goal('bump', ratio);
}

async function projecting({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  const { newAd_ms, changedAd_ms } = await benchProjecting(root, printProgress);
  figures.report('processor time of the product for a new ad, all read models', newAd_ms, 'ms');
  figures.goal('changedAd', changedAd_ms.product + changedAd_ms.postgres);
  figures.report('… product', changedAd_ms.product, 'ms');
  figures.report('… Postgres', changedAd_ms.postgres, 'ms');
}

async function start({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  const result = await benchStart(root, START_ADS, printProgress);
  const name = `first start with ${result.ads.toLocaleString('en')} ads`;
  figures.atMost(`${name}, for every 100,000 ads`, (result.start_s / result.ads) * 100_000, 's', 20);
  figures.report(name, result.eventsPerSecond, 'events/s');
  figures.goal('firstStartProduct', result.productTimePerEvent_us / 1_000);
  figures.goal('firstStartPostgres', result.postgresTimePerEvent_us / 1_000);
}

async function largeStart({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  figures.goal('firstStart', (await benchStart(root, LARGE_ads, printProgress)).start_s);
}

async function live({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  printProgress('Live messages to the clients of their place, compared with a broadcast');
  const result = await benchLivePlaces(root);
  const { clients, places } = result;
  figures.atLeast(`live messages to ${clients} clients in ${places} places ÷ broadcast, CPU`, result.ratio, '×', 20);
  figures.report('live messages by place', result.placesPerCpu_s, 'messages/s of CPU');
  figures.report('live messages broadcast to all', result.broadcastPerCpu_s, 'messages/s of CPU');
  figures.atMost(`${clients} clients connect again and resume after a restart`, result.reconnect_s, 's', 10);
  figures.report('processor time of the process for this', result.reconnectCpu_s, 's');
}

async function flood({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  const result = await benchFlood(root, printProgress);
  for (const [kind, { p50_ms, p99_ms }] of Object.entries(result.idle)) {
    figures.report(`${kind} of a visitor, p50`, p50_ms, 'ms');
    figures.report(`${kind} of a visitor, p99`, p99_ms, 'ms');
  }
  for (const { name, statuses, visitors } of result.floods) {
    for (const [status, count] of Object.entries(statuses)) figures.report(`flood of ${name}: ${status}`, count, '');
    for (const [kind, { p50_ms, p99_ms }] of Object.entries(visitors)) {
      figures.report(`… ${kind} of a visitor, p50`, p50_ms, 'ms');
      figures.report(`… ${kind} of a visitor, p99`, p99_ms, 'ms');
      figures.atMost(`… p99 ÷ without a flood`, p99_ms / (result.idle[kind]?.p99_ms ?? 0), '×', 3);
    }
  }
}

async function rebuild({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  const result = await benchRebuild(root, printProgress);
  figures.goal('rebuild', result.eventsPerSecond);
  figures.report('the same until the last row is written', result.filledPerSecond, 'events/s');
  figures.report('the same in the product itself, with readers, rows compared', result.inProductPerSecond, 'events/s');
  figures.report('GET /ads at 50 a second, p99', result.quietP99_ms, 'ms');
  figures.atMost('the same during npm run projections -- rebuild ÷ without, p99', result.commandRatio, '×', 2);
  figures.atMost('the same during a rebuild of the panel ÷ without, p99', result.panelRatio, '×', 2);
}

/** A figure for each number of events. With `isTotal`, the figure may grow in proportion to the number. */
interface Curve<Size> {
  readonly read: (size: Size) => number;
  readonly name: string;
  readonly unit: string;
  readonly isTotal?: boolean;
}

const LOG_CURVES: readonly Curve<LogFigures>[] = [
  { read: (size) => size.append_ms, name: 'append, p50', unit: 'ms' },
  { read: (size) => size.stream_ms, name: 'read of a stream, p50', unit: 'ms' },
  { read: (size) => size.page_ms, name: 'read of 100 events of the log, p50', unit: 'ms' },
];
const PRODUCT_CURVES: readonly Curve<GrowthFigures>[] = [
  { read: (size) => size.listP50_ms, name: 'uncached list, p50', unit: 'ms' },
  { read: (size) => size.listP99_ms, name: 'uncached list, p99', unit: 'ms' },
  { read: (size) => size.searchP50_ms, name: 'search, p50', unit: 'ms' },
  { read: (size) => size.searchP99_ms, name: 'search, p99', unit: 'ms' },
  { read: (size) => size.start_s, name: 'first start, read models built', unit: 's', isTotal: true },
  { read: (size) => size.rebuild_s, name: 'rebuild of ad_cards', unit: 's', isTotal: true },
  { read: (size) => size.backup_s, name: 'backup', unit: 's', isTotal: true },
];
const MAX_GROWTH = 1.2;

/** Reports each figure at each size, and its growth for a factor of ten. */
function reportCurves<Size extends { readonly events: number }>(
  figures: Figures,
  sizes: readonly Size[],
  curves: readonly Curve<Size>[],
): void {
  for (const { read, name, unit, isTotal = false } of curves) {
    sizes.forEach((size, index) => {
      figures.report(`${name}, ${size.events.toLocaleString('en')} events`, read(size), unit);
      const before = sizes[index - 1];
      if (!before) return;
      const events = size.events / before.events;
      const growth = read(size) / read(before) / (isTotal ? events : 1);
      figures.atMost(
        `… growth${isTotal ? ' for each event' : ''}`,
        growth ** (1 / Math.log10(events)),
        '×',
        MAX_GROWTH,
      );
    });
  }
}

async function logGrowth({ figures, printProgress }: Pick<BenchContext, 'figures' | 'printProgress'>): Promise<void> {
  const sizes = await benchLogGrowth(printProgress);
  reportCurves(figures, sizes, LOG_CURVES);
}

async function growth({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  const sizes = await benchGrowth(root, printProgress);
  reportCurves(figures, sizes, PRODUCT_CURVES);
  const [before, last] = sizes.slice(-2);
  if (!before || !last || last.events < LARGE_ads / 2) return;
  figures.goal('listGrowth', last.listP99_ms / before.listP99_ms);
  figures.goal('rebuildGrowth', last.rebuild_s / last.events / (before.rebuild_s / before.events));
}

async function replicas({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  const result = await benchReplicas(root, printProgress);
  for (const [name, { without, with: withReplica, ratio }] of [
    ['uncached lists', result.quiet],
    ['the same with 200 other commits a second', result.busy],
  ] as const) {
    figures.report(`${name}, processor time of the primary server, no replica`, without.primary_ms, 'ms');
    figures.report('… with a replica', withReplica.primary_ms, 'ms');
    figures.atLeast('… no replica ÷ with a replica', ratio, '×', 5);
    figures.report('… with a replica, processor time of the replica', withReplica.replica_ms, 'ms');
    figures.report('… query-api, no replica', without.service_ms, 'ms');
    figures.report('… query-api, with a replica', withReplica.service_ms, 'ms');
  }
}

async function scale({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  const small = await benchSearches(root, SMALL_ads, printProgress);
  const large = await benchSearches(root, LARGE_ads, printProgress);
  figures.atLeast('npm run seed -- --ads 1000000', large.seededPerSecond, 'ads/s', 10_000);
  figures.report('start of the product with them, read models built', large.caughtUp_s, 's');
  figures.atMost('GET /ads with filters over 1,000,000 ads, first page, p99', large.firstPageP99_ms, 'ms', 25);
  figures.report('the same over 100,000 ads', small.firstPageP99_ms, 'ms');
  figures.atMost('the same ÷ over 100,000 ads', large.firstPageP99_ms / small.firstPageP99_ms, '×', 1.3);
  for (const { ads, pageOneP50_ms, pageThousandP50_ms } of [small, large]) {
    figures.report(`GET /ads over ${ads.toLocaleString('en')} ads, page 1, p50`, pageOneP50_ms, 'ms');
    figures.report('the same, page 1,000 by cursor, p50', pageThousandP50_ms, 'ms');
  }
  figures.atMost(
    'GET /ads, page 1,000 by cursor ÷ page 1, p50',
    large.pageThousandP50_ms / large.pageOneP50_ms,
    '×',
    1,
  );
  figures.atMost('GET /ads with q over 1,000,000 ads, p99', large.fullTextP99_ms, 'ms', 60);
  figures.report('the same over 100,000 ads', small.fullTextP99_ms, 'ms');
  figures.atMost('the same ÷ over 100,000 ads', large.fullTextP99_ms / small.fullTextP99_ms, '×', 1.3);
}

async function search({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  const counts = SEARCHED_ads === undefined ? [SMALL_ads, LARGE_ads] : SEARCHED_ads.split(',').map(Number);
  const results = await benchSearch(root, counts, SEARCHED_DIR, printProgress);
  for (const { ads, p50_ms, p99_ms } of results) {
    const name = `search by relevance over ${ads.toLocaleString('en')} ads, 20 requests a second`;
    figures.report(`${name}, p50`, p50_ms, 'ms');
    if (ads === LARGE_ads) figures.goal('search', p99_ms);
    else figures.atMost(`${name}, p99`, p99_ms, 'ms', 40);
  }
  const [small] = results;
  const large = results.at(-1);
  if (small && large && small !== large) figures.goal('searchGrowth', large.p99_ms / small.p99_ms);
}

/** The maximum share of false matches (decision 0118). */
const FALSE_MATCHES_MAX = 0.001;

async function pictures({ figures, printProgress }: Pick<BenchContext, 'figures' | 'printProgress'>): Promise<void> {
  const { recognitions, ...result } = await benchPictures(printProgress);
  for (const { candidate, recognized, falseMatches, listed } of recognitions) {
    const isProduct = candidate === recognitions.at(-1)?.candidate;
    for (const [edit, share] of Object.entries(recognized)) {
      const target = isProduct ? RECOGNIZED_MIN[edit as EditName] : undefined;
      const name = `${candidate}: ${edit}`;
      if (target === undefined) figures.report(name, share * 100, '%');
      else figures.atLeast(name, share * 100, '%', target * 100);
    }
    const name = `${candidate}: false matches with ${listed.toLocaleString('en')} pictures`;
    if (isProduct) figures.atMost(name, falseMatches * 100, '%', FALSE_MATCHES_MAX * 100);
    else figures.report(name, falseMatches * 100, '%');
  }
  figures.atMost('hashes of a decoded photo, processor time', result.hash_ms, 'ms', 30);
  figures.report('search of 1,000,000 hashes, p50', result.searchP50_ms, 'ms');
  figures.atMost('search of 1,000,000 hashes, p99', result.searchP99_ms, 'ms', 5);
  figures.report('memory of the index for each hash', result.indexBytesPerHash, 'bytes');
  figures.report('search of 1,000,000 hashes in Postgres, p50', result.postgresP50_ms, 'ms');
  figures.report('search of 1,000,000 hashes in Postgres, p99', result.postgresP99_ms, 'ms');
}

async function tracing({ root, figures, printProgress }: Pick<BenchContext, 'root' | 'figures' | 'printProgress'>) {
  printProgress('Requests with and without traces');
  const { reads, writes, spans } = await benchTracing(root);
  for (const [name, { rate, processorTime }] of [
    ['GET /ads', reads],
    ['favorites', writes],
  ] as const) {
    figures.atLeast(`${name} a second, with traces ÷ without`, rate, '×', 0.97);
    figures.atMost(`${name}, processor time of a request, with traces ÷ without`, processorTime, '×', 1.03);
  }
  figures.report('spans that the collector received', spans, '');
}
