/** Time for which reads wait for a recorded log position. Read models usually reach it within milliseconds. */
export const POSITION_LIFETIME_ms = 60_000;
const KEY = 'alpenglow.position';

/** Stores the latest log position that this visitor has received. The API returns no data from before this position. */
export type PositionStore = ReturnType<typeof createPositionStore>;

/**
 * Creates a store in session storage, which the shell, the remotes and the page after a reload can read. If the browser
 * denies access to the storage, the position is stored in memory.
 */
export function createPositionStore(
  storage: Pick<Storage, 'getItem' | 'setItem'> | null,
  now: () => number = Date.now,
) {
  let inMemory: string | null = null;
  const read = () => {
    try {
      return storage?.getItem(KEY) ?? inMemory;
    } catch {
      return inMemory;
    }
  };
  /** Returns the log position that reads wait for. Returns null if none was recorded in the last minute. */
  const latest = (): string | null => {
    const [position, at_ms] = read()?.split('@') ?? [];
    return position && now() - Number(at_ms) < POSITION_LIFETIME_ms ? position : null;
  };
  return {
    latest,
    /** Records the log position of a response or of a live message. Positions can be compared as text. */
    record(position: string): void {
      const before = latest();
      inMemory = `${before !== null && before > position ? before : position}@${now()}`;
      try {
        storage?.setItem(KEY, inMemory);
      } catch {
        // The storage is full or denied, so `read` returns the position in `inMemory`.
      }
    },
  };
}
