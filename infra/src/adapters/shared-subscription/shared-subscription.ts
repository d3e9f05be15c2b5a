import { EventEmitter, once, setMaxListeners } from 'node:events';
import type { EventStore, LogMark, RecordedEvent } from '@alpenglow/domain';
import { createPacer } from '../../service/pacer.ts';
import { waitUnlessAborted } from '../../service/polling-and-slots.ts';
import { MAX_READ_EVENTS } from '../event-store-input.ts';
import { createRecentEvents, toMark, type RecentEventsLimits } from './recent-events.ts';

const LIMITS: RecentEventsLimits = { max_events: 10_000, max_bytes: 16 * 1024 * 1024 };
/**
 * The number of events that stay in a buffer although every reader has taken them. A reader that was behind can then
 * still join the group.
 */
const RETAINED_events = 1_000;
/**
 * The age from which a timer removes these events, even if no new events arrive. The timer has the same interval, so it
 * removes them after 5 to 10 s.
 */
const RETAIN_ms = 5_000;
/** The time for which a full buffer waits for its slowest reader, before it removes events that the reader needs. */
const PATIENCE_ms = 200;
const POLL_ms = 10;

/** A reader of a group. `next` is the number of the next event that it takes from the buffer. */
interface Reader {
  next: number;
}

type Group = ReturnType<typeof startGroup>;

/**
 * Wraps an event store, so that subscriptions of the process that are at about the same position share one subscription
 * of `store`. Such a group of readers has a buffer of limited size, from which each reader takes the events at its own
 * pace. All readers receive the same objects and must not change them.
 *
 * A reader joins a group if its last event is in the buffer, or directly before it. Otherwise, it starts its own group.
 * This applies to a reader that begins at an earlier position, and to a reader that is so slow that its next event was
 * removed from the buffer. When a group has reached an event in the buffer of another group, its subscription ends, and
 * its readers join the other group. Near the end of the log, a process therefore has one subscription.
 *
 * If a subscription fails, e.g. because the log was replaced by an older state, the error concerns only the readers
 * that have taken all of its events. Each other reader starts a subscription after its own last event, and learns
 * whether the log still contains this event.
 */
export function withSharedSubscription(
  store: EventStore,
  { max_events = LIMITS.max_events, max_bytes = LIMITS.max_bytes }: Partial<RecentEventsLimits> = {},
): EventStore {
  const closed = new AbortController();
  setMaxListeners(0, closed.signal);
  const groups = new Set<Group>();

  /** Returns the group whose buffer contains the event after `last`, and the number of this event. */
  function findGroup(last: LogMark) {
    for (const group of groups) {
      const found = group.recent.find(last);
      if (found !== null) return { group, ...found };
    }
    return null;
  }

  function createGroup(begin: LogMark) {
    const group: Group = startGroup(store, begin, {
      limits: { max_events, max_bytes },
      closed: closed.signal,
      isReached: (mark) => [...groups].some((other) => other !== group && other.recent.find(mark) !== null),
      onOver: () => groups.delete(group),
    });
    groups.add(group);
    return { group, next: group.recent.first(), mark: begin };
  }

  /**
   * Yields all events after `begin`. Reads from a group until the group ends, or has removed the next event of the
   * reader. Then continues in another group.
   */
  async function* read(begin: LogMark, signal: AbortSignal): AsyncGenerator<readonly RecordedEvent[]> {
    let last = begin;
    while (!signal.aborted) {
      const { group, next, mark } = findGroup(last) ?? createGroup(last);
      last = mark;
      for await (const batch of group.read(next, signal)) {
        last = toMark(batch.at(-1)) ?? last;
        yield batch;
      }
      if (group.hasEnded()) return;
    }
  }

  return {
    ...store,
    async *subscribeAll({ after, afterId = null, types, signal }) {
      // Any number of subscriptions may share one signal, so Node's warning about many listeners is disabled.
      setMaxListeners(0, signal);
      const wanted = types && new Set(types);
      for await (const batch of read({ position: after, id: afterId }, AbortSignal.any([signal, closed.signal]))) {
        const delivered = wanted ? batch.filter(({ type }) => wanted.has(type)) : batch;
        if (delivered.length > 0) yield delivered;
      }
    },
    async close() {
      closed.abort();
      await store.close();
    },
  };
}

interface GroupOptions {
  readonly limits: RecentEventsLimits;
  /** Aborts when the event store is closed. */
  readonly closed: AbortSignal;
  /** Returns true if another group has this event. */
  readonly isReached: (mark: LogMark) => boolean;
  /** Called when the group has no readers or no subscription any more. */
  readonly onOver: () => void;
}

/** Starts a subscription after the event `begin`, for the readers of one group. */
function startGroup(store: EventStore, begin: LogMark, { limits, closed, isReached, onOver }: GroupOptions) {
  const stopped = new AbortController();
  const signal = AbortSignal.any([closed, stopped.signal]);
  setMaxListeners(0, signal);
  const recent = createRecentEvents(begin, limits);
  const readers = new Set<Reader>();
  /** `added`: the buffer has new events, or the subscription is over. `taken`: a reader has taken events. */
  const changes = new EventEmitter().setMaxListeners(0);
  let announced = recent.end();
  const pacer = createPacer(() => {
    const events = recent.end() - announced;
    announced = recent.end();
    changes.emit('added');
    return events;
  });
  let expiry: NodeJS.Timeout | null = null;
  /**
   * `merged`: the readers continue in other groups. `ended`: the event store was closed. `failedAt` is the number that
   * the next event would have had.
   */
  let state: 'running' | 'merged' | 'ended' | { readonly error: unknown; readonly failedAt: number } = 'running';

  /** Returns the number of the first event that a reader still needs. */
  function neededFrom(): number {
    const first = recent.first();
    // If the next event of a reader was removed, the reader was too slow. It will leave the group, and needs no event.
    return Math.min(...[...readers].map(({ next }) => (next < first ? Infinity : next)));
  }

  const isOldestNeeded = () => (recent.oldest()?.end ?? 0) > neededFrom();

  /** Removes old events, so that the next ones can be added. */
  async function makeRoom(): Promise<void> {
    const until_ms = performance.now() + PATIENCE_ms;
    while (recent.isFull() && isOldestNeeded() && performance.now() < until_ms && !signal.aborted)
      await waitUnlessAborted(POLL_ms, signal);
    while (recent.isFull() || (recent.size() > RETAINED_events && !isOldestNeeded())) recent.removeOldest();
  }

  function removeExpired(): void {
    expiry = null;
    const before_ms = performance.now() - RETAIN_ms;
    for (let oldest = recent.oldest(); oldest !== null && !isOldestNeeded(); oldest = recent.oldest()) {
      if (oldest.addedAt_ms > before_ms) break;
      recent.removeOldest();
    }
    if (recent.oldest() !== null) expireLater();
  }

  function expireLater(): void {
    expiry ??= setTimeout(removeExpired, RETAIN_ms).unref();
  }

  /** Waits until a reader has taken all events, so that the buffer grows only if its fastest reader is waiting. */
  async function waitForReader(): Promise<void> {
    while (!signal.aborted && ![...readers].some(({ next }) => next === recent.end()))
      await once(changes, 'taken', { signal }).catch(() => undefined);
  }

  /** Moves the events of the subscription to the buffer, until the subscription is over. */
  async function fillBuffer(): Promise<void> {
    for await (const batch of store.subscribeAll({ after: begin.position, afterId: begin.id, signal })) {
      await makeRoom();
      if (signal.aborted) return;
      recent.add(batch);
      expireLater();
      const last = toMark(batch.at(-1));
      if (last && isReached(last)) return end('merged');
      pacer.request();
      await waitForReader();
    }
    end('ended');
  }

  function end(result: Exclude<typeof state, 'running'>): void {
    if (state !== 'running') return;
    state = result;
    onOver();
    stopped.abort();
    pacer.stop();
    changes.emit('added');
  }

  fillBuffer().catch((error: unknown) => {
    end({ error, failedAt: recent.end() });
    recent.clear();
  });

  return {
    recent,
    /** Returns true if the event store was closed. */
    hasEnded: () => state === 'ended',

    /**
     * Yields events from the buffer, starting with number `next`, until the next event is not there or `ended` aborts.
     * Rejects if the subscription has failed and the reader has taken all of its events.
     */
    async *read(next: number, ended: AbortSignal): AsyncGenerator<readonly RecordedEvent[]> {
      const reader: Reader = { next };
      readers.add(reader);
      try {
        while (!ended.aborted) {
          if (typeof state === 'object') {
            if (reader.next === state.failedAt) throw state.error;
            return;
          }
          const batch = recent.take(reader.next, MAX_READ_EVENTS);
          if (batch === null) return;
          reader.next += batch.length;
          changes.emit('taken');
          if (batch.length > 0) yield batch;
          else if (state === 'running') await once(changes, 'added', { signal: ended }).catch(() => undefined);
          else return;
        }
      } finally {
        readers.delete(reader);
        if (readers.size === 0) {
          end('merged');
          if (expiry !== null) clearTimeout(expiry);
          recent.clear();
        }
      }
    },
  };
}
