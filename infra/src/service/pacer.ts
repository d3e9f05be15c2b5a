/**
 * Limits the announcements that are made immediately. An announcement is delayed while more than this number of
 * `STEP_ms` remain until the intervals of all earlier announcements end. So about five are made immediately, or about
 * three with long intervals. Delayed requests are announced together.
 */
const IMMEDIATE_ANNOUNCEMENTS = 5;
const STEP_ms = 20;
/**
 * After an announcement of at least this number of events, the interval is `LONG_STEP_ms`. Each announcement causes
 * about 30 statements of all readers together, so the processor time for them is limited under load. Eight concurrent
 * clients, or one command that appends eight events, already cause a long interval. A wait for an own event is then up
 * to 30 ms longer. A long interval collects more events, so above 160 events/s all further intervals are long, too.
 */
const MANY_events = 8;
const LONG_STEP_ms = 50;

/**
 * Limits how often `announce` is called. A request calls it at once, or at the next interval if there were many calls
 * before. One call covers all requests before it, so that many new events cost each reader only one read. `announce`
 * returns the number of new events.
 */
export function createPacer(announce: () => number) {
  let timer: NodeJS.Timeout | null = null;
  /** The end of the intervals of all announcements so far, in ms. Every announcement adds an interval. */
  let stepsEndAt_ms = 0;

  function run(): void {
    timer = null;
    stepsEndAt_ms = Math.max(stepsEndAt_ms, performance.now()) + (announce() < MANY_events ? STEP_ms : LONG_STEP_ms);
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
