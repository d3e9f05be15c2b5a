/** How often something was counted in its window, and how long that window lasts on. */
export interface Count {
  readonly count: number;
  readonly left_ms: number;
}

/** Counts by key, each in a window that begins with its first count. */
export interface Counters {
  /** Counts `by` more; `window_s` holds for a window that begins now. */
  add(key: string, by: number, window_s: number): Promise<Count>;
  /** The count of a window that is not over, or null. */
  find(key: string): Promise<Count | null>;
  /** Ends a window. */
  forget(key: string): Promise<void>;
}
