import type { AdCard } from '@alpenglow/domain/contracts';
import type { AdPages, AdSort } from '@alpenglow/ui';

/** The cards of all pages. A card that has moved between two pages while they were loaded counts once, where it comes first. */
export function cardsOf(pages: AdPages | undefined): readonly AdCard[] {
  const byId = new Map<string, AdCard>();
  for (const card of pages?.pages.flatMap((page) => page.data) ?? []) if (!byId.has(card.id)) byId.set(card.id, card);
  return [...byId.values()];
}

/** How many ads there are in all, as the newest page says; null where it does not say. */
export function totalOf(pages: AdPages | undefined): number | null {
  return pages?.pages.at(-1)?.total ?? null;
}

/** Without an ad that was taken down. Unchanged, the very same object, when it was not in the list. */
export function withoutAd(pages: AdPages, adId: string): AdPages {
  if (!pages.pages.some((page) => page.data.some((card) => card.id === adId))) return pages;
  return {
    ...pages,
    pages: pages.pages.map((page) => ({ ...page, total: page.total && page.total - 1, data: page.data.filter((card) => card.id !== adId) })),
  };
}

/** With newer versions of cards in the places of the old ones; what is not in the list is not added. */
export function withNewer(pages: AdPages, newer: readonly AdCard[]): AdPages {
  const byId = new Map(newer.map((card) => [card.id, card]));
  return { ...pages, pages: pages.pages.map((page) => ({ ...page, data: page.data.map((card) => byId.get(card.id) ?? card) })) };
}

/** How many cards of a fresh first page are new to the list; where bumps decide the order, a card bumped since counts too. */
export function newcomers(pages: AdPages, fresh: readonly AdCard[], sort: AdSort = 'bumped'): number {
  const known = new Map(cardsOf(pages).map((card) => [card.id, card.lastBumpedAt]));
  return fresh.filter((card) => {
    const bumpedAt = known.get(card.id);
    return bumpedAt === undefined || (sort === 'bumped' && bumpedAt < card.lastBumpedAt);
  }).length;
}

/** True while the cover of some card is still being made. */
export function isPreparing(cards: readonly AdCard[]): boolean {
  return cards.some((card) => card.media[0]?.status === 'processing');
}
