/**
 * The number of requests of a key in its current time window, and the time in ms until the window ends. A key
 * identifies e.g. a client address.
 */
export interface WindowCount {
  readonly count: number;
  readonly left_ms: number;
}

/** Counters of requests by key, e.g. by client address. The time window of a key begins with its first request. */
export interface Counters {
  /** Adds `by` to the count of a key. If the key has no current window, a new window of `window_s` seconds begins. */
  add(key: string, by: number, window_s: number): Promise<WindowCount>;
  /** Returns the count in the current window of a key, or null if the key has no current window. */
  find(key: string): Promise<WindowCount | null>;
  /** Ends the window of a key, so that the next count begins at 0. */
  reset(key: string): Promise<void>;
}
