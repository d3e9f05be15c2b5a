import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '@alpenglow/infra';
import { withPool } from './databases.ts';
import { seedAds, waitUntilCaughtUp } from './generated-ads.ts';
import { startProductProcess } from './running-product.ts';

const ADS = 10_000;
const POLL_INTERVAL_ms = 200;

/**
 * Measures the processor time of the product while all its projections, reactors and the live channel handle 10,000 new
 * ads. The ads are written by `npm run seed`, in another process, while the product runs. Returns the processor time of
 * the product for each ad in milliseconds, without Postgres.
 */
export async function benchProjecting(root: string, printProgress: (text: string) => void): Promise<number> {
  printProgress('Starting the product');
  const product = await startProductProcess(root);
  try {
    await waitUntilCaughtUp(product.url);
    printProgress(`Projecting ${ADS.toLocaleString('en')} new ads`);
    const before_s = await product.processorTime_s();
    await seedAds(root, product.dataDir, ADS);
    await withPool(product.databaseUrl, waitUntilProjected);
    return ((await product.processorTime_s()) - before_s) * (1_000 / ADS);
  } finally {
    await product.stop();
  }
}

/** Waits until every projection has handled all events. Reads only the database, because requests also cost time. */
async function waitUntilProjected(pool: Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ lagging: number }>(
      `select count(*)::integer as lagging from rm.checkpoints
        where name not like 'reactor-%' and name not like 'relay-%'
          and position < (select lpad(max(position)::text, 19, '0') from es.events)`,
    );
    if (rows[0]?.lagging === 0) return;
    await pause(POLL_INTERVAL_ms);
  }
}
