import { countEvents } from '../tests/support/event-log.ts';
import { withPool } from './databases.ts';
import { seedAds } from './generated-ads.ts';
import { createDataDir, startProductProcess } from './running-product.ts';

/** The figures of a first start. The times of processors are those of the whole start. */
export interface StartFigures {
  readonly ads: number;
  /** The time from the start of the product until every read model is up to date. */
  readonly start_s: number;
  readonly eventsPerSecond: number;
  readonly productTimePerEvent_us: number;
  readonly postgresTimePerEvent_us: number;
}

/** The number of ads, to measure another size. */
export const START_ADS = Number(process.env['BENCH_START_ADS'] ?? 100_000);

/**
 * Measures the first start of the product with an event log and without read models. The log has the events of
 * generated ads. The product and its Postgres run on this machine, so it must have no other load.
 */
export async function benchStart(
  root: string,
  ads: number,
  printProgress: (text: string) => void,
): Promise<StartFigures> {
  const dataDir = await createDataDir();
  printProgress(`Seeding ${ads.toLocaleString('en')} ads`);
  await seedAds(root, dataDir, ads);
  printProgress('Starting the product, which builds all read models');
  const product = await startProductProcess(root, { DEMO: 'off' }, dataDir);
  try {
    const [product_s, postgres_s] = [await product.processorTime_s(), await product.postgresTime_s()];
    const events = await withPool(product.databaseUrl, countEvents);
    const start_s = product.ready_ms / 1_000;
    return {
      ads,
      start_s,
      eventsPerSecond: events / start_s,
      productTimePerEvent_us: (product_s * 1_000_000) / events,
      postgresTimePerEvent_us: (postgres_s * 1_000_000) / events,
    };
  } finally {
    await product.stop();
  }
}
