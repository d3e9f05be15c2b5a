/**
 * The number of announcements that are made immediately. If more are requested within a short time, they are made
 * together, at intervals of `STEP_ms`.
 */
const IMMEDIATE_ANNOUNCEMENTS = 5;
const STEP_ms = 20;

/**
 * Limits how often `announce` is called. A request calls it at once, or at the next interval if there were many calls
 * before. One call covers all requests before it, so that many new events cost each reader only one read.
 */
export function createPacer(announce: () => void) {
  let timer: NodeJS.Timeout | null = null;
  /** The end of the intervals of all announcements so far, in ms. Every announcement adds an interval of `STEP_ms`. */
  let stepsEndAt_ms = 0;

  function run(): void {
    timer = null;
    stepsEndAt_ms = Math.max(stepsEndAt_ms, performance.now()) + STEP_ms;
    announce();
  }

  return {
    /** Calls `announce` now or within a short time. */
    request(): void {
      if (timer !== null) return;
      const wait_ms = stepsEndAt_ms - performance.now() - IMMEDIATE_ANNOUNCEMENTS * STEP_ms;
      if (wait_ms <= 0) run();
      else timer = setTimeout(run, wait_ms);
    },
    /** Cancels a delayed announcement. */
    stop(): void {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
