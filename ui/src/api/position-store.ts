import { TAB_KEYS } from '../host/stored-keys.ts';

/**
 * Time after which a recorded position in the event log expires. Until then, read requests wait for the read models to
 * reach this position, which usually takes only milliseconds.
 */
export const POSITION_LIFETIME_ms = 60_000;
/** The number of writes whose positions are stored. Parallel writes can end in another order than their positions. */
export const STORED_WRITES_MAX = 3;

/** The encrypted position of a write or of a live message, and the time at which it was recorded (ms since 1970). */
type Entry = readonly [token: string, at_ms: number];

interface Stored {
  /** The positions of the last writes of this visitor, the newest first. */
  readonly writes: readonly Entry[];
  /** The position of the last live message. */
  readonly live: Entry | null;
}

/**
 * Stores the latest positions in the event log that this visitor has received. Later requests send these positions, so
 * that the API returns no older data. Positions are encrypted, so only the server can compare them.
 */
export type PositionStore = ReturnType<typeof createPositionStore>;

/**
 * Creates a store for positions in the event log. It uses the session storage, because the shell, the remotes and the
 * page after a reload can all read it. If the browser denies access, the positions are stored in memory.
 */
export function createPositionStore(
  storage: Pick<Storage, 'getItem' | 'setItem'> | null,
  now: () => number = Date.now,
) {
  let inMemory: string | null = null;
  const readText = () => {
    try {
      return storage?.getItem(TAB_KEYS.positions) ?? inMemory;
    } catch {
      return inMemory;
    }
  };
  const isCurrent = ([, at_ms]: Entry) => now() - at_ms < POSITION_LIFETIME_ms;

  function read(): Stored {
    try {
      const { writes, live } = JSON.parse(readText() ?? '') as Stored;
      return { writes: writes.filter(isCurrent), live: live && isCurrent(live) ? live : null };
    } catch {
      // Nothing is stored, or the content is invalid.
      return { writes: [], live: null };
    }
  }

  function write(stored: Stored): void {
    inMemory = JSON.stringify(stored);
    try {
      storage?.setItem(TAB_KEYS.positions, inMemory);
    } catch {
      // The storage is full or denied, so `readText` returns the content of `inMemory`.
    }
  }

  return {
    /**
     * Returns the value of the header `X-Wait-Position`, with the positions that read requests wait for. Returns null
     * if no position was recorded in the last minute.
     */
    toHeader(): string | null {
      const { writes, live } = read();
      const tokens = [...writes, ...(live ? [live] : [])].map(([token]) => token);
      return tokens.length > 0 ? tokens.join(',') : null;
    },
    /** Records the position of a write of this visitor. */
    recordWrite(token: string): void {
      const { writes, live } = read();
      write({ writes: [[token, now()] as const, ...writes].slice(0, STORED_WRITES_MAX), live });
    },
    /** Records the position of a live message. The live channel sends messages in the order of their positions. */
    recordLive(token: string): void {
      write({ ...read(), live: [token, now()] });
    },
  };
}
