import { comparePositions, type Position } from '@alpenglow/domain';

/** The last of the positions of several writes, null without any: a reader that has come so far has seen all of them. */
export function lastPositionOf(writes: readonly { readonly position: Position | null }[]): Position | null {
  const later = (last: Position | null, position: Position | null) =>
    last === null || (position !== null && comparePositions(position, last) > 0) ? position : last;
  return writes.reduce<Position | null>((last, { position }) => later(last, position), null);
}
