import { stockPictureId, STOCK_PICTURE_COUNT, type Category } from '@alpenglow/domain';

/** The data of a demo ad that determines the lists in which the ad appears. */
interface ListedAd {
  readonly fields: { readonly state: string; readonly city: string; readonly category: Category };
  readonly age_ms: number;
  readonly isFeatured: boolean;
}

/** Number of stock pictures that demo ads show as their first photo. The demo provider's own photos show the others. */
export const COVER_COUNT = STOCK_PICTURE_COUNT - 3;
/** Number of neighboring ads in a list whose first photos should all differ. It is the number of ads on one page. */
const WINDOW = 24;

/**
 * Returns the number of the stock picture that each ad shows first. On one screen of a list, no two ads show the same
 * picture. The lists are those of all ads, of a state, of a city, of a category, and of a category in a state, with the
 * newest ad first. Every call returns the same numbers.
 */
export function chooseCovers(ads: readonly ListedAd[]): ReadonlyMap<ListedAd, number> {
  const covers = new Map<ListedAd, number>();
  const lists = new Map<string, number[]>();
  const listOf = (name: string) => {
    const list = lists.get(name) ?? [];
    lists.set(name, list);
    return list;
  };
  for (const ad of [...ads].sort((a, b) => a.age_ms - b.age_ms)) {
    const shown = listNames(ad).map(listOf);
    const cover = leastRecentlyShown(shown, covers.size * STEP);
    covers.set(ad, cover);
    for (const list of shown) if (list.unshift(cover) >= WINDOW) list.pop();
  }
  return covers;
}

/** Returns the media ids of up to three different photos of an ad, the cover first. */
export function photosFor(cover: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => stockPictureId(((cover - 1 + index * 7) % COVER_COUNT) + 1));
}

function listNames({ fields: { state, city, category }, isFeatured }: ListedAd): readonly string[] {
  const names = ['', state, `${state}/${city}`, category, `${state} ${category}`];
  return isFeatured ? [...names, 'featured'] : names;
}

/**
 * Returns the picture that the given lists repeat least within one page. The newest entry of a list is its first one.
 * If several pictures are equally good, returns the first one after `start`.
 */
function leastRecentlyShown(lists: readonly (readonly number[])[], start: number): number {
  const penalties = new Map<number, number>();
  for (const list of lists) {
    for (const [index, cover] of list.entries())
      penalties.set(cover, (penalties.get(cover) ?? 0) + (WINDOW - index) ** 3);
  }
  const candidates = Array.from({ length: COVER_COUNT }, (_, index) => ((start + index * STEP) % COVER_COUNT) + 1);
  const penaltyOf = (cover: number) => penalties.get(cover) ?? 0;
  return candidates.reduce((best, cover) => (penaltyOf(cover) < penaltyOf(best) ? cover : best));
}

/** Distance of the numbers of two successive candidates, so that neighbors show different motifs. Coprime to 45. */
const STEP = 13;
