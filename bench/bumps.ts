import { startBaseline } from './baseline.ts';
import { seedAds, signInPosters, waitUntilCaughtUp, type OwnedAd } from './generated-ads.ts';
import { createHttpClient } from './http-client.ts';
import type { RunningProduct } from './running-product.ts';
import { median } from './statistics.ts';

export interface BumpFigures {
  readonly requestsPerSecond: number;
  readonly baselinePerSecond: number;
  /**
   * Requests per second of the product divided by those of the baseline. Median of all rounds, in which both are
   * measured one after the other.
   */
  readonly ratio: number;
}

const CONNECTIONS = 32;
const ROUNDS = 5;
const BUMPS_PER_ROUND = 3_000;
const BODY = '{}';

/**
 * Measures `POST /ads/{id}/bump` over 32 connections. Each request bumps a different ad. The baseline is an Express
 * handler in a separate process that only parses the same request body.
 */
export async function benchBumps(root: string, product: RunningProduct): Promise<BumpFigures> {
  const needed = (ROUNDS + 1) * BUMPS_PER_ROUND;
  await seedAds(root, product.dataDir, needed + BUMPS_PER_ROUND);
  await waitUntilCaughtUp(product.url);
  const ads = await signInPosters(product.databaseUrl, needed);
  const baseline = await startBaseline(root, 'bench/express-bump-baseline.mjs');
  try {
    const rounds: { ours: number; express: number }[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const batch = ads.slice(round * BUMPS_PER_ROUND, (round + 1) * BUMPS_PER_ROUND);
      rounds.push({ ours: await measureRate(product.url, batch), express: await measureRate(baseline.url, batch) });
    }
    const [_warmUp, ...counted] = rounds;
    return {
      requestsPerSecond: median(counted.map(({ ours }) => ours)),
      baselinePerSecond: median(counted.map(({ express }) => express)),
      ratio: median(counted.map(({ ours, express }) => ours / express)),
    };
  } finally {
    baseline.stop();
  }
}

/** Bumps each ad once. Returns the number of requests per second. */
async function measureRate(url: string, ads: readonly OwnedAd[]): Promise<number> {
  const http = createHttpClient({ connections: CONNECTIONS });
  const next = ads.values();
  const work = async () => {
    for (const { adId, token } of next) await http.send('POST', `${url}/api/ads/${adId}/bump`, { body: BODY, token });
  };
  const started_ms = performance.now();
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    return ads.length / ((performance.now() - started_ms) / 1_000);
  } finally {
    http.close();
  }
}
