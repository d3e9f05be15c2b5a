import { startBaseline } from './baseline.ts';
import { forEachInParallel } from './closed-loop.ts';
import { withPool } from './databases.ts';
import { seedAds, signInPosters, waitUntilCaughtUp, type OwnedAd } from './generated-ads.ts';
import { createHttpClient } from './http-client.ts';
import type { RunningProduct } from './running-product.ts';
import { median } from './statistics.ts';

const CONNECTIONS = 32;
const ROUNDS = 5;
const BUMPS_PER_ROUND = 3_000;
const BODY = '{}';

/**
 * Measures `POST /ads/{id}/bump` over 32 connections. Each request bumps a different ad. The baseline is an Express
 * handler in a separate process that only parses the same request body. Returns the requests per second of the product
 * divided by those of the baseline: the median of all rounds, in which both are measured one after the other.
 */
export async function benchBumps(root: string, product: RunningProduct): Promise<number> {
  const needed = (ROUNDS + 1) * BUMPS_PER_ROUND;
  await seedAds(root, product.dataDir, needed + BUMPS_PER_ROUND);
  await waitUntilCaughtUp(product.url);
  const ads = await withPool(product.databaseUrl, (pool) => signInPosters(pool, needed));
  const baseline = await startBaseline(root, 'bench/express-bump-baseline.mjs');
  try {
    const ratios: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const batch = ads.slice(round * BUMPS_PER_ROUND, (round + 1) * BUMPS_PER_ROUND);
      ratios.push((await measureRate(product.url, batch)) / (await measureRate(baseline.url, batch)));
    }
    const [_warmUp, ...counted] = ratios;
    return median(counted);
  } finally {
    baseline.stop();
  }
}

/** Bumps each ad once. Returns the number of requests per second. */
async function measureRate(url: string, ads: readonly OwnedAd[]): Promise<number> {
  const http = createHttpClient({ connections: CONNECTIONS });
  const started_ms = performance.now();
  try {
    await forEachInParallel(ads, CONNECTIONS, ({ adId, token }) =>
      http.send('POST', `${url}/api/ads/${adId}/bump`, { body: BODY, token }),
    );
    return ads.length / ((performance.now() - started_ms) / 1_000);
  } finally {
    http.close();
  }
}
