/** The count of a key in its current time window, and the time until the window ends. */
export interface WindowCount {
  readonly count: number;
  readonly left_ms: number;
}

/** Counters of requests by key. Each key has a time window, which begins with its first count. */
export interface Counters {
  /** Adds `by` to the count of a key. If no window is active, a new one of length `window_s` begins. */
  add(key: string, by: number, window_s: number): Promise<WindowCount>;
  /** Returns the count of the current window, or null if no window is active. */
  find(key: string): Promise<WindowCount | null>;
  /** Ends the window of a key, so that the next count begins at 0. */
  reset(key: string): Promise<void>;
}
