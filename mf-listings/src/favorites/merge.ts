/** Lists of ad ids, the last added first. */
export interface MergeInput {
  /** What the server has. */
  readonly server: readonly string[];
  /** What the server had when this browser last asked; empty when it never did. */
  readonly known: readonly string[];
  /** What this browser has for the client, and what a guest kept in it before. */
  readonly local: readonly string[];
  readonly guest: readonly string[];
}

/**
 * What the server has to be told of, the oldest first, so that it ends in the order it was kept in. What the server once had and has
 * no more was taken off elsewhere: that is not brought back.
 */
export function favoritesToAdd({ server, known, local, guest }: MergeInput): readonly string[] {
  const mine = local.filter((id) => !known.includes(id));
  return [...new Set([...mine, ...guest])].filter((id) => !server.includes(id)).reverse();
}

export interface MergedInput {
  readonly server: readonly string[];
  /** The browser's list when the merge began, and now: the visitor may have gone on pressing hearts. */
  readonly before: readonly string[];
  readonly now: readonly string[];
  /** What `favoritesToAdd` said, and which of these the server refused because the ad is gone. */
  readonly added: readonly string[];
  readonly gone: readonly string[];
}

/** The browser's list after a merge: the server's, with what was just added in front, and without what was taken off meanwhile. */
export function mergedFavorites({ server, before, now, added, gone }: MergedInput): readonly string[] {
  const takenOffHere = before.filter((id) => !now.includes(id));
  const takenOffElsewhere = before.filter((id) => !server.includes(id) && !added.includes(id));
  const out = new Set([...takenOffHere, ...takenOffElsewhere, ...gone]);
  const inFront = now.filter((id) => !server.includes(id));
  return [...new Set([...inFront, ...[...added].reverse(), ...server])].filter((id) => !out.has(id));
}
