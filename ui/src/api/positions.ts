/** How long after a write a read still asks for it. Read models follow within milliseconds; a minute covers a bad day. */
export const POSITION_LIFETIME_ms = 60_000;
const KEY = 'alpenglow.position';

/** The furthest position this visitor has seen, so that a read never answers from before it. */
export interface Positions {
  /** A write, or a live message, says its position. Positions are ordered as text. */
  seen(position: string): void;
  /** What a read should wait for; null when there is nothing recent. */
  latest(): string | null;
}

/**
 * Kept in session storage, because shell and remotes each carry their own client, and because a reload straight after a write
 * must still show it. Where storage is refused, the memory of this page serves.
 */
export function createPositions(
  storage: Pick<Storage, 'getItem' | 'setItem'> | null,
  now: () => number = Date.now,
): Positions {
  let kept: string | null = null;
  const read = () => {
    try {
      return storage?.getItem(KEY) ?? kept;
    } catch {
      return kept;
    }
  };
  const latest = () => {
    const [position, at_ms] = read()?.split('@') ?? [];
    return position && now() - Number(at_ms) < POSITION_LIFETIME_ms ? position : null;
  };
  return {
    latest,
    seen(position) {
      const before = latest();
      kept = `${before !== null && before > position ? before : position}@${now()}`;
      try {
        storage?.setItem(KEY, kept);
      } catch {
        // Storage that is full or refused costs other tabs of this page nothing: `kept` serves.
      }
    },
  };
}
