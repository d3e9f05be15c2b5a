/**
 * Time after which a recorded position in the event log expires. Until then, read requests wait for the read models to
 * reach this position, which usually takes only milliseconds.
 */
export const POSITION_LIFETIME_ms = 60_000;
const KEY = 'alpenglow.position';

/**
 * Stores the latest position in the event log that this visitor has received. Later requests send this position, so
 * that the API returns no older data.
 */
export type PositionStore = ReturnType<typeof createPositionStore>;

/**
 * Creates a store for the latest position in the event log. It uses the session storage, because the shell, the remotes
 * and the page after a reload can all read it. If the browser denies access, the position is stored in memory.
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
  /**
   * Returns the position in the event log that read requests wait for. Returns null if no position was recorded in the
   * last minute.
   */
  const latest = (): string | null => {
    const [position, at_ms] = read()?.split('@') ?? [];
    return position && now() - Number(at_ms) < POSITION_LIFETIME_ms ? position : null;
  };
  return {
    latest,
    /**
     * Records the position of a response or a live message in the event log, unless a later position is already
     * recorded. Positions can be compared as text.
     */
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
