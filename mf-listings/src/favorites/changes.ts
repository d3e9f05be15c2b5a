/** The favorites that are being sent to the server. */
import type { Favorites } from './favorites.ts';

export interface SentFavorite {
  readonly adId: string;
  /** The favorites in this browser. */
  readonly local: Favorites;
  /** The favorites that the server has, as far as this browser knows. */
  readonly known: Favorites;
}

/** For each ad whose state is being sent, whether the visitor has changed it again since. */
const running = new Map<string, boolean>();
const records = new Set<Set<string>>();

/**
 * Starts to send the state of an ad. Returns false if it is already being sent. The new state is then sent next by the
 * sender that is running.
 */
export function startChange(adId: string): boolean {
  const isFirst = !running.has(adId);
  running.set(adId, !isFirst);
  for (const adIds of records) adIds.add(adId);
  return isFirst;
}

/** Returns whether `startChange` was called again since the last call of this function. */
export function takeRepetition(adId: string): boolean {
  const isRepeated = running.get(adId) === true;
  if (isRepeated) running.set(adId, false);
  return isRepeated;
}

export function endChange(adId: string): void {
  running.delete(adId);
}

/**
 * Restores the last known state of the server after a change could not be sent.
 * @returns true if the change added a favorite
 */
export function undoChange({ adId, local, known }: SentFavorite): boolean {
  const isOnServer = known.has(adId);
  if (isOnServer) local.add(adId);
  else local.remove(adId);
  return !isOnServer;
}

/** Collects the ids of the ads that are being sent now, and of all ads that start to be sent until `stop` is called. */
export function recordChanges(): { readonly adIds: ReadonlySet<string>; readonly stop: () => void } {
  const adIds = new Set(running.keys());
  records.add(adIds);
  return { adIds, stop: () => void records.delete(adIds) };
}
