import { setMaxListeners } from 'node:events';
import { ConcurrencyConflict, EventStoreUnavailable, type AppendResult } from '@alpenglow/domain';
import { NO_STREAM, type EventStoreDBClient } from '@eventstore/db-client';
import { createSlots } from '../../service/polling-and-slots.ts';
import { MAX_READ_EVENTS, type CheckedAppend } from '../event-store-input.ts';
import type { BatchAppends } from './batch-appends.ts';
import { toClientEvent } from './envelope.ts';
import { isWrongRevision } from './errors.ts';
import { toPosition } from './positions.ts';
import type { Reader } from './reader.ts';
import { REQUEST_TIMEOUT_ms, sendWithRetry, withDeadline } from './request.ts';
import { addKnownIds, findRepeatedAppend, type KnownEventIds, type EventIdCache } from './event-id-cache.ts';

/**
 * The maximum number of parallel appends. Each of them may be a separate gRPC call, and servers often allow 100 calls
 * per connection.
 */
const MAX_RUNNING = 64;
const MAX_WAITING_APPENDS = 4_096;
const MAX_WAITING_bytes = 64 * 1024 * 1024;

/**
 * Creates an appender, which writes events to EventStoreDB. Appends to the same stream run one after the other. Before
 * an append, its event ids are compared with the ids in the stream, so that a repeated append is detected. The server
 * then accepts the append only at the revision that was compared last, so that no other process can write in between.
 * An append is first sent with `batches`. If its result is unknown, it is sent again as a separate call.
 */
export function createAppender(
  client: EventStoreDBClient,
  reader: Reader,
  ids: EventIdCache,
  batches: Pick<BatchAppends, 'append'>,
) {
  const slots = createSlots({ max: MAX_RUNNING, maxWaiting: MAX_WAITING_APPENDS, wait_ms: REQUEST_TIMEOUT_ms });
  const never = new AbortController().signal;
  setMaxListeners(0, never);
  const lastByStream = new Map<string, Promise<unknown>>();
  let waiting = 0;
  let waiting_bytes = 0;
  let closed = false;

  /**
   * Returns the ids of the stream's events up to revision `through`, or of all events if the stream is shorter. Reads
   * the events whose ids are not cached.
   */
  async function loadIds(stream: string, through: number): Promise<KnownEventIds> {
    let known = ids.get(stream);
    while (known.revision < through) {
      const from = known.revision + 1;
      const page = await reader.readStream(stream, { direction: 'forwards', from, limit: MAX_READ_EVENTS });
      known = addKnownIds(known, from, page);
      ids.add(stream, from, page);
      if (page.length < MAX_READ_EVENTS) break;
    }
    return known;
  }

  async function positionOf(stream: string, revision: number): Promise<AppendResult> {
    const [event] = await reader.readStream(stream, { direction: 'forwards', from: revision, limit: 1 });
    if (event?.revision !== revision)
      throw new EventStoreUnavailable(`The event store does not return the appended events of ${stream} yet`);
    return { revision, position: event.position };
  }

  async function send(append: CheckedAppend, after: number, deadline: number): Promise<AppendResult> {
    const { stream, events } = append;
    const result = (await batches.append(append, after, deadline)) ?? (await sendAlone(append, after, deadline));
    const first = result.revision + 1 - events.length;
    ids.add(
      stream,
      first,
      events.map(({ id }, index) => ({ id, revision: first + index })),
    );
    return result;
  }

  /** Sends an append as a separate call. */
  async function sendAlone({ stream, events }: CheckedAppend, after: number, deadline: number): Promise<AppendResult> {
    const { nextExpectedRevision, position } = await sendWithRetry(
      () =>
        client.appendToStream(stream, events.map(toClientEvent), {
          expectedRevision: after < 0 ? NO_STREAM : BigInt(after),
          requiresLeader: true,
          deadline: Math.max(1, deadline - Date.now()),
        }),
      deadline,
    );
    const revision = Number(nextExpectedRevision);
    return position ? { revision, position: toPosition(position) } : positionOf(stream, revision);
  }

  async function write(append: CheckedAppend, deadline: number): Promise<AppendResult> {
    const { stream, events, expectedRevision } = append;
    for (;;) {
      const known = await withDeadline(deadline, () =>
        loadIds(stream, typeof expectedRevision === 'number' ? expectedRevision : -1),
      );
      const repeated = findRepeatedAppend(known, stream, events);
      if (repeated !== null) {
        const [event] = await withDeadline(deadline, () =>
          reader.readStream(stream, { direction: 'forwards', from: repeated, limit: 1 }),
        );
        if (event?.id === events.at(-1)?.id && event) return { revision: repeated, position: event.position };
        // The server was restored from an older backup, so the stream no longer contains the cached events.
        ids.remove(stream);
        continue;
      }
      try {
        return await send(
          append,
          expectedRevision === 'any' ? known.revision : expectedRevision === 'no-stream' ? -1 : expectedRevision,
          deadline,
        );
      } catch (error) {
        if (!isWrongRevision(error)) throw error;
      }
      // Another request has written to the stream. That request may be a copy of this append whose response was lost.
      const current = await withDeadline(deadline, () => loadIds(stream, Infinity));
      if (findRepeatedAppend(current, stream, events) !== null) continue;
      if (expectedRevision !== 'any') throw new ConcurrencyConflict(stream, expectedRevision, current.revision);
      // The stream has no newer events, so it became shorter when the server was restored from an older backup.
      if (current.revision <= known.revision) {
        ids.remove(stream);
        await withDeadline(deadline, () => loadIds(stream, Infinity));
      }
    }
  }

  async function writeInTurn(
    append: CheckedAppend,
    before: Promise<unknown> | undefined,
    deadline: number,
  ): Promise<AppendResult> {
    await before;
    const slot = await slots.take(never);
    if (!slot) throw new EventStoreUnavailable('Too many appends are waiting');
    try {
      return await write(append, deadline);
    } finally {
      slot.release();
    }
  }

  return {
    async append(append: CheckedAppend): Promise<AppendResult> {
      const { stream, size_bytes } = append;
      if (closed) throw new EventStoreUnavailable('The event store is closed');
      if (waiting >= MAX_WAITING_APPENDS || waiting_bytes + size_bytes > MAX_WAITING_bytes)
        throw new EventStoreUnavailable('Too many appends are waiting');
      waiting += 1;
      waiting_bytes += size_bytes;
      const result = writeInTurn(append, lastByStream.get(stream), Date.now() + REQUEST_TIMEOUT_ms);
      const settle = () => {
        waiting -= 1;
        waiting_bytes -= size_bytes;
        if (lastByStream.get(stream) === settled) lastByStream.delete(stream);
      };
      const settled = result.then(settle, settle);
      lastByStream.set(stream, settled);
      return result;
    },
    /** Resolves when every running append has completed. Rejects later appends. */
    async close(): Promise<void> {
      closed = true;
      await Promise.all(lastByStream.values());
    },
  };
}
