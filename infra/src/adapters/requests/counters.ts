/**
 * The number of requests of a key in its current time window, and the time in ms until the window ends. A key
 * identifies e.g. a client address.
 */
export interface WindowCount {
  readonly count: number;
  readonly left_ms: number;
}

/**
 * The behavior for a key without a known count while the shared counts cannot be reached. `start-at-0`: this process
 * counts from 0. `only-first`: the first call of this process counts, and the following ones reject with UNAVAILABLE
 * until the count is known. `reject`: every call rejects with UNAVAILABLE.
 */
export type WhenUnknown = 'start-at-0' | 'only-first' | 'reject';

/**
 * Counters of requests by key, e.g. by client address. The time window of a key begins with its first request. While
 * the shared counts cannot be reached, the process continues with the last count that it knows.
 */
export interface Counters {
  /**
   * Adds `by` to the count of a key. If the key has no current window, a new window of `window_s` seconds begins. By
   * default, an unknown count starts at 0.
   */
  add(key: string, by: number, window_s: number, whenUnknown?: WhenUnknown): Promise<WindowCount>;
  /** Returns the count in the current window of a key, or null if the key has no current window. */
  find(key: string, whenUnknown?: WhenUnknown): Promise<WindowCount | null>;
  /** Ends the window of a key, so that the next count begins at 0. */
  reset(key: string): Promise<void>;
}
