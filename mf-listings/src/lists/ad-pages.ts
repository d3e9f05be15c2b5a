import type { AdCard, AdListAnswer } from '@alpenglow/domain/contracts';
import type { AdPages, AdSort } from '@alpenglow/ui';

/** The cards of all pages. A card that has moved between two pages while they were loaded counts once, where it comes first. */
export function cardsOf(pages: AdPages | undefined): readonly AdCard[] {
  const byId = new Map<string, AdCard>();
  for (const card of pages?.pages.flatMap((page) => page.data) ?? []) if (!byId.has(card.id)) byId.set(card.id, card);
  return [...byId.values()];
}

/** How many ads there are in all, as the newest page says, or as is seen where nothing is left to load; null where neither tells. */
export function totalOf(pages: AdPages | undefined): number | null {
  const last = pages?.pages.at(-1);
  if (!last) return null;
  return last.total ?? (last.nextCursor === null ? cardsOf(pages).filter(({ isActive }) => isActive).length : null);
}

/** Without an ad that was taken down. Unchanged, the very same object, when it was not in the list. */
export function withoutAd(pages: AdPages, adId: string): AdPages {
  if (!hasAd(pages, adId)) return pages;
  return oneAdLess(pages, (data) => data.filter((card) => card.id !== adId));
}

/** As `withoutAd`, but its card keeps its place, marked as inactive, so that nothing moves while somebody reads. */
export function withAdGone(pages: AdPages, adId: string): AdPages {
  if (!hasAd(pages, adId) || cardsOf(pages).some((card) => card.id === adId && !card.isActive)) return pages;
  return oneAdLess(pages, (data) => data.map((card) => (card.id === adId ? { ...card, isActive: false } : card)));
}

/** Without the cards that only kept a place. Unchanged, the very same object, when there are none. */
export function withoutGone(pages: AdPages): AdPages {
  if (pages.pages.every((page) => page.data.every((card) => card.isActive))) return pages;
  return { ...pages, pages: pages.pages.map((page) => ({ ...page, data: page.data.filter((card) => card.isActive) })) };
}

/**
 * With newer versions of cards in the places of the old ones; what is not in the list is not added, what is gone stays so. Where
 * bumps decide the order, a card that keeps its place keeps the time of its bump.
 */
export function withNewer(pages: AdPages, newer: readonly AdCard[], sort: AdSort = 'bumped'): AdPages {
  const byId = new Map(newer.map((card) => [card.id, card]));
  const newest = (card: AdCard): AdCard => {
    const found = card.isActive ? byId.get(card.id) : undefined;
    if (!found) return card;
    return sort === 'bumped' ? { ...found, lastBumpedAt: card.lastBumpedAt } : found;
  };
  return { ...pages, pages: pages.pages.map((page) => ({ ...page, data: page.data.map(newest) })) };
}

/**
 * With the first page as it is now put in at the top, for a list whose news come first. What it pushed off the old first page stays
 * behind it, and later pages stay as they are. A first page that knows nothing of the old list may have left a gap: it starts anew.
 */
export function withFirst(pages: AdPages, fresh: AdListAnswer): AdPages {
  const old = withoutGone(pages);
  const [first] = old.pages;
  const isKnown = unmovedIn(cardsOf(old));
  if (!first || fresh.nextCursor === null || !fresh.data.some(isKnown)) return { pages: [fresh], pageParams: [null] };
  const freshIds = new Set(fresh.data.map((card) => card.id));
  const merged = { ...first, data: [...fresh.data, ...first.data.filter((card) => !freshIds.has(card.id))] };
  return { ...old, pages: [merged, ...old.pages.slice(1)].map((page) => ({ ...page, total: fresh.total })) };
}

/** With one more page behind the last. */
export function withNext(pages: AdPages, cursor: string, next: AdListAnswer): AdPages {
  return { pages: [...pages.pages, next], pageParams: [...pages.pageParams, cursor] };
}

/** The cursor behind the last page; null when nothing is left. */
export function nextCursorOf(pages: AdPages | undefined): string | null {
  return pages?.pages.at(-1)?.nextCursor ?? null;
}

/** Numbers of the pages, from 0, that have a card the test finds. */
export function pagesWith(pages: AdPages, isMeant: (card: AdCard) => boolean): readonly number[] {
  return pages.pages.flatMap((page, index) => (page.data.some(isMeant) ? [index] : []));
}

/** How many cards of a fresh first page are new to the list; where bumps decide the order, a card bumped since counts too. */
export function newcomers(pages: AdPages, fresh: readonly AdCard[], sort: AdSort = 'bumped'): number {
  const known = new Map(cardsOf(pages).map((card) => [card.id, card.lastBumpedAt]));
  return fresh.filter((card) => {
    const bumpedAt = known.get(card.id);
    return bumpedAt === undefined || (sort === 'bumped' && bumpedAt < card.lastBumpedAt);
  }).length;
}

/**
 * The shown cards that a fresh answer from the top would have, and has not: they are gone, or listed elsewhere now. Only as far down
 * as the answer reaches, and only for orders in which a card never moves down.
 */
export function missing(pages: AdPages, fresh: AdListAnswer): readonly string[] {
  const cards = cardsOf(pages);
  const freshIds = new Set(fresh.data.map((card) => card.id));
  const reach = fresh.nextCursor === null ? cards.length : cards.findLastIndex(unmovedIn(fresh.data)) + 1;
  return cards.slice(0, reach).flatMap((card) => (card.isActive && !freshIds.has(card.id) ? [card.id] : []));
}

/** True while the cover of some card is still being made. */
export function isPreparing(cards: readonly AdCard[]): boolean {
  return cards.some(isCoverPreparing);
}

export function isCoverPreparing({ media }: AdCard): boolean {
  return media[0]?.status === 'processing';
}

/** Whether a card is among these, and was not bumped in between. */
function unmovedIn(cards: readonly AdCard[]): (card: AdCard) => boolean {
  const bumpedAt = new Map(cards.map((card) => [card.id, card.lastBumpedAt]));
  return (card) => bumpedAt.get(card.id) === card.lastBumpedAt;
}

function hasAd(pages: AdPages, adId: string): boolean {
  return pages.pages.some((page) => page.data.some((card) => card.id === adId));
}

function oneAdLess(pages: AdPages, change: (data: readonly AdCard[]) => AdCard[]): AdPages {
  return {
    ...pages,
    pages: pages.pages.map((page) => ({ ...page, total: page.total && page.total - 1, data: change(page.data) })),
  };
}
