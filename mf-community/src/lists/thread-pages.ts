import type { ThreadCard, ThreadLiveMessage } from '@alpenglow/domain/contracts';
import type { ThreadFilter } from '../api/requests.ts';
import type { ThreadPages } from '../api/queries.ts';

/**
 * Returns the thread cards of all pages. A thread that moved to another page during loading is included once, at its
 * first position.
 */
export function getCards(pages: ThreadPages | undefined): readonly ThreadCard[] {
  const byId = new Map<string, ThreadCard>();
  for (const card of pages?.pages.flatMap((page) => page.data) ?? []) if (!byId.has(card.id)) byId.set(card.id, card);
  return [...byId.values()];
}

/** Returns the cursor of the next page. Returns null if all pages are loaded. */
export const getNextCursor = (pages: ThreadPages | undefined): string | null => pages?.pages.at(-1)?.nextCursor ?? null;

/** Returns the total number of threads, or null if the server has not counted them. */
export const getTotal = (pages: ThreadPages | undefined): number | null => pages?.pages.at(-1)?.total ?? null;

/**
 * Checks whether a list of threads should offer to show the thread of a live message. A list offers new threads in its
 * place. It also offers threads with a new reply, unless it is sorted by the start of the threads. A live message about
 * a reply contains no place. It is therefore relevant for the list of all places, and for lists that already show the
 * thread.
 */
export function isRelevantFor(
  { type, threadId, threadPlace }: ThreadLiveMessage,
  { country, state, city, sort }: ThreadFilter,
  shown: ReadonlySet<string>,
): boolean {
  if (type === 'thread_changed' || (type === 'reply_posted' && sort === 'newest')) return false;
  if (threadPlace === null) return country === undefined || shown.has(threadId);
  const equals = (expected: string | undefined, actual: string) =>
    expected === undefined || expected.toLowerCase() === actual.toLowerCase();
  return equals(country, threadPlace.country) && equals(state, threadPlace.state) && equals(city, threadPlace.city);
}
