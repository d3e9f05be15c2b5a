import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '@alpenglow/domain';
import type { Dependencies } from '../dependencies.ts';

/**
 * The maximum age of the knowledge that the read models give. Together with the time for which a positive result is
 * reused (1 s) and the lifetime in shared caches (2 s), it limits the effect of a decision to 5 s.
 */
const MAX_LAG_ms = 2_000;
/** Minimum time between the starts of two checks of a process, so that busy pages do not add a query per picture. */
const CHECK_EVERY_ms = 1_000;
/** Maximum time for which a request waits for the read models, so that a short lag breaks no picture of a page. */
const WAIT_ms = 6_000;
/** Maximum number of requests that wait for another check after the first one. */
const MAX_WAITING = 100;
const RETRY_AFTER_s = 1;

/**
 * Creates the check of the read models `projections`. A check reads the end of the event log and waits until all of
 * them have reached it. This proves that they contain every decision from before the start of the check. The check
 * neither depends on clocks of other processes nor on the rate of new events: later events do not move its goal. In an
 * idle installation, the read models are already at the end of the log, because projections move their checkpoints over
 * every event, also over those that they do not handle.
 */
export function createReadModelFreshness(
  { store, progress }: Dependencies<'store' | 'progress'>,
  projections: readonly string[],
  { maxLag_ms = MAX_LAG_ms, checkEvery_ms = CHECK_EVERY_ms, wait_ms = WAIT_ms, now_ms = () => performance.now() } = {},
) {
  /** The read models contain all events from before this time. */
  let completeUntil_ms = -Infinity;
  let lastStart_ms = -Infinity;
  let running: Promise<unknown> | null = null;
  let waiting = 0;

  async function check(start_ms: number): Promise<void> {
    const head = await store.readHead();
    const reached = await Promise.all(
      projections.map((projection) => progress.waitFor(projection, head, undefined, maxLag_ms)),
    );
    if (reached.every(Boolean)) completeUntil_ms = Math.max(completeUntil_ms, start_ms);
  }

  /** Starts a check unless one is running or has just started. A check ends after `maxLag_ms` at the latest. */
  function startIfDue(): void {
    const start_ms = now_ms();
    if (running || start_ms - lastStart_ms < checkEvery_ms) return;
    lastStart_ms = start_ms;
    const finished = new AbortController();
    const limit = pause(maxLag_ms, undefined, { signal: finished.signal, ref: false }).catch(() => undefined);
    // A check that fails proves nothing, so it needs no other handling: files become unavailable when the last proof
    // is too old.
    running = Promise.race([check(start_ms).catch(() => undefined), limit]).finally(() => {
      finished.abort();
      running = null;
    });
  }

  const isFresh = () => now_ms() - completeUntil_ms < maxLag_ms;

  return {
    /**
     * Makes sure that the read models contain all events that are older than 2 s. Resolves at once if this is already
     * known. Otherwise waits for a check that proves it. Throws UNAVAILABLE if no check proves it within 6 s, because
     * the read models lag by more than 2 s or the checks fail. Every request may wait for one check, and at most 100
     * requests wait for further checks. The others then receive UNAVAILABLE.
     */
    async require(): Promise<void> {
      const deadline_ms = now_ms() + wait_ms;
      for (;;) {
        startIfDue();
        if (isFresh()) return;
        await running;
        if (isFresh()) return;
        const next_ms = Math.max(now_ms(), lastStart_ms + checkEvery_ms);
        if (next_ms + maxLag_ms > deadline_ms || waiting >= MAX_WAITING)
          throw new DomainError('UNAVAILABLE', {}, RETRY_AFTER_s);
        waiting += 1;
        await pause(Math.max(0, next_ms - now_ms()), undefined, { ref: false });
        waiting -= 1;
      }
    },
  };
}
