import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { START, comparePositions, type Position } from '@alpenglow/domain';
import { toPosition } from '../event-store-input.ts';
import { listen } from './pool.ts';

const CHANNEL = 'es_appended';
const POLL_INTERVAL_ms = 1_000;

export interface HeadWatch {
  /** Tells of a position known to be committed. */
  advance(position: Position): void;
  /** Waits until something lies after `position`, and answers the head then; null when the signal aborts or the watch is closed first. */
  beyond(position: Position, signal: AbortSignal): Promise<Position | null>;
  close(): Promise<void>;
}

/**
 * Knows how far the store has come, once for all subscriptions of the process. Notifications and the process's own
 * appends tell at once; a poll every second finds what a lost notification would have told.
 */
export function watchHead(connectionString: string, readHead: () => Promise<Position>): HeadWatch {
  const stopped = new AbortController();
  const bell = new EventEmitter().setMaxListeners(0);
  let head: Position = START;

  function advance(position: Position): void {
    if (comparePositions(position, head) <= 0) return;
    head = position;
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
      bell.emit('changed');
      await Promise.all([listener.close(), polling]);
    },
  };
}
