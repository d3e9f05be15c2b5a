import { setTimeout as pause } from 'node:timers/promises';
import { START_POSITION } from '@alpenglow/domain';
import { createLogger } from '@alpenglow/infra';
import { Client } from 'pg';
import { openEventStoreDb } from '../infra/src/adapters/eventstoredb/event-store.ts';
import { toOrder, type EventLogPlace } from '../tests/support/event-log.ts';

const POLL_ms = 10;
const RETRY_ms = 100;
const PAGE_events = 500;

export interface LogReader {
  readonly positions: readonly bigint[];
  /** Continues after the last event that the log still has. Called after commits were lost. */
  rewind(): void;
  /** Reads up to the position `head` and stops. */
  finish(head: bigint): Promise<void>;
}

/**
 * Reads the log with SQL while it grows, always after the last position, as the consumers of the product do. It finds
 * positions that become visible out of order.
 */
export function readGrowingLog(urlOf: () => string): LogReader {
  const positions: bigint[] = [];
  let end: bigint | null = null;
  let mustRewind = false;
  const running = (async () => {
    while (end === null || (positions.at(-1) ?? 0n) < end) {
      const client = new Client({ connectionString: urlOf() });
      client.on('error', () => undefined);
      try {
        await client.connect();
        for (;;) {
          if (mustRewind) {
            const { rows: heads } = await client.query<{ head: string }>(
              'select coalesce(max(position), 0)::text as head from es.events',
            );
            while ((positions.at(-1) ?? 0n) > BigInt(heads[0]?.head ?? 0)) positions.pop();
            mustRewind = false;
          }
          const { rows } = await client.query<{ position: string }>(
            'select position::text as position from es.events as e where e.position > $1 order by e.position limit $2',
            [String(positions.at(-1) ?? 0n), PAGE_events],
          );
          positions.push(...rows.map(({ position }) => BigInt(position)));
          if (end !== null && rows.length === 0) return;
          await pause(POLL_ms);
        }
      } catch {
        await pause(RETRY_ms);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  })();
  return {
    positions,
    rewind: () => (mustRewind = true),
    async finish(head) {
      end = head;
      await running;
    },
  };
}

/**
 * Reads the log of an EventStoreDB while it grows, always after the last position. It uses the adapter of the product,
 * so it finds positions that the server, or the adapter, makes visible out of order.
 */
export function readGrowingEventStoreDb(place: Extract<EventLogPlace, { kind: 'eventstoredb' }>): LogReader {
  const positions: bigint[] = [];
  let end: bigint | null = null;
  const running = (async () => {
    const store = await openEventStoreDb(place.url, { log: createLogger('silent'), streamPrefix: place.streamPrefix });
    try {
      for (let after = START_POSITION; end === null || (positions.at(-1) ?? 0n) < end; ) {
        const page = await store.readAll({ after, limit: PAGE_events }).catch(() => null);
        for (const { position } of page ?? []) positions.push(toOrder(position));
        after = page?.at(-1)?.position ?? after;
        if (end !== null && page?.length === 0) return;
        await pause(page === null ? RETRY_ms : POLL_ms);
      }
    } finally {
      await store.close();
    }
  })();
  return {
    positions,
    // No disruption makes EventStoreDB lose events.
    rewind: () => undefined,
    async finish(head) {
      end = head;
      await running;
    },
  };
}
