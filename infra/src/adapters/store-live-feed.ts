import { setTimeout as pause } from 'node:timers/promises';
import {
  LIVE_EVENT_TYPES,
  toLiveMessage,
  type EventStore,
  type LiveBatch,
  type LiveFeed,
  type LiveMessage,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import type { Logger } from '../logger.ts';

const RETRY_ms = 1_000;

/** The live feed straight from the event store, for one process or a few. Begins to tell at the store's head. */
export function createStoreLiveFeed({ store, log }: { readonly store: EventStore; readonly log: Logger }): LiveFeed {
  const closed = new AbortController();

  async function headThroughOutages(signal: AbortSignal): Promise<Position | null> {
    while (!signal.aborted) {
      try {
        return await store.head();
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'live feed cannot reach the event store, trying again');
        await rest(signal);
      }
    }
    return null;
  }

  async function* follow(signal: AbortSignal): AsyncGenerator<LiveBatch> {
    const head = await headThroughOutages(signal);
    if (head === null) return;
    yield { after: head, messages: [], through: head };
    let told = head;
    while (!signal.aborted) {
      try {
        for await (const events of store.subscribeAll({ after: told, types: LIVE_EVENT_TYPES, signal })) {
          const after = told;
          told = events.at(-1)?.position ?? told;
          yield { after, messages: events.map(messageOf).filter((message) => message !== null), through: told };
          if (signal.aborted) return;
        }
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'live feed lost the event store, trying again');
      }
      await rest(signal);
    }
  }

  /** An event this build cannot read is no reason to stop telling of the others. */
  function messageOf(recorded: RecordedEvent): LiveMessage | null {
    try {
      return toLiveMessage(recorded);
    } catch (error) {
      log.error({ err: error, position: recorded.position, type: recorded.type }, 'event not told: it cannot be read');
      return null;
    }
  }

  return {
    follow: ({ signal }) => follow(AbortSignal.any([signal, closed.signal])),
    close: async () => closed.abort(),
  };
}

function rest(signal: AbortSignal): Promise<void> {
  return pause(RETRY_ms, undefined, { signal }).catch(() => undefined);
}
