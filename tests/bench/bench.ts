import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '@alpenglow/infra';
import { withDatabase } from './databases.ts';
import { benchBumps } from './bumps.ts';
import { benchCommunity } from './community.ts';
import { benchEventStore } from './event-store.ts';
import { createFigures, printFigures, type Figures } from './figures.ts';
import { benchLatency } from './latency.ts';
import { benchLists } from './lists.ts';
import { benchRebuild } from './rebuild.ts';
import { startProductProcess, type RunningProduct } from './running-product.ts';
import { benchSearches } from './searches.ts';

const SETTLE_ms = 30_000;
const MB = 1024 * 1024;

type Say = (text: string) => void;

interface Bench {
  readonly root: string;
  readonly product: RunningProduct;
  readonly figures: Figures;
  readonly say: Say;
}

/** Each fills in its figures and answers what they were made of. The first wants the product as it starts. */
const PARTS = { memory: weigh, lists, latency, store, bumps, community };
/** The parts that have products of their own. */
const ALONE = { rebuild, scale };
const NAMES: readonly string[] = [...Object.keys(PARTS), ...Object.keys(ALONE)];
const SMALL_ads = 100_000;
const LARGE_ads = 1_000_000;

/**
 * Runs the benchmarks, all of them unless some are named, against the product in a process of its own; prints a table and writes
 * `tests/bench/results.json`.
 */
export async function bench(root: string, named: readonly string[]): Promise<void> {
  const unknown = named.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) throw new Error(`No such part: ${unknown.join(', ')}. There are ${NAMES.join(', ')}.`);
  const isWanted = (name: string) => named.length === 0 || named.includes(name);
  const figures = createFigures();
  const say: Say = (text) => process.stderr.write(`${text}\n`);
  const parts = Object.entries(PARTS).filter(([name]) => isWanted(name));
  const details: Record<string, unknown> = {};
  if (parts.length > 0) {
    say('Starting the product with all demo data');
    const product = await startProductProcess(root);
    try {
      for (const [name, part] of parts) details[name] = await part({ root, product, figures, say });
    } finally {
      await product.stop();
    }
  }
  for (const [name, part] of Object.entries(ALONE))
    if (isWanted(name)) details[name] = await part({ root, figures, say });
  printFigures(figures.all);
  const results = {
    at: new Date().toISOString(),
    machine: { cpus: os.cpus().length, model: os.cpus()[0]?.model, node: process.version },
    figures: figures.all,
    details,
  };
  await writeFile(path.join(root, 'tests/bench/results.json'), `${JSON.stringify(results, null, 2)}\n`);
}

async function weigh({ product, figures, say }: Bench) {
  say(`Letting it settle for ${SETTLE_ms / 1000} s, then weighing it`);
  await pause(SETTLE_ms);
  const memory = await product.memory();
  figures.atMost('resident memory, idle after seeding, shared pages counted once', memory.pss / MB, 'MB', 450);
  figures.atMost('resident memory, idle after seeding, sum over all processes', memory.rss / MB, 'MB', 450);
  return memory;
}

async function lists({ root, product, figures, say }: Bench) {
  say('GET /ads at 32 connections, beside Express alone');
  const found = await benchLists(root, product.url);
  figures.atLeast('GET /ads ÷ Express answering the same bytes from memory', found.ratio, '×', 0.6);
  return found;
}

async function latency({ product, figures, say }: Bench) {
  say('From POST /ads to the list and to the WebSocket');
  const found = await benchLatency(product.url);
  figures.atMost('POST /ads → GET /ads, p50', found.toListP50_ms, 'ms', 20);
  figures.atMost('POST /ads → GET /ads, p99', found.toListP99_ms, 'ms', 100);
  figures.atMost('POST /ads → WebSocket, p50', found.toLiveP50_ms, 'ms', 20);
  figures.atMost('POST /ads → WebSocket, p99', found.toLiveP99_ms, 'ms', 100);
  return found;
}

async function store({ root, product, figures, say }: Bench) {
  say('Appends beside plain inserts, and replay');
  const found = await withDatabase(product.databaseUrl, async (connectionString) => {
    await migrate(connectionString, { migrationsDir: path.join(root, 'infra/migrations') });
    return benchEventStore({ connectionString });
  });
  figures.atLeast('durable appends at 64 writers ÷ plain inserts', found.appendRatio, '×', 2);
  figures.atMost('durable append at 64 writers, p99', found.appendP99_ms, 'ms', 10);
  figures.atLeast('sequential replay', found.replayedPerSecond, 'events/s', 50_000);
  return found;
}

async function bumps({ root, product, figures, say }: Bench) {
  say('POST /ads/{id}/bump at 32 connections, beside Express alone');
  const found = await benchBumps(root, product);
  figures.atLeast('POST /ads/{id}/bump ÷ Express only parsing the same body', found.ratio, '×', 0.4);
  return found;
}

async function community({ product, figures, say }: Bench) {
  say('A thread with 10,000 replies, beside one with 50');
  const found = await benchCommunity(product);
  figures.say('10,000 replies appended and their read models built', found.built_s, 's');
  figures.atMost('page of a thread with 10,000 replies, first, p99', found.firstPage.p99_ms, 'ms', 25);
  figures.atMost('the same by cursor, from the first to the last, p99', found.cursorPage.p99_ms, 'ms', 25);
  figures.atMost('the same, last page, p99', found.lastPage.p99_ms, 'ms', 25);
  figures.atMost('the same for a member who is signed in, p99', found.memberPage.p99_ms, 'ms', 25);
  figures.atMost(
    'page of a thread with 10,000 replies ÷ of one with 50, p50',
    found.firstPage.p50_ms / found.shortThread.p50_ms,
    '×',
    1.3,
  );
  figures.atMost('its last page ÷ its first page, p50', found.lastPage.p50_ms / found.firstPage.p50_ms, '×', 1.3);
  figures.say('GET /community/threads of a city, p99', found.list.p99_ms, 'ms');
  figures.say('GET /search of words thousands of posts have, p99', found.search.p99_ms, 'ms');
  return found;
}

async function rebuild({ root, figures, say }: Omit<Bench, 'product'>) {
  const found = await benchRebuild(root, say);
  figures.atLeast('rebuild of ad_cards, indexes with it', found.eventsPerSecond, 'events/s', 20_000);
  figures.say('the same until the last row is written', found.filledPerSecond, 'events/s');
  figures.say('the same in the product itself, readers beside it, rows compared', found.inProductPerSecond, 'events/s');
  figures.say('GET /ads at 50 a second, p99', found.quietP99_ms, 'ms');
  figures.atMost('the same during npm run projections -- rebuild ÷ without, p99', found.commandRatio, '×', 2);
  figures.atMost('the same during a rebuild of the panel ÷ without, p99', found.panelRatio, '×', 2);
  return found;
}

async function scale({ root, figures, say }: Omit<Bench, 'product'>) {
  const small = await benchSearches(root, SMALL_ads, say);
  const large = await benchSearches(root, LARGE_ads, say);
  figures.atLeast('npm run seed -- --ads 1000000', large.seeded.adsPerSecond, 'ads/s', 10_000);
  figures.say('start of the product with them, read models built', large.caughtUp_s, 's');
  figures.atMost('GET /ads with filters over 1,000,000 ads, first page, p99', large.firstPageP99_ms, 'ms', 25);
  figures.atMost('the same ÷ over 100,000 ads', large.firstPageP99_ms / small.firstPageP99_ms, '×', 1.3);
  figures.atMost(
    'GET /ads, page 1,000 by cursor ÷ page 1, p50',
    large.pageThousandP50_ms / large.pageOneP50_ms,
    '×',
    1,
  );
  figures.atMost('GET /ads with q over 1,000,000 ads, p99', large.fullTextP99_ms, 'ms', 60);
  figures.atMost('the same ÷ over 100,000 ads', large.fullTextP99_ms / small.fullTextP99_ms, '×', 1.3);
  return { small, large };
}
