import { comparePositions, type Position } from '@alpenglow/domain';

/**
 * Returns the last of the positions that several writes have in the event log, or null if no write has a position. A
 * consumer that has reached this position has handled the events of all writes.
 */
export function findLastPosition(writes: readonly { readonly position: Position | null }[]): Position | null {
  const later = (last: Position | null, position: Position | null) =>
    last === null || (position !== null && comparePositions(position, last) > 0) ? position : last;
  return writes.reduce<Position | null>((last, { position }) => later(last, position), null);
}
