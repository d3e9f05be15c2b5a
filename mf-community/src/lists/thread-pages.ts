import type { ThreadCard, ThreadLiveMessage } from '@alpenglow/domain/contracts';
import type { ThreadFilter } from '../api/calls.ts';
import type { ThreadPages } from '../api/queries.ts';

/** The cards of all pages. A thread that has moved between two pages while they were loaded counts once, where it comes first. */
export function cardsOf(pages: ThreadPages | undefined): readonly ThreadCard[] {
  const byId = new Map<string, ThreadCard>();
  for (const card of pages?.pages.flatMap((page) => page.data) ?? []) if (!byId.has(card.id)) byId.set(card.id, card);
  return [...byId.values()];
}

/** How many threads there are in all; null where nobody has counted. */
export const totalOf = (pages: ThreadPages | undefined): number | null => pages?.pages.at(-1)?.total ?? null;

/**
 * Whether a message is news for a list, to be offered at its top: a new thread of its place, or a reply in one of its threads, which a list in
 * order of beginning does not show. A reply does not say where its thread stands, so it counts where the thread is shown, and everywhere.
 */
export function isNewsFor(
  { type, threadId, threadPlace }: ThreadLiveMessage,
  { country, state, city, sort }: ThreadFilter,
  shown: ReadonlySet<string>,
): boolean {
  if (type === 'thread_changed' || (type === 'reply_posted' && sort === 'newest')) return false;
  if (threadPlace === null) return country === undefined || shown.has(threadId);
  const fits = (wanted: string | undefined, is: string) =>
    wanted === undefined || wanted.toLowerCase() === is.toLowerCase();
  return fits(country, threadPlace.country) && fits(state, threadPlace.state) && fits(city, threadPlace.city);
}
