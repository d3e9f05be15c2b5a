import { startBaseline } from './baseline.ts';
import { seedAds, signInPosters, untilCaughtUp, type OwnedAd } from './generated-ads.ts';
import { httpClient } from './http-client.ts';
import type { RunningProduct } from './running-product.ts';
import { median } from './statistics.ts';

export interface BumpFigures {
  readonly requestsPerSecond: number;
  readonly baselinePerSecond: number;
  /** Median of the rounds' own ratios; a round runs both, one after the other. */
  readonly ratio: number;
}

const CONNECTIONS = 32;
const ROUNDS = 5;
const BUMPS_A_ROUND = 3_000;
const BODY = '{}';

/**
 * `POST /ads/{id}/bump` at 32 connections, each request for an ad of its own, beside an Express handler in a process of its own that only
 * parses the same body.
 */
export async function benchBumps(root: string, product: RunningProduct): Promise<BumpFigures> {
  const needed = (ROUNDS + 1) * BUMPS_A_ROUND;
  await seedAds(root, product.dataDir, needed + BUMPS_A_ROUND);
  await untilCaughtUp(product.url);
  const ads = await signInPosters(product.databaseUrl, needed);
  const baseline = await startBaseline(root, 'tests/bench/express-bump-baseline.mjs');
  try {
    const rounds: { ours: number; theirs: number }[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const some = ads.slice(round * BUMPS_A_ROUND, (round + 1) * BUMPS_A_ROUND);
      rounds.push({ ours: await rate(product.url, some), theirs: await rate(baseline.url, some) });
    }
    const [_warmUp, ...counted] = rounds;
    return {
      requestsPerSecond: median(counted.map(({ ours }) => ours)),
      baselinePerSecond: median(counted.map(({ theirs }) => theirs)),
      ratio: median(counted.map(({ ours, theirs }) => ours / theirs)),
    };
  } finally {
    baseline.stop();
  }
}

/** Bumps each ad once; answers requests per second. */
async function rate(url: string, ads: readonly OwnedAd[]): Promise<number> {
  const http = httpClient({ connections: CONNECTIONS });
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
