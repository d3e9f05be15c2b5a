import { CATEGORIES, STATES } from '@alpenglow/domain';
import { seedAds, waitUntilCaughtUp } from './generated-ads.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';
import { createDataDir, startProductProcess } from './running-product.ts';
import { percentile } from './statistics.ts';

/** Latencies of lists over all generated ads. Each URL is requested only once, so no response comes from a cache. */
interface SearchFigures {
  readonly firstPageP99_ms: number;
  readonly pageOneP50_ms: number;
  readonly pageThousandP50_ms: number;
  readonly fullTextP99_ms: number;
}

export interface ScaleFigures extends SearchFigures {
  readonly ads: number;
  /** Ads that `npm run seed` has written per second. */
  readonly seededPerSecond: number;
  /** Seconds from the start of the product until every read model is up to date. */
  readonly caughtUp_s: number;
}

const REQUESTS = 500;
const PAGES = 100;
const DEEP_PAGE = 1_000;
const WARM_UP = 50;

const PLACES = STATES.flatMap(({ code, cities }) => cities.map((city) => ({ state: code, city })));
/** Search texts that consist of frequent and rare words, prefixes, rare combinations or misspelled words. */
const WORDS = [
  'massage',
  'quiet',
  'relaxation',
  'evening company',
  'hot stone',
  'mus',
  'conv',
  'well-travelled',
  'opera',
  'tantra',
  'masage',
  'convresation',
  'relaxtion oil',
  'weekend trips',
  'curious discreet',
  'books coffee',
];
const SYLLABLES = ['bala', 'dore', 'fema', 'kari', 'lola', 'mira', 'nose', 'pata', 'rizo', 'seva'];

/**
 * Measures lists of `count` generated ads: the first page, pages far from the first page, and full-text search. Starts
 * a separate product.
 */
export async function benchSearches(
  root: string,
  count: number,
  printProgress: (text: string) => void,
): Promise<ScaleFigures> {
  const formattedCount = count.toLocaleString('en');
  const dataDir = await createDataDir();
  printProgress(`Seeding ${formattedCount} ads`);
  const seededPerSecond = await seedAds(root, dataDir, count);
  printProgress(`Starting the product with ${formattedCount} ads`);
  const started_ms = performance.now();
  const product = await startProductProcess(root, { DEMO: 'off' }, dataDir);
  const http = createHttpClient({ connections: 2 });
  try {
    await waitUntilCaughtUp(product.url);
    const caughtUp_s = (performance.now() - started_ms) / 1_000;
    printProgress(`Sending requests for ${formattedCount} ads`);
    return { ads: count, seededPerSecond, caughtUp_s, ...(await measure(http, product.url)) };
  } finally {
    http.close();
    await product.stop();
  }
}

async function sendListRequest(http: HttpClient, url: string, query: string) {
  const sent_ms = performance.now();
  const { body } = await http.send('GET', `${url}/api/ads?${query}`);
  return { took_ms: performance.now() - sent_ms, body };
}

/** Returns the latencies of the first pages of lists with different filters, and of full-text searches. */
export async function measureFirstPages(
  http: HttpClient,
  url: string,
): Promise<{ readonly firstPages: readonly number[]; readonly fullText: readonly number[] }> {
  const latencies = async (createQuery: (number: number) => string) => {
    const latencies_ms: number[] = [];
    for (let number = 0; number < REQUESTS + WARM_UP; number += 1)
      latencies_ms.push((await sendListRequest(http, url, createQuery(number))).took_ms);
    return latencies_ms.slice(WARM_UP);
  };
  return { firstPages: await latencies(createUniqueFilterQuery), fullText: await latencies(fullTextQuery) };
}

/** Sends the requests of this benchmark to a running product. */
async function measure(http: HttpClient, url: string): Promise<SearchFigures> {
  const { firstPages, fullText } = await measureFirstPages(http, url);
  const { near, deep } = await followCursor((query) => sendListRequest(http, url, query));
  return {
    firstPageP99_ms: percentile(firstPages, 99),
    pageOneP50_ms: percentile(near, 50),
    pageThousandP50_ms: percentile(deep, 50),
    fullTextP99_ms: percentile(fullText, 99),
  };
}

/** Returns a different filter for each number. The location, category, price, sort order and flags vary. */
export function createUniqueFilterQuery(number: number): string {
  const { state, city } = PLACES[number % PLACES.length] as (typeof PLACES)[number];
  const filter = new URLSearchParams({ state, maxPrice: String(170 + number) });
  if (number % 3 !== 0) filter.set('city', city);
  if (number % 2 === 0) filter.set('category', CATEGORIES[number % CATEGORIES.length] as string);
  if (number % 5 === 0) filter.set('minPrice', '160');
  if (number % 7 === 0) filter.set('online', 'true');
  if (number % 4 === 0) filter.set('sort', number % 8 === 0 ? 'price' : 'newest');
  return filter.toString();
}

function fullTextQuery(number: number): string {
  const word = WORDS[number % WORDS.length] as string;
  const rare = SYLLABLES[number % SYLLABLES.length] as string;
  const filter = new URLSearchParams({
    q: number % 3 === 0 ? rare : number % 3 === 1 ? word : `${word} ${rare.slice(0, 3)}`,
    limit: String(10 + (number % 90)),
  });
  if (number % 4 === 0) filter.set('state', (STATES[number % STATES.length] as (typeof STATES)[number]).code);
  return `${filter.toString()}&sort=${number % 2 === 0 ? 'bumped' : 'newest'}`;
}

/** Follows the cursor through 1,100 pages. Returns the durations of the first 100 pages and of the last 100 pages. */
async function followCursor(
  sendRequest: (query: string) => Promise<{ took_ms: number; body: Buffer }>,
): Promise<{ near: readonly number[]; deep: readonly number[] }> {
  const near: number[] = [];
  const deep: number[] = [];
  let cursor = '';
  for (let page = 1; page <= DEEP_PAGE + PAGES; page += 1) {
    const { took_ms, body } = await sendRequest(
      `limit=24${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    if (page <= PAGES) near.push(took_ms);
    if (page > DEEP_PAGE) deep.push(took_ms);
    const { nextCursor } = JSON.parse(body.toString('utf8')) as { nextCursor: string | null };
    if (nextCursor === null) throw new Error(`Page ${page} is the last`);
    cursor = nextCursor;
  }
  return { near, deep };
}
