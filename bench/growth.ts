import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { countEvents } from '../tests/support/event-log.ts';
import { withPool } from './databases.ts';
import { seedAds, waitUntilCaughtUp } from './generated-ads.ts';
import { createHttpClient } from './http-client.ts';
import { measureFirstPages } from './list-scale.ts';
import { runScript } from './npm.ts';
import { rebuild } from './rebuild.ts';
import { createDataDir, startProductProcess } from './running-product.ts';
import { percentile } from './statistics.ts';

const SIZES_events = [10_000, 100_000, 1_000_000];
/** Largest size, to shorten a run. */
const MAX_events = Number(process.env['BENCH_MAX_EVENTS'] ?? SIZES_events.at(-1));
/** Events of one generated ad with its account. */
const EVENTS_PER_AD = 3;
const SETTLE_ms = 2_000;

/** The figures of one size of the log. Durations of requests are medians and 99th percentiles. */
export interface GrowthFigures {
  readonly events: number;
  readonly listP50_ms: number;
  readonly listP99_ms: number;
  readonly searchP50_ms: number;
  readonly searchP99_ms: number;
  /** Time from the start of the product until every read model is up to date. */
  readonly start_s: number;
  readonly rebuild_s: number;
  readonly backup_s: number;
}

/**
 * Measures the product with 10⁴, 10⁵ and 10⁶ events: uncached lists and searches, the first start with this log, the
 * rebuild of `ad_cards`, and a backup. Requests are sent one after the other. The sizes cannot take turns, so the
 * machine must have no other load.
 */
export async function benchGrowth(
  root: string,
  printProgress: (text: string) => void,
): Promise<readonly GrowthFigures[]> {
  const results: GrowthFigures[] = [];
  for (const size of SIZES_events.filter((events) => events <= MAX_events)) {
    const result = await measureSize(root, size, printProgress);
    // A long run can be interrupted after any size.
    printProgress(JSON.stringify(result));
    results.push(result);
  }
  return results;
}

async function measureSize(root: string, size: number, printProgress: (text: string) => void): Promise<GrowthFigures> {
  const ads = Math.round(size / EVENTS_PER_AD);
  const dataDir = await createDataDir();
  printProgress(`Seeding ${ads.toLocaleString('en')} ads`);
  await seedAds(root, dataDir, ads);
  const started_ms = performance.now();
  const product = await startProductProcess(root, { DEMO: 'off' }, dataDir);
  const http = createHttpClient({ connections: 1 });
  try {
    await waitUntilCaughtUp(product.url);
    const start_s = (performance.now() - started_ms) / 1_000;
    printProgress('Sending requests');
    await pause(SETTLE_ms);
    const { firstPages, fullText } = await measureFirstPages(http, product.url);
    printProgress('Rebuilding ad_cards, and making a backup');
    const rebuilt = await rebuild(root, dataDir);
    const backup_s = await backUp(root, dataDir);
    return {
      events: await withPool(product.databaseUrl, countEvents),
      listP50_ms: percentile(firstPages, 50),
      listP99_ms: percentile(firstPages, 99),
      searchP50_ms: percentile(fullText, 50),
      searchP99_ms: percentile(fullText, 99),
      start_s,
      rebuild_s: rebuilt.events / rebuilt.perSecond,
      backup_s,
    };
  } finally {
    http.close();
    await product.stop();
  }
}

async function backUp(root: string, dataDir: string): Promise<number> {
  const start_ms = performance.now();
  await runScript(root, ['backup', '--', '--to', path.join(dataDir, 'backup')], {
    DATA_DIR: dataDir,
    BACKUP_KEY_FILE: path.join(dataDir, 'backup-key.txt'),
  });
  return (performance.now() - start_ms) / 1_000;
}
