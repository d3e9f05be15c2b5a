import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '@alpenglow/infra';
import { jsonEvent } from '@eventstore/db-client';
import { connectEventStoreDb } from '../../infra/src/adapters/eventstoredb/client.ts';

/** Interval between two writes. */
const INTERVAL_ms = 500;

/**
 * Writes events to an EventStoreDB as another application does, until `isOver`: one of an unknown type, and one with a
 * type of the product but without its metadata. Returns the number of events that the server has stored. A write that
 * fails is not repeated, because a test may stop the server meanwhile.
 */
export async function writeForeignEvents(url: string, isOver: () => boolean): Promise<number> {
  const { client, close } = connectEventStoreDb(url, createLogger('silent'));
  let written = 0;
  try {
    while (!isOver()) {
      for (const [stream, type] of [
        ['order-1', 'OrderPlaced'],
        ['ad-foreign', 'AdPosted'],
      ] as const) {
        const event = jsonEvent({ id: randomUUID(), type, data: { order: 1 } });
        written += await client.appendToStream(stream, event).then(
          () => 1,
          () => 0,
        );
      }
      await pause(INTERVAL_ms);
    }
    return written;
  } finally {
    await close();
  }
}
