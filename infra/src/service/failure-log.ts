const INTERVAL_ms = 60_000;

/**
 * Limits the log lines about work that fails again and again. The first failure is logged at once. Later failures are
 * counted, and at most one line a minute contains their number.
 */
export function createFailureLog({ interval_ms = INTERVAL_ms, now_ms = () => performance.now() } = {}) {
  const works = new Map<string, { loggedAt_ms: number; unlogged: number }>();
  return {
    /**
     * Counts a failure of the work `name`. Returns the number of failures since the last line, including this one, if a
     * line must be logged now, and otherwise null.
     */
    count(name: string): number | null {
      const work = works.get(name) ?? { loggedAt_ms: -Infinity, unlogged: 0 };
      works.set(name, work);
      work.unlogged += 1;
      if (now_ms() - work.loggedAt_ms < interval_ms) return null;
      const failures = work.unlogged;
      Object.assign(work, { loggedAt_ms: now_ms(), unlogged: 0 });
      return failures;
    },
    /** Returns true if the work has failed since it last succeeded. */
    has: (name: string): boolean => works.has(name),
    /** Records that the work has succeeded, so that its next failure is logged at once. */
    reset: (name: string): void => void works.delete(name),
  };
}
