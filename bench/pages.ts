import { adPath, type ResponseOf } from '@alpenglow/domain';
import { setup as startPostgres } from '../tests/support/global-setup.ts';
import { createEmptyLocation, startTestProduct } from '../tests/support/product.ts';
import { measureServer } from './web/server-cost.ts';

/** Pages that one core renders in a second, by kind. No page comes from a cache. */
export interface PageFigures {
  readonly lists: number;
  readonly ads: number;
  readonly searches: number;
}

const ADS = 50;
const WORDS = [
  'massage quiet conversation opera evening humor english discretion',
  'shirt bars dinner museum light stone company',
].flatMap((words) => words.split(' '));

/**
 * Measures how many pages one core renders in a second: lists of all ads, pages of different ads, and lists of
 * different searches. The product runs in this process with demo data. The processor time of Postgres does not count.
 */
export async function benchPages(root: string): Promise<PageFigures> {
  const stopPostgres = await startPostgres();
  const place = await createEmptyLocation();
  try {
    const product = await startTestProduct({ isDemo: true }, place);
    try {
      const response = await fetch(new URL(`/api/ads?limit=${ADS}`, product.url));
      const { data } = (await response.json()) as ResponseOf<'listAds'>;
      const perSecond = async (paths: readonly string[]) =>
        (await measureServer(root, product.url, paths)).perSecondAndCore;
      return {
        lists: await perSecond(['/listings']),
        ads: await perSecond(data.map(adPath)),
        searches: await perSecond(
          WORDS.flatMap((first) => WORDS.map((second) => `/listings?q=${encodeURIComponent(`${first} ${second}`)}`)),
        ),
      };
    } finally {
      await product.stop();
    }
  } finally {
    await place.remove();
    await stopPostgres?.();
  }
}
