import type { AdCard, ResponseOf } from '@alpenglow/domain/contracts';
import type { AdPages } from '@alpenglow/ui';

/**
 * Returns the ad cards of all loaded pages. If an ad is on two pages because it moved in between, only the first of its
 * cards is returned.
 */
export function getCards(pages: AdPages | undefined): readonly AdCard[] {
  const byId = new Map<string, AdCard>();
  for (const card of pages?.pages.flatMap((page) => page.data) ?? []) if (!byId.has(card.id)) byId.set(card.id, card);
  return [...byId.values()];
}

/**
 * Returns the total number of ads. If the server has returned no total, counts the ads of all pages. In this case,
 * returns null if there are further pages.
 */
export function getTotal(pages: AdPages | undefined): number | null {
  const last = pages?.pages.at(-1);
  if (!last) return null;
  return last.total ?? (last.nextCursor === null ? getCards(pages).filter(({ isActive }) => isActive).length : null);
}

/** Returns what a list highlights: the words that the search has found, and the passages of all pages. */
export function getSearch(pages: AdPages | undefined): ResponseOf<'listAds'>['search'] {
  const parts = pages?.pages.flatMap(({ search }) => search ?? []) ?? [];
  const [first] = parts;
  return first ? { words: first.words, excerpts: parts.flatMap(({ excerpts }) => excerpts) } : null;
}

/** Returns the words of the first search, and the passages of both. */
function joinSearches(
  first: ResponseOf<'listAds'>['search'],
  second: ResponseOf<'listAds'>['search'],
): ResponseOf<'listAds'>['search'] {
  return first && { words: first.words, excerpts: [...first.excerpts, ...(second?.excerpts ?? [])] };
}

/** Removes a deleted ad from the pages. Returns the same object if the pages do not contain the ad. */
export function removeAd(pages: AdPages, adId: string): AdPages {
  if (!hasAd(pages, adId)) return pages;
  return changeWithOneLess(pages, (data) => data.filter((card) => card.id !== adId));
}

/**
 * Marks the card of a deleted ad as inactive. The card stays at its position, so that nothing moves while the visitor
 * reads.
 */
export function markAdInactive(pages: AdPages, adId: string): AdPages {
  if (!hasAd(pages, adId) || getCards(pages).some((card) => card.id === adId && !card.isActive)) return pages;
  return changeWithOneLess(pages, (data) =>
    data.map((card) => (card.id === adId ? { ...card, isActive: false } : card)),
  );
}

/** Removes inactive cards from the pages. Returns the same object if there are no inactive cards. */
export function removeInactiveAds(pages: AdPages): AdPages {
  if (pages.pages.every((page) => page.data.every((card) => card.isActive))) return pages;
  return { ...pages, pages: pages.pages.map((page) => ({ ...page, data: page.data.filter((card) => card.isActive) })) };
}

interface ListOrder {
  /** True if the ads are ordered by the last bump. Default: true. */
  readonly isByBump?: boolean;
}

/**
 * Replaces ad cards with newer versions. Ignores inactive cards and ads that are not in the pages. In a list ordered by
 * bump time, a card retains its old bump time, because it also retains its position in the list.
 */
export function updateCards(pages: AdPages, newer: readonly AdCard[], { isByBump = true }: ListOrder = {}): AdPages {
  const byId = new Map(newer.map((card) => [card.id, card]));
  const newest = (card: AdCard): AdCard => {
    const newerCard = card.isActive ? byId.get(card.id) : undefined;
    if (!newerCard) return card;
    return isByBump ? { ...newerCard, lastBumpedAt: card.lastBumpedAt } : newerCard;
  };
  return { ...pages, pages: pages.pages.map((page) => ({ ...page, data: page.data.map(newest) })) };
}

/**
 * Inserts a newly loaded first page at the top of the list. The cards of the old first page that are not in the new
 * page follow. Later pages stay unchanged. If the new page and the old list have no unchanged card in common, ads
 * between them may be missing. The result is then only the new page.
 */
export function insertFirstPage(pages: AdPages, fresh: ResponseOf<'listAds'>): AdPages {
  const old = removeInactiveAds(pages);
  const [first] = old.pages;
  const isUnmoved = unmovedIn(getCards(old));
  if (!first || fresh.nextCursor === null || !fresh.data.some(isUnmoved)) return { pages: [fresh], pageParams: [null] };
  const freshIds = new Set(fresh.data.map((card) => card.id));
  const rest = first.data.filter((card) => !freshIds.has(card.id));
  // If the new page ends after the old list, the list continues after the new page.
  const nextCursor = rest.length === 0 && old.pages.length === 1 ? fresh.nextCursor : first.nextCursor;
  const merged = {
    ...first,
    data: [...fresh.data, ...rest],
    search: joinSearches(fresh.search, first.search),
    nextCursor,
  };
  return { ...old, pages: [merged, ...old.pages.slice(1)].map((page) => ({ ...page, total: fresh.total })) };
}

/** Adds a page at the end. `cursor` is the cursor with which the page was loaded. */
export function appendPage(pages: AdPages, cursor: string, next: ResponseOf<'listAds'>): AdPages {
  return { pages: [...pages.pages, next], pageParams: [...pages.pageParams, cursor] };
}

/** Adds the ads that follow the list to its last page. */
export function extendLastPage(pages: AdPages, { data, search, nextCursor }: ResponseOf<'listAds'>): AdPages {
  return {
    ...pages,
    pages: pages.pages.map((page, index) =>
      index === pages.pages.length - 1
        ? { ...page, data: [...page.data, ...data], search: joinSearches(page.search, search), nextCursor }
        : page,
    ),
  };
}

/** Returns the cursor of the next page. Returns null if all pages are loaded. */
export function getNextCursor(pages: AdPages | undefined): string | null {
  return pages?.pages.at(-1)?.nextCursor ?? null;
}

/** Returns the 0-based indexes of the pages that contain a matching card. */
export function findPages(pages: AdPages, matches: (card: AdCard) => boolean): readonly number[] {
  return pages.pages.flatMap((page, index) => (page.data.some(matches) ? [index] : []));
}

/**
 * Returns the number of cards in `fresh` that are not in the pages. In a list ordered by bump time, also counts the
 * cards whose ads were bumped after the list was loaded.
 */
export function countNewAds(pages: AdPages, fresh: readonly AdCard[], { isByBump = true }: ListOrder = {}): number {
  const known = new Map(getCards(pages).map((card) => [card.id, card.lastBumpedAt]));
  return fresh.filter((card) => {
    const bumpedAt = known.get(card.id);
    return bumpedAt === undefined || (isByBump && bumpedAt < card.lastBumpedAt);
  }).length;
}

/**
 * Returns the ids of ads that are in the list but not in the newly loaded part of the list. These ads were deleted or
 * no longer match the filter. Checks only cards that would have to be in the newly loaded part. The order of the list
 * must be one in which cards never move down.
 */
export function findMissingAds(pages: AdPages, fresh: ResponseOf<'listAds'>): readonly string[] {
  const cards = getCards(pages);
  const freshIds = new Set(fresh.data.map((card) => card.id));
  const checkedCount = fresh.nextCursor === null ? cards.length : cards.findLastIndex(unmovedIn(fresh.data)) + 1;
  return cards.slice(0, checkedCount).flatMap((card) => (card.isActive && !freshIds.has(card.id) ? [card.id] : []));
}

/** Checks whether the server is still processing the cover photo of any card. */
export function hasPreparingCover(cards: readonly AdCard[]): boolean {
  return cards.some(isCoverPreparing);
}

export function isCoverPreparing({ media }: AdCard): boolean {
  return media[0]?.status === 'processing';
}

/** Creates a function that checks whether `cards` contains the same card with the same bump time. */
function unmovedIn(cards: readonly AdCard[]): (card: AdCard) => boolean {
  const bumpedAt = new Map(cards.map((card) => [card.id, card.lastBumpedAt]));
  return (card) => bumpedAt.get(card.id) === card.lastBumpedAt;
}

function hasAd(pages: AdPages, adId: string): boolean {
  return pages.pages.some((page) => page.data.some((card) => card.id === adId));
}

function changeWithOneLess(pages: AdPages, change: (data: readonly AdCard[]) => AdCard[]): AdPages {
  return {
    ...pages,
    pages: pages.pages.map((page) => ({ ...page, total: page.total && page.total - 1, data: change(page.data) })),
  };
}
