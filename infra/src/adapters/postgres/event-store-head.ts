import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { START, comparePositions, type Position } from '@alpenglow/domain';
import { toPosition } from '../event-store-input.ts';
import { listen } from './pool.ts';

const CHANNEL = 'es_appended';
const POLL_INTERVAL_ms = 1_000;
/** So many appends are told of as they come; from then on, what comes within one step is told of together. */
const TOLD_AT_ONCE = 5;
const STEP_ms = 20;

export interface HeadWatch {
  /** Tells of a position known to be committed. */
  advance(position: Position): void;
  /** Waits until something lies after `position`, and answers the head then; null when the signal aborts or the watch is closed first. */
  beyond(position: Position, signal: AbortSignal): Promise<Position | null>;
  close(): Promise<void>;
}

/**
 * Knows how far the store has come, once for all subscriptions of the process. Notifications and the process's own
 * appends tell at once, or under load in steps, so that many events cost each subscription one read and its reader one transaction;
 * a poll every second finds what a lost notification would have told.
 */
export function watchHead(connectionString: string, readHead: () => Promise<Position>): HeadWatch {
  const stopped = new AbortController();
  const bell = new EventEmitter().setMaxListeners(0);
  /** What is told, and what is known already. */
  let head: Position = START;
  let known: Position = START;
  let step: NodeJS.Timeout | null = null;
  /** When all that was told has been paid for, at one step each. */
  let paidUntil_ms = 0;

  function advance(position: Position): void {
    if (comparePositions(position, known) <= 0) return;
    known = position;
    if (step !== null) return;
    const wait_ms = paidUntil_ms - performance.now() - TOLD_AT_ONCE * STEP_ms;
    if (wait_ms <= 0) tell();
    else step = setTimeout(tell, wait_ms);
  }

  function tell(): void {
    step = null;
    paidUntil_ms = Math.max(paidUntil_ms, performance.now()) + STEP_ms;
    head = known;
    bell.emit('changed');
  }

  async function look(): Promise<void> {
    // An outage is no news: the next look finds whatever this one would have.
    await readHead().then(advance, () => undefined);
  }

  async function poll(): Promise<void> {
    while (!stopped.signal.aborted) {
      await look();
      await pause(POLL_INTERVAL_ms, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  }

  const polling = poll();
  const listener = listen(connectionString, [CHANNEL], (_channel, payload) => advance(toPosition(payload)), {
    onReconnect: () => void look(),
    applicationName: 'alpenglow-events-listen',
  });

  return {
    advance,
    async beyond(position, signal) {
      while (!signal.aborted && !stopped.signal.aborted) {
        if (comparePositions(head, position) > 0) return head;
        await once(bell, 'changed', { signal }).catch(() => undefined);
      }
      return null;
    },
    async close() {
      stopped.abort();
      if (step !== null) clearTimeout(step);
      bell.emit('changed');
      await Promise.all([listener.close(), polling]);
    },
  };
}
