import { setMaxListeners } from 'node:events';
import { ConcurrencyConflict, EventStoreUnavailable, type AppendResult } from '@alpenglow/domain';
import { NO_STREAM, type EventStoreDBClient } from '@eventstore/db-client';
import { createSlots } from '../../waiting.ts';
import { MAX_READ_EVENTS, type CheckedAppend } from '../event-store-input.ts';
import { toClientEvent } from './envelope.ts';
import { isWrongRevision } from './errors.ts';
import { toPosition } from './positions.ts';
import type { Reader } from './reading.ts';
import { REQUEST_TIMEOUT_ms, request, within } from './request.ts';
import { extend, findRepeat, type KnownStream, type StreamIds } from './stream-ids.ts';

/** Each is a call of its own on one connection, and servers commonly allow a hundred of those. */
const MAX_UNDER_WAY = 64;
const MAX_WAITING_APPENDS = 4_096;
const MAX_WAITING_bytes = 64 * 1024 * 1024;

export interface Appender {
  append(append: CheckedAppend): Promise<AppendResult>;
  /** Resolves when every append under way has its answer. Later ones are refused. */
  close(): Promise<void>;
}

/**
 * Appends through a client, those to one stream one after the other. Before each, its ids are held against those of the stream, and the server is
 * asked for the very revision up to which they were, so that no other process can come between.
 */
export function createAppender(client: EventStoreDBClient, reader: Reader, ids: StreamIds): Appender {
  const slots = createSlots({ max: MAX_UNDER_WAY, maxWaiting: MAX_WAITING_APPENDS, wait_ms: REQUEST_TIMEOUT_ms });
  const never = new AbortController().signal;
  setMaxListeners(0, never);
  /** The last append to each stream that has any under way. */
  const lastOf = new Map<string, Promise<unknown>>();
  let waiting = 0;
  let waiting_bytes = 0;
  let closed = false;

  /** The stream up to a revision, or to its end where that comes first: what is known of it, and the rest read. */
  async function know(stream: string, through: number): Promise<KnownStream> {
    let known = ids.of(stream);
    while (known.revision < through) {
      const from = known.revision + 1;
      const page = await reader.readStream(stream, { direction: 'forwards', from, limit: MAX_READ_EVENTS });
      known = extend(known, from, page);
      ids.learn(stream, from, page);
      if (page.length < MAX_READ_EVENTS) break;
    }
    return known;
  }

  async function positionOf(stream: string, revision: number): Promise<AppendResult> {
    const [event] = await reader.readStream(stream, { direction: 'forwards', from: revision, limit: 1 });
    if (event?.revision !== revision)
      throw new EventStoreUnavailable(`The event store does not show yet what was appended to ${stream}`);
    return { revision, position: event.position };
  }

  async function send({ stream, events }: CheckedAppend, after: number, deadline: number): Promise<AppendResult> {
    const { nextExpectedRevision, position } = await request(
      () =>
        client.appendToStream(stream, events.map(toClientEvent), {
          expectedRevision: after < 0 ? NO_STREAM : BigInt(after),
          requiresLeader: true,
          deadline: Math.max(1, deadline - Date.now()),
        }),
      deadline,
    );
    const revision = Number(nextExpectedRevision);
    const first = revision + 1 - events.length;
    ids.learn(
      stream,
      first,
      events.map(({ id }, index) => ({ id, revision: first + index })),
    );
    return position ? { revision, position: toPosition(position) } : positionOf(stream, revision);
  }

  async function write(append: CheckedAppend, deadline: number): Promise<AppendResult> {
    const { stream, events, expectedRevision } = append;
    for (;;) {
      const known = await within(deadline, () =>
        know(stream, typeof expectedRevision === 'number' ? expectedRevision : -1),
      );
      const repeated = findRepeat(known, stream, events);
      if (repeated !== null) return within(deadline, () => positionOf(stream, repeated));
      try {
        return await send(
          append,
          expectedRevision === 'any' ? known.revision : expectedRevision === 'no-stream' ? -1 : expectedRevision,
          deadline,
        );
      } catch (error) {
        if (!isWrongRevision(error)) throw error;
      }
      // Somebody has written; perhaps it was this very append, and only its answer was lost.
      const now = await within(deadline, () => know(stream, Infinity));
      if (findRepeat(now, stream, events) === null && expectedRevision !== 'any')
        throw new ConcurrencyConflict(stream, expectedRevision, now.revision);
    }
  }

  async function takeTurn(
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
    async append(append) {
      const { stream, size_bytes } = append;
      if (closed) throw new EventStoreUnavailable('The event store is closed');
      if (waiting >= MAX_WAITING_APPENDS || waiting_bytes + size_bytes > MAX_WAITING_bytes)
        throw new EventStoreUnavailable('Too many appends are waiting');
      waiting += 1;
      waiting_bytes += size_bytes;
      const answer = takeTurn(append, lastOf.get(stream), Date.now() + REQUEST_TIMEOUT_ms);
      const settle = () => {
        waiting -= 1;
        waiting_bytes -= size_bytes;
        if (lastOf.get(stream) === settled) lastOf.delete(stream);
      };
      const settled = answer.then(settle, settle);
      lastOf.set(stream, settled);
      return answer;
    },
    async close() {
      closed = true;
      await Promise.all(lastOf.values());
    },
  };
}
