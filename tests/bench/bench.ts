import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '@alpenglow/infra';
import { withDatabase } from './databases.ts';
import { benchBumps } from './bumps.ts';
import { benchEventStore } from './event-store.ts';
import { createFigures, printFigures } from './figures.ts';
import { benchLatency } from './latency.ts';
import { benchLists } from './lists.ts';
import { startProductProcess } from './running-product.ts';
import { benchSearches } from './searches.ts';

const SETTLE_ms = 30_000;
const MB = 1024 * 1024;

/** Runs every benchmark against the product in a process of its own; prints a table and writes `tests/bench/results.json`. */
export async function bench(root: string): Promise<void> {
  const figures = createFigures();
  const { atLeast, atMost } = figures;
  const say = (text: string) => process.stderr.write(`${text}\n`);

  say('Starting the product with all demo data');
  const product = await startProductProcess(root);
  try {
    say(`Letting it settle for ${SETTLE_ms / 1000} s, then weighing it`);
    await pause(SETTLE_ms);
    const { rss, pss } = await product.memory();
    atMost('resident memory, idle after seeding, shared pages counted once', pss / MB, 'MB', 450);
    atMost('resident memory, idle after seeding, sum over all processes', rss / MB, 'MB', 450);

    say('GET /ads at 32 connections, beside Express alone');
    const lists = await benchLists(root, product.url);
    atLeast('GET /ads ÷ Express answering the same bytes from memory', lists.ratio, '×', 0.6);

    say('From POST /ads to the list and to the WebSocket');
    const latency = await benchLatency(product.url);
    atMost('POST /ads → GET /ads, p50', latency.toListP50_ms, 'ms', 20);
    atMost('POST /ads → GET /ads, p99', latency.toListP99_ms, 'ms', 100);
    atMost('POST /ads → WebSocket, p50', latency.toLiveP50_ms, 'ms', 20);
    atMost('POST /ads → WebSocket, p99', latency.toLiveP99_ms, 'ms', 100);

    say('Appends beside plain inserts, and replay');
    const store = await withDatabase(product.databaseUrl, async (connectionString) => {
      await migrate(connectionString, { migrationsDir: path.join(root, 'infra/migrations') });
      return benchEventStore({ connectionString });
    });
    atLeast('durable appends at 64 writers ÷ plain inserts', store.appendRatio, '×', 2);
    atMost('durable append at 64 writers, p99', store.appendP99_ms, 'ms', 10);
    atLeast('sequential replay', store.replayedPerSecond, 'events/s', 50_000);

    say('POST /ads/{id}/bump at 32 connections, beside Express alone');
    const bumps = await benchBumps(root, product);
    atLeast('POST /ads/{id}/bump ÷ Express only parsing the same body', bumps.ratio, '×', 0.4);

    say('Lists over 100,000 ads, then over 1,000,000');
    const { seeded, caughtUp_s, small, large } = await benchSearches(root, product, say);
    atLeast('npm run seed -- --ads 1000000', seeded.adsPerSecond, 'ads/s', 10_000);
    figures.say('until the read models had followed', caughtUp_s, 's');
    atMost('GET /ads with filters over 1,000,000 ads, first page, p99', large.firstPageP99_ms, 'ms', 25);
    atMost('the same ÷ over 100,000 ads', large.firstPageP99_ms / small.firstPageP99_ms, '×', 1.3);
    atMost('GET /ads, page 1,000 by cursor ÷ page 1, p50', large.pageThousandP50_ms / large.pageOneP50_ms, '×', 1);
    atMost('GET /ads with q over 1,000,000 ads, p99', large.fullTextP99_ms, 'ms', 60);
    atMost('the same ÷ over 100,000 ads', large.fullTextP99_ms / small.fullTextP99_ms, '×', 1.3);

    printFigures(figures.all);
    const results = { at: new Date().toISOString(), machine: { cpus: os.cpus().length, model: os.cpus()[0]?.model, node: process.version }, figures: figures.all, details: { lists, latency, store, bumps, search: { small, large } } };
    await writeFile(path.join(root, 'tests/bench/results.json'), `${JSON.stringify(results, null, 2)}\n`);
  } finally {
    await product.stop();
  }
}
