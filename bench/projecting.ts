import { setTimeout as pause } from 'node:timers/promises';
import { AD_CARDS, loadSecrets, type Pool } from '@alpenglow/infra';
import { changeAds, openStoreAccess, type StoredAd } from './cluster-ads.ts';
import { withPool } from './databases.ts';
import { seedAds, waitUntilCaughtUp } from './generated-ads.ts';
import { startProductProcess } from './running-product.ts';

const ADS = 10_000;
const CHANGED_ADS = 5_000;
const CHANGES_EACH = 4;
const POLL_INTERVAL_ms = 200;

/** Processor time in milliseconds, for all projections, the reactors and the live channel. */
export interface ProjectingFigures {
  /** The time of the product for a new ad, without Postgres. */
  readonly newAd_ms: number;
  /** The times of the product and of Postgres for a change of an ad. Postgres also appends the event. */
  readonly changedAd_ms: { readonly product: number; readonly postgres: number };
}

/**
 * Measures the processor time of the product while it handles 10,000 new ads, and then 20,000 changes of ads. Another
 * process writes the events while the product runs: `npm run seed`, and then this process.
 */
export async function benchProjecting(root: string, printProgress: (text: string) => void): Promise<ProjectingFigures> {
  printProgress('Starting the product');
  const product = await startProductProcess(root);
  try {
    await waitUntilCaughtUp(product.url);
    printProgress(`Projecting ${ADS.toLocaleString('en')} new ads`);
    const before_s = await product.processorTime_s();
    await seedAds(root, product.dataDir, ADS);
    await withPool(product.databaseUrl, waitUntilProjected);
    const newAd_ms = ((await product.processorTime_s()) - before_s) * (1_000 / ADS);
    const { dataKeys } = await loadSecrets(product.dataDir);
    const access = openStoreAccess(product.databaseUrl, dataKeys);
    try {
      const { rows: ads } = await access.pool.query<StoredAd>(
        `select account_id as "accountId", ad_id as "adId" from ${AD_CARDS.table} limit $1`,
        [CHANGED_ADS],
      );
      const changes = ads.length * CHANGES_EACH;
      printProgress(`Projecting ${changes.toLocaleString('en')} changes of ads`);
      const start = { product_s: await product.processorTime_s(), postgres_s: await product.postgresTime_s() };
      await changeAds(access.store, ads, CHANGES_EACH);
      await waitUntilProjected(access.pool);
      const each_ms = (from_s: number, to_s: number) => ((to_s - from_s) * 1_000) / changes;
      return {
        newAd_ms,
        changedAd_ms: {
          product: each_ms(start.product_s, await product.processorTime_s()),
          postgres: each_ms(start.postgres_s, await product.postgresTime_s()),
        },
      };
    } finally {
      await access.close();
    }
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
