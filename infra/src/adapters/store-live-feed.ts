import {
  LIVE_EVENT_TYPES,
  LogRewound,
  toFeedMessage,
  type EventStore,
  type FeedMessage,
  type LiveBatch,
  type LiveFeed,
  type LogMark,
  type RecordedEvent,
} from '@alpenglow/domain';
import { createFailureLog } from '../service/failure-log.ts';
import type { Logger } from '../service/logger.ts';
import { waitUnlessAborted } from '../service/polling-and-slots.ts';

const RETRY_ms = 1_000;
/** The name under which the failures of the feed are counted. */
const FEED = 'live feed';

/**
 * Creates the feed of live messages, which inform browsers about new events. The feed reads directly from the event
 * store, so it suits installations with few processes. A new follower receives only events that are appended later.
 */
export function createStoreLiveFeed({ store, log }: { readonly store: EventStore; readonly log: Logger }): LiveFeed {
  const closed = new AbortController();
  const failureLog = createFailureLog();

  /** Logs the first failure at once, and later ones together, once a minute. */
  function logFailure(err: unknown, message: string): void {
    const failures = failureLog.count(FEED);
    if (failures !== null) log.warn({ err, failures }, message);
  }

  async function headThroughOutages(signal: AbortSignal): Promise<LogMark | null> {
    while (!signal.aborted) {
      try {
        const position = await store.readHead();
        return { position, id: await store.findEventId(position, null) };
      } catch (error) {
        if (!signal.aborted) logFailure(error, 'live feed cannot reach the event store, retrying');
        await waitUnlessAborted(RETRY_ms, signal);
      }
    }
    return null;
  }

  async function* follow(signal: AbortSignal): AsyncGenerator<LiveBatch> {
    const head = await headThroughOutages(signal);
    if (head === null) return;
    yield { after: head.position, messages: [], through: head.position, throughId: head.id };
    let delivered = head;
    while (!signal.aborted) {
      try {
        for await (const events of store.subscribeAll({
          after: delivered.position,
          afterId: delivered.id,
          types: LIVE_EVENT_TYPES,
          signal,
        })) {
          failureLog.reset(FEED);
          const after = delivered.position;
          delivered = events.at(-1) ?? delivered;
          yield {
            after,
            messages: events.map(toMessage).filter((message) => message !== null),
            through: delivered.position,
            throughId: delivered.id,
          };
          if (signal.aborted) return;
        }
      } catch (error) {
        if (error instanceof LogRewound) throw error;
        if (!signal.aborted) logFailure(error, 'live feed lost the event store, retrying');
      }
      await waitUnlessAborted(RETRY_ms, signal);
    }
  }

  /**
   * Converts an event to a live message. Returns null if this build cannot read the event, so that only this event is
   * skipped and the feed continues.
   */
  function toMessage(recorded: RecordedEvent): FeedMessage | null {
    try {
      return toFeedMessage(recorded);
    } catch (error) {
      log.error(
        { err: error, position: recorded.position, type: recorded.type },
        'event not delivered: it is unreadable',
      );
      return null;
    }
  }

  return {
    follow: ({ signal }) => follow(AbortSignal.any([signal, closed.signal])),
    close: async () => closed.abort(),
  };
}
