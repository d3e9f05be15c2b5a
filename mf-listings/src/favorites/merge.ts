/** Lists of ad ids. The id that was added last comes first. */
export interface FavoritesToAddInput {
  readonly server: readonly string[];
  /** The favorites that the server returned last to this browser. Empty if the server has never returned any. */
  readonly known: readonly string[];
  /** The client's favorites in this browser. `guest` contains those that a guest added before the sign-in. */
  readonly local: readonly string[];
  readonly guest: readonly string[];
}

/**
 * Returns the favorites to add on the server, oldest first, so that the server stores them in the browser's order. If
 * the server no longer has a favorite in `known`, another device has removed it. It is not added again.
 */
export function getFavoritesToAdd({ server, known, local, guest }: FavoritesToAddInput): readonly string[] {
  const localOnly = local.filter((id) => !known.includes(id));
  return [...new Set([...localOnly, ...guest])].filter((id) => !server.includes(id)).reverse();
}

export interface MergeFavoritesInput {
  readonly server: readonly string[];
  /** The browser's list at the start of the merge. `now` is its current content, which the visitor may have changed. */
  readonly before: readonly string[];
  readonly now: readonly string[];
  /** The result of `getFavoritesToAdd`. `gone` contains those of its ads that no longer exist. */
  readonly added: readonly string[];
  readonly gone: readonly string[];
}

/**
 * Returns the browser's list after a merge. It is the server's list with new favorites at the start. Favorites that
 * were removed here or on another device are omitted.
 */
export function mergeFavorites({ server, before, now, added, gone }: MergeFavoritesInput): readonly string[] {
  const removedHere = before.filter((id) => !now.includes(id));
  const removedElsewhere = before.filter((id) => !server.includes(id) && !added.includes(id));
  const removed = new Set([...removedHere, ...removedElsewhere, ...gone]);
  const addedHere = now.filter((id) => !server.includes(id));
  return [...new Set([...addedHere, ...[...added].reverse(), ...server])].filter((id) => !removed.has(id));
}
