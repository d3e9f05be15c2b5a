import { decodeUrlPart } from '@alpenglow/ui';

export interface Visit {
  readonly pathname: string;
  readonly search: string;
  /** The fragment of the URL with its `#`. It may be empty. */
  readonly hash: string;
  /** The kind of navigation. `POP` is Back, Forward, a reload, or the first page of a visit. */
  readonly type: 'POP' | 'PUSH' | 'REPLACE';
}

/**
 * The scroll target after a navigation. It is an offset in CSS pixels, or the id of the element in the fragment. Null
 * leaves the scroll position unchanged.
 */
export type ScrollTarget = { readonly top: number } | { readonly id: string } | null;

/**
 * Returns the scroll target of a navigation. `before` is the previous location in this document, or null for the first
 * location. `place` is the stored scroll position of the history entry in CSS pixels, or null.
 */
export function getScrollTarget(
  { pathname, search, hash, type }: Visit,
  before: Omit<Visit, 'type'> | null,
  place: number | null,
): ScrollTarget {
  const fragmentGoal: ScrollTarget = hash.length > 1 ? { id: decodeUrlPart(hash.slice(1)) } : null;
  if (type === 'POP') return place !== null ? { top: place } : (fragmentGoal ?? { top: 0 });
  if (before?.pathname !== pathname) return fragmentGoal ?? { top: 0 };
  // A filter changes the query of the page and must not scroll. A link to a fragment of the page scrolls each time it
  // is followed.
  return before.search === search ? fragmentGoal : null;
}
