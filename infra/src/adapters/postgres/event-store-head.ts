import { EventEmitter, once } from 'node:events';
import { START_POSITION, comparePositions, type Position } from '@alpenglow/domain';
import { waitUnlessAborted } from '../../service/polling-and-slots.ts';
import { counterToPosition } from '../event-store-input.ts';
import { listen } from './pool.ts';

const CHANNEL = 'es_appended';
const POLL_INTERVAL_ms = 1_000;
/**
 * The number of appends that are announced to subscriptions immediately. If more appends follow within a short time,
 * they are announced together, at intervals of `STEP_ms`.
 */
const IMMEDIATE_ANNOUNCEMENTS = 5;
const STEP_ms = 20;

export type HeadWatch = ReturnType<typeof watchHead>;

/**
 * Tracks the position of the last event in the log for all subscriptions of the process. New positions are announced at
 * once, or at intervals while many events are appended, so that many events cost each subscription only one read. A
 * check every second finds events whose notifications were lost.
 */
export function watchHead(connectionString: string, readHead: () => Promise<Position>) {
  const stopped = new AbortController();
  const changes = new EventEmitter().setMaxListeners(0);
  /**
   * `head` is the position that was last announced to subscriptions. `known` is the highest known position, which may
   * not be announced yet.
   */
  let head: Position = START_POSITION;
  let known: Position = START_POSITION;
  let step: NodeJS.Timeout | null = null;
  /** The end of the intervals of all announcements so far, in ms. Every announcement adds an interval of `STEP_ms`. */
  let stepsEndAt_ms = 0;

  function advance(position: Position): void {
    if (comparePositions(position, known) <= 0) return;
    known = position;
    if (step !== null) return;
    const wait_ms = stepsEndAt_ms - performance.now() - IMMEDIATE_ANNOUNCEMENTS * STEP_ms;
    if (wait_ms <= 0) announce();
    else step = setTimeout(announce, wait_ms);
  }

  function announce(): void {
    step = null;
    stepsEndAt_ms = Math.max(stepsEndAt_ms, performance.now()) + STEP_ms;
    head = known;
    changes.emit('changed');
  }

  async function checkHead(): Promise<void> {
    // An outage is ignored, because the next check finds the same events.
    await readHead().then(advance, () => undefined);
  }

  async function poll(): Promise<void> {
    while (!stopped.signal.aborted) {
      await checkHead();
      await waitUnlessAborted(POLL_INTERVAL_ms, stopped.signal);
    }
  }

  const polling = poll();
  const listener = listen(connectionString, [CHANNEL], (_channel, payload) => advance(counterToPosition(payload)), {
    onReconnect: () => void checkHead(),
    applicationName: 'alpenglow-events-listen',
  });

  return {
    /** Reports the position of an event that was committed by this process. */
    advance,
    /**
     * Waits until an event after `position` is announced, and returns the last announced position. Returns null if the
     * signal aborts or `close` is called first.
     */
    async waitBeyond(position: Position, signal: AbortSignal): Promise<Position | null> {
      while (!signal.aborted && !stopped.signal.aborted) {
        if (comparePositions(head, position) > 0) return head;
        await once(changes, 'changed', { signal }).catch(() => undefined);
      }
      return null;
    },
    async close(): Promise<void> {
      stopped.abort();
      if (step !== null) clearTimeout(step);
      changes.emit('changed');
      await Promise.all([listener.close(), polling]);
    },
  };
}
