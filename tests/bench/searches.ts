import { CATEGORIES, STATES } from '@alpenglow/domain';
import { seedAds, untilCaughtUp, type Seeded } from './generated-ads.ts';
import { httpClient, type HttpClient } from './http-client.ts';
import { makeDataDir, startProductProcess } from './running-product.ts';
import { percentile } from './statistics.ts';

/** Latencies of lists over so many ads. No address is asked for twice, so nothing comes from a cache of answers. */
export interface SearchFigures {
  readonly firstPageP99_ms: number;
  readonly pageOneP50_ms: number;
  readonly pageThousandP50_ms: number;
  readonly fullTextP99_ms: number;
}

export interface ScaleFigures extends SearchFigures {
  readonly seeded: Seeded;
  /** From the start of the product until every read model had followed. */
  readonly caughtUp_s: number;
}

const ASKED = 500;
const PAGES = 100;
const DEEP_PAGE = 1_000;
const WARM_UP = 50;

const PLACES = STATES.flatMap(({ code, cities }) => cities.map((city) => ({ state: code, city })));
/** Words of few and of many ads, beginnings, pairs that rarely meet, and misspelt ones. */
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

/** Lists, deep pages and full text over so many made-up ads, in a product of their own. */
export async function benchSearches(root: string, count: number, say: (text: string) => void): Promise<ScaleFigures> {
  const shown = count.toLocaleString('en');
  const dataDir = await makeDataDir();
  say(`Seeding ${shown} ads`);
  const seeded = await seedAds(root, dataDir, count);
  say(`Starting the product with ${shown} ads`);
  const started_ms = performance.now();
  const product = await startProductProcess(root, { DEMO: 'off' }, dataDir);
  const http = httpClient({ connections: 2 });
  try {
    await untilCaughtUp(product.url);
    const caughtUp_s = (performance.now() - started_ms) / 1_000;
    say(`Asking for ${shown} ads`);
    return { seeded, caughtUp_s, ...(await measure(http, product.url)) };
  } finally {
    http.close();
    await product.stop();
  }
}

/** Asks a running product the questions of this benchmark; `onAnswer` hears of each. */
export async function measure(
  http: HttpClient,
  url: string,
  onAnswer: (query: string, took_ms: number) => void = () => undefined,
): Promise<SearchFigures> {
  const ask = async (query: string) => {
    const begun = performance.now();
    const { body } = await http.send('GET', `${url}/api/ads?${query}`);
    const took_ms = performance.now() - begun;
    onAnswer(query, took_ms);
    return { took_ms, body };
  };
  const latencies = async (queries: readonly string[]) => {
    const took: number[] = [];
    for (const query of queries) took.push((await ask(query)).took_ms);
    return took.slice(WARM_UP);
  };
  const firstPages = await latencies(Array.from({ length: ASKED + WARM_UP }, (_, number) => filterOf(number)));
  const fullText = await latencies(Array.from({ length: ASKED + WARM_UP }, (_, number) => textOf(number)));
  const { near, deep } = await walk(ask);
  return {
    firstPageP99_ms: percentile(firstPages, 99),
    pageOneP50_ms: percentile(near, 50),
    pageThousandP50_ms: percentile(deep, 50),
    fullTextP99_ms: percentile(fullText, 99),
  };
}

/** A filter nobody has asked for yet: place, category, price, sort and flags in turn. */
export function filterOf(number: number): string {
  const { state, city } = PLACES[number % PLACES.length] as (typeof PLACES)[number];
  const filter = new URLSearchParams({ state, maxPrice: String(170 + number) });
  if (number % 3 !== 0) filter.set('city', city);
  if (number % 2 === 0) filter.set('category', CATEGORIES[number % CATEGORIES.length] as string);
  if (number % 5 === 0) filter.set('minPrice', '160');
  if (number % 7 === 0) filter.set('online', 'true');
  if (number % 4 === 0) filter.set('sort', number % 8 === 0 ? 'price' : 'newest');
  return filter.toString();
}

function textOf(number: number): string {
  const word = WORDS[number % WORDS.length] as string;
  const rare = SYLLABLES[number % SYLLABLES.length] as string;
  const filter = new URLSearchParams({
    q: number % 3 === 0 ? rare : number % 3 === 1 ? word : `${word} ${rare.slice(0, 3)}`,
    limit: String(10 + (number % 90)),
  });
  if (number % 4 === 0) filter.set('state', (STATES[number % STATES.length] as (typeof STATES)[number]).code);
  return `${filter.toString()}&sort=${number % 2 === 0 ? 'bumped' : 'newest'}`;
}

/** Follows the cursor from the first page to beyond the thousandth. */
async function walk(
  ask: (query: string) => Promise<{ took_ms: number; body: Buffer }>,
): Promise<{ near: readonly number[]; deep: readonly number[] }> {
  const near: number[] = [];
  const deep: number[] = [];
  let cursor = '';
  for (let page = 1; page <= DEEP_PAGE + PAGES; page += 1) {
    const { took_ms, body } = await ask(`limit=24${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    if (page <= PAGES) near.push(took_ms);
    if (page > DEEP_PAGE) deep.push(took_ms);
    const { nextCursor } = JSON.parse(body.toString('utf8')) as { nextCursor: string | null };
    if (nextCursor === null) throw new Error(`Page ${page} is the last`);
    cursor = nextCursor;
  }
  return { near, deep };
}
