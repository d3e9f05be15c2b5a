import { EventEmitter, once } from 'node:events';
import { comparePositions, type LogMark, type Position } from '@alpenglow/domain';
import { createPacer } from '../../service/pacer.ts';
import { waitUnlessAborted } from '../../service/polling-and-slots.ts';
import { counterToPosition, positionToCounter } from '../event-store-input.ts';
import { listen } from './pool.ts';

const CHANNEL = 'es_appended';
const POLL_INTERVAL_ms = 1_000;

export type HeadWatch = ReturnType<typeof watchHead>;

/**
 * Tracks the last event in the log for all subscriptions of the process. New positions are announced at once, or at
 * intervals while many events are appended, so that many events cost each subscription only one read. A check every
 * second finds events whose notifications were lost. It also finds that the log has become shorter, or that another
 * event is at its end, which happens after a failover to a replica that lags behind.
 */
export function watchHead(connectionString: string, readHead: () => Promise<LogMark>) {
  const stopped = new AbortController();
  const changes = new EventEmitter().setMaxListeners(0);
  /**
   * `head` is the last event that was announced to subscriptions. `known` is the last known event, which may not be
   * announced yet. Both are null before the first check. A notification contains no event id, so the id is null until
   * the next check.
   */
  let head: LogMark | null = null;
  let known: LogMark | null = null;
  const pacer = createPacer(() => {
    const events = countEvents(head, known);
    head = known;
    changes.emit('changed');
    return events;
  });

  function advance(position: Position): void {
    if (known === null || comparePositions(position, known.position) > 0) learn({ position, id: null });
  }

  function learn(mark: LogMark): void {
    known = mark;
    pacer.request();
  }

  async function checkHead(): Promise<void> {
    const before = known;
    // An outage is ignored, because the next check finds the same events.
    const mark = await readHead().catch(() => null);
    if (mark === null || (known?.position === mark.position && known.id === mark.id)) return;
    // While the end was read, a notification may have reported a later event. Otherwise, a lower position means that
    // the log has become shorter.
    if (known === before || comparePositions(mark.position, known?.position ?? mark.position) >= 0) learn(mark);
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
     * Waits until the announced end of the log differs from `cursor`, and returns the position of the end. The end may
     * be before `cursor`, or at the same position with another event. Returns null if the signal aborts or `close` is
     * called first.
     */
    async waitForChange(cursor: LogMark, signal: AbortSignal): Promise<Position | null> {
      while (!signal.aborted && !stopped.signal.aborted) {
        if (head !== null && (head.position !== cursor.position || isOtherEvent(head, cursor))) return head.position;
        await once(changes, 'changed', { signal }).catch(() => undefined);
      }
      return null;
    },
    async close(): Promise<void> {
      stopped.abort();
      pacer.stop();
      changes.emit('changed');
      await Promise.all([listener.close(), polling]);
    },
  };
}

/** Returns the number of events between two events. Positions of this store are consecutive numbers (decision 0003). */
function countEvents(from: LogMark | null, to: LogMark | null): number {
  return from && to ? Number(positionToCounter(to.position)) - Number(positionToCounter(from.position)) : 0;
}

function isOtherEvent(head: LogMark, cursor: LogMark): boolean {
  return head.id !== null && cursor.id !== null && head.id !== cursor.id;
}
