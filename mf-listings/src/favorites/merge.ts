/** The lists of ad ids from which favorites are merged. In each list, the most recently added id comes first. */
export interface FavoritesToAddInput {
  readonly server: readonly string[];
  /** The favorites that the server last returned to this browser. The list is empty before the first response. */
  readonly known: readonly string[];
  /**
   * The client's favorites in this browser. `guest` contains the favorites that were added in this browser before the
   * sign-in.
   */
  readonly local: readonly string[];
  readonly guest: readonly string[];
}

/**
 * Returns the favorites to add on the server, oldest first, so that the server stores them in the browser's order. A
 * favorite that is in `known` but not on the server was removed on another device. It is not added again.
 */
export function getFavoritesToAdd({ server, known, local, guest }: FavoritesToAddInput): readonly string[] {
  const localOnly = local.filter((id) => !known.includes(id));
  return [...new Set([...localOnly, ...guest])].filter((id) => !server.includes(id)).reverse();
}

export interface MergeFavoritesInput {
  readonly server: readonly string[];
  /**
   * The browser's list at the start of the merge. `now` is the browser's current list, which the visitor may have
   * changed during the merge.
   */
  readonly before: readonly string[];
  readonly now: readonly string[];
  /** The result of `getFavoritesToAdd`. */
  readonly added: readonly string[];
  /** The ads whose state was sent to the server during the merge. The browser's current list decides about them. */
  readonly sent: ReadonlySet<string>;
}

/**
 * Returns the browser's list of favorites after a merge. It is the server's list with new favorites at the start.
 * Favorites that were removed in this browser or on another device are omitted.
 */
export function mergeFavorites({ server, before, now, added, sent }: MergeFavoritesInput): readonly string[] {
  const removedHere = before.filter((id) => !now.includes(id));
  const removedElsewhere = before.filter((id) => !server.includes(id) && !added.includes(id));
  const removed = new Set([...removedHere, ...removedElsewhere]);
  const addedHere = now.filter((id) => !server.includes(id) && !added.includes(id));
  const candidates = [...new Set([...addedHere, ...[...added].reverse(), ...server])];
  return candidates.filter((id) => (sent.has(id) ? now.includes(id) : !removed.has(id)));
}
