import { EventStoreUnavailable } from '@alpenglow/domain';
import type { ResolvedEvent } from '@eventstore/db-client';
import type { Readable } from 'node:stream';
import { MAX_READ_EVENTS } from '../event-store-input.ts';
import type { ReceivedEvent } from './envelope.ts';
import { readInBatches } from './read-in-batches.ts';
import { REQUEST_TIMEOUT_ms } from './request.ts';

/** Reads use the leader of the cluster, because a follower may lack events that the caller has just written. */
export const FROM_LEADER = { requiresLeader: true } as const;
/** The options of a read that usually needs only its first events. */
export const SMALL_BUFFER = { highWaterMark: 16 } as const;

/** Yields the events of a read in batches. */
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
      for await (const batch of readInBatches<ResolvedEvent>(read, {
        max: MAX_READ_EVENTS,
        signal: closing,
        idleTimeout_ms,
      }))
        yield batch.flatMap(({ event }) => event ?? []);
      if (closing.aborted) throw new EventStoreUnavailable('The event store is closed');
    } finally {
      read.cancel().catch(() => undefined);
    }
  };
}
