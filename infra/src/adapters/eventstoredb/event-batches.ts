import { EventStoreUnavailable } from '@alpenglow/domain';
import type { Readable } from 'node:stream';
import { MAX_READ_EVENTS } from '../event-store-input.ts';
import type { ReceivedEvent } from './envelope.ts';
import { readInBatches } from './read-in-batches.ts';
import { REQUEST_TIMEOUT_ms } from './request.ts';

/** Reads use the leader of the cluster, because a follower may lack events that the caller has just written. */
export const FROM_LEADER = { requiresLeader: true } as const;
/** The number of events that the client buffers for a long read. */
export const BUFFERED_EVENTS = 500;
/** The options of a read that usually needs only its first events. */
export const SMALL_BUFFER = { highWaterMark: 16 } as const;

/**
 * The maximum time without an event in a read of some types or streams. The server may search a large part of the log
 * for the next event. A broken connection is detected earlier.
 */
export const SEARCH_TIMEOUT_ms = 120_000;

/** Yields the events of a read in batches. The time limit without an event can be `Infinity`. */
export type ReadBatches = (
  read: Readable & { cancel(): Promise<void> },
  idleTimeout_ms?: number,
) => AsyncGenerator<readonly ReceivedEvent[]>;

/**
 * Creates the function that yields the events of a read in batches, until `closing` aborts. If the caller stops early,
 * the read is canceled on the server too. Until the server notices this, it sends further events. A read should
 * therefore have a `maxCount` if possible.
 */
export function createEventBatchReader(closing: AbortSignal): ReadBatches {
  return async function* readBatches(
    read: Readable & { cancel(): Promise<void> },
    idleTimeout_ms = REQUEST_TIMEOUT_ms,
  ): AsyncGenerator<readonly ReceivedEvent[]> {
    try {
      for await (const batch of readInBatches<{ readonly event?: ReceivedEvent }>(read, {
        max: MAX_READ_EVENTS,
        signal: closing,
        ...(idleTimeout_ms !== Infinity && { idleTimeout_ms }),
      }))
        yield batch.flatMap(({ event }) => event ?? []);
      if (closing.aborted) throw new EventStoreUnavailable('The event store is closed');
    } finally {
      read.cancel().catch(() => undefined);
    }
  };
}
