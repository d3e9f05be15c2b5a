import path from 'node:path';
import { CATEGORIES, STATES } from '@alpenglow/domain';
import { randomNumbers } from '../tests/support/random.ts';
import { withPool } from './databases.ts';
import { createHttpClient } from './http-client.ts';
import { runOpenLoop } from './open-loop.ts';
import { addedWord, hasAds, insertAds } from './read-model-ads.ts';
import { createDataDir, startProductProcess } from './running-product.ts';
import { percentile } from './statistics.ts';

/** Latencies of searches over this number of ads. No response comes from a cache. */
export interface SearchFigures {
  readonly ads: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

const PER_SECOND = 20;
const WARM_UP = 120;
const REQUESTS = 1_200;
const CONNECTIONS = 32;

/** Words that occur in a sixth to a half of all ads. */
const FREQUENT = ['company', addedWord(1)];
/** Words of templates, each in 1 to 17 percent of all ads. Two of them occur often together, seldom or never. */
const TEMPLATE_WORDS =
  'massage quiet conversation opera evening humor english discretion hidden shirt people bars'.split(' ');
const PAIRS = [
  'shirt light',
  'hot stone',
  'evening company',
  'opera museum',
  `massage ${addedWord(40)}`,
  `${addedWord(5)} ${addedWord(9)}`,
  `${addedWord(30)} ${addedWord(2_000)}`,
  FREQUENT.join(' '),
  'las vegas massage',
  `dinner ${addedWord(20)} ${addedWord(60)}`,
];
const PREFIXES = ['conv', 'mus', 'well-trav', 'ba', addedWord(900).slice(0, 4)];
const MISTYPED = ['masage', 'convresation', 'discrtion', `${addedWord(300)}x`, addedWord(700).slice(1)];
/** Ranks of added words. The words occur in a ninth to a millionth of all ads. */
const RANKS = [3, 6, 12, 25, 50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_000];

const TERMS: readonly string[] = [
  ...FREQUENT,
  ...TEMPLATE_WORDS,
  ...RANKS.map(addedWord),
  ...PAIRS,
  ...PREFIXES,
  ...MISTYPED,
];
/** Words of which two random ones are searched together. */
const PAIRED_WORDS = [...TEMPLATE_WORDS, ...FREQUENT, ...RANKS.slice(0, 8).map(addedWord)];

/**
 * Measures searches by relevance over each of several numbers of ads. Requests start at a fixed rate. The ads are
 * written directly into the read models of a separate product for each number. With `storedDir`, the data directories
 * of these products are in this folder, and a later run finds the ads there.
 */
export async function benchSearch(
  root: string,
  counts: readonly number[],
  storedDir: string | null,
  printProgress: (text: string) => void,
): Promise<readonly SearchFigures[]> {
  const figures: SearchFigures[] = [];
  for (const ads of counts) {
    const dataDir = storedDir === null ? await createDataDir() : path.join(storedDir, String(ads));
    const product = await startProductProcess(root, { DEMO: 'off' }, dataDir);
    const http = createHttpClient({ connections: CONNECTIONS });
    try {
      await withPool(product.databaseUrl, async (pool) => {
        if (await hasAds(pool, ads)) return;
        printProgress(`Writing ${ads.toLocaleString('en')} ads into the read models`);
        await insertAds(pool, 0, ads);
      });
      printProgress(`Searching ${ads.toLocaleString('en')} ads, ${PER_SECOND} requests a second`);
      figures.push({ ads, ...(await measure((query) => http.send('GET', `${product.url}/api/ads?${query}`))) });
    } finally {
      http.close();
      await product.stop({ removesData: storedDir === null });
    }
  }
  return figures;
}

async function measure(send: (query: string) => Promise<unknown>): Promise<Omit<SearchFigures, 'ads'>> {
  const queries = Array.from({ length: WARM_UP + REQUESTS }, (_, number) => createQuery(number));
  const latencies_ms = await runOpenLoop((number) => send(queries[number] ?? ''), {
    count: queries.length,
    perSecond: PER_SECOND,
  });
  const measured_ms = latencies_ms.slice(WARM_UP);
  return { p50_ms: percentile(measured_ms, 50), p99_ms: percentile(measured_ms, 99) };
}

/**
 * Returns a different search for each number. Every second search has the next of all terms, and the others have two
 * random words. A quarter has a place, a category or both.
 */
function createQuery(number: number): string {
  const random = randomNumbers(number);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const term =
    number % 2 === 0 ? (TERMS[(number >> 1) % TERMS.length] ?? '') : `${pick(PAIRED_WORDS)} ${pick(PAIRED_WORDS)}`;
  // The parameter `n` has no meaning. It makes the URL unique, so that no response comes from a cache.
  const query = new URLSearchParams({ q: term, n: String(number) });
  if (number % 8 === 1 || number % 8 === 3) {
    const state = pick(STATES);
    query.set('state', state.code);
    if (number % 16 < 8) query.set('city', pick(state.cities));
  }
  if (number % 8 === 3) query.set('category', pick(CATEGORIES));
  return query.toString();
}
