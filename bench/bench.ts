import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '@alpenglow/infra';
import { withDatabase } from './databases.ts';
import { benchBumps } from './bumps.ts';
import { benchEventStore } from './event-store.ts';
import { benchFlood } from './flood.ts';
import { benchGrowth, type GrowthFigures } from './growth.ts';
import { createFigures, printFigures, type Figures } from './figures.ts';
import { benchLogGrowth, type LogFigures } from './log-growth.ts';
import { benchLists } from './lists.ts';
import { benchLivePlaces } from './live-places.ts';
import { benchProjecting } from './projecting.ts';
import { benchRebuild } from './rebuild.ts';
import { benchReplicas } from './replicas.ts';
import { writeResults } from './results.ts';
import { startProductProcess, type RunningProduct } from './running-product.ts';
import { benchSearches } from './list-scale.ts';
import { benchSearch } from './search-scale.ts';
import { benchStart } from './start.ts';

/**
 * The time until the product is idle after the demo data were written. The work that follows them has then ended, their
 * connections are closed, and Node has returned the memory.
 */
const SETTLE_ms = 90_000;
const MB = 1024 * 1024;

type PrintProgress = (text: string) => void;

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
const PARTS = { memory: measureMemory, lists, store, bumps };
/** Parts of the benchmark that each start their own product. */
const SEPARATE_PARTS = {
  live,
  projecting,
  start,
  rebuild,
  flood,
  replicas,
  'log-growth': logGrowth,
  growth,
  scale,
  search,
};
const NAMES: readonly string[] = [...Object.keys(PARTS), ...Object.keys(SEPARATE_PARTS)];
const SMALL_ads = 100_000;
const LARGE_ads = 1_000_000;
/** The numbers of ads of the part `search`, separated by commas, instead of 100,000 and 1,000,000. */
const SEARCHED_ads = process.env['BENCH_SEARCH_ADS'];
/** The folder in which the part `search` stores its ads for later runs. By default, each run writes all ads. */
const SEARCHED_DIR = process.env['BENCH_SEARCH_DIR'] ?? null;

/**
 * Runs the requested parts of the benchmark, or all parts if none is requested. The measured product runs in a separate
 * process. Prints a table and writes `bench/results.json`.
 */
export async function bench(root: string, requestedNames: readonly string[]): Promise<void> {
  const unknown = requestedNames.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) throw new Error(`Unknown part: ${unknown.join(', ')}. The parts are ${NAMES.join(', ')}.`);
  const isRequested = (name: string) => requestedNames.length === 0 || requestedNames.includes(name);
  const figures = createFigures();
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
    if (isRequested(name)) await part({ root, figures, printProgress });
  printFigures(figures.all);
  await writeResults(root, 'results.json', { figures: figures.all });
}

async function measureMemory({ product, figures, printProgress }: BenchContext): Promise<void> {
  printProgress(`Waiting ${SETTLE_ms / 1000} s, then measuring the memory`);
  await pause(SETTLE_ms);
  const memory = await product.memory();
  figures.atMost('resident memory, idle after seeding, shared pages counted once', memory.pss / MB, 'MB', 450);
  figures.atMost('resident memory, idle after seeding, sum over all processes', memory.rss / MB, 'MB', 450);
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

async function bumps({ root, product, figures, printProgress }: BenchContext): Promise<void> {
  printProgress('POST /ads/{id}/bump at 32 connections, compared with Express alone');
  const ratio = await benchBumps(root, product);
  figures.atLeast('POST /ads/{id}/bump ÷ Express only parsing the same body', ratio, '×', 0.4);
}

async function projecting({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  const perAd_ms = await benchProjecting(root, printProgress);
  figures.report('processor time of the product for a new ad, all read models', perAd_ms, 'ms');
}

async function start({ root, figures, printProgress }: Omit<BenchContext, 'product'>): Promise<void> {
  const result = await benchStart(root, printProgress);
  const name = `first start with ${result.ads.toLocaleString('en')} ads`;
  figures.atMost(`${name}, for every 100,000 ads`, (result.start_s / result.ads) * 100_000, 's', 20);
  figures.report(`${name}`, result.eventsPerSecond, 'events/s');
  figures.report('… processor time of the product', result.productTimePerEvent_us, 'µs/event');
  figures.report('… processor time of Postgres', result.postgresTimePerEvent_us, 'µs/event');
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
  figures.atLeast('rebuild of ad_cards, indexes with it', result.eventsPerSecond, 'events/s', 20_000);
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
    figures.atMost(`${name}, p99`, p99_ms, 'ms', 40);
  }
  const [small] = results;
  const large = results.at(-1);
  if (small && large && small !== large)
    figures.atMost('the same ÷ over the smaller number, p99', large.p99_ms / small.p99_ms, '×', 1.5);
}
