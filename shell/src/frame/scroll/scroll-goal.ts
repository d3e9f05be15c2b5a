export interface Visit {
  readonly pathname: string;
  readonly search: string;
  /** With its `#`; empty for none. */
  readonly hash: string;
  /** `POP`: by Back, Forward or a reload, or the page a visit begins with. */
  readonly type: 'POP' | 'PUSH' | 'REPLACE';
}

/** Where a page is to be after a navigation: at a height in CSS pixels, or at what the address names. Null: where it is. */
export type ScrollGoal = { readonly top: number } | { readonly id: string } | null;

/** `before`: the visit before it in this page, null for the first. `place`: how far down the entry was read when it was left. */
export function scrollGoal(
  { pathname, search, hash, type }: Visit,
  before: Pick<Visit, 'pathname' | 'search' | 'hash'> | null,
  place: number | null,
): ScrollGoal {
  const named: ScrollGoal = hash.length > 1 ? { id: decoded(hash.slice(1)) } : null;
  if (type === 'POP') return place !== null ? { top: place } : (named ?? { top: 0 });
  if (before?.pathname !== pathname) return named ?? { top: 0 };
  // Filters change the address below a page that stays. A link to a place in it leads there, as often as it is followed.
  return before.search === search ? named : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
