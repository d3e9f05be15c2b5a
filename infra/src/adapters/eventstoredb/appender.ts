import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { ConcurrencyConflict, EventStoreUnavailable, type AppendResult } from '@alpenglow/domain';
import { NO_STREAM, type EventStoreDBClient } from '@eventstore/db-client';
import { createSlots } from '../../service/polling-and-slots.ts';
import { MAX_READ_EVENTS, type CheckedAppend } from '../event-store-input.ts';
import type { BatchAppends } from './batch-appends.ts';
import type { OwnEvents } from './envelope.ts';
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
const FIRST_REPLICATION_WAIT_ms = 50;
const LONGEST_REPLICATION_WAIT_ms = 500;

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
  { toServerStream, toClientEvent }: Pick<OwnEvents, 'toServerStream' | 'toClientEvent'>,
) {
  const slots = createSlots({ max: MAX_RUNNING, maxWaiting: MAX_WAITING_APPENDS, wait_ms: REQUEST_TIMEOUT_ms });
  const never = new AbortController().signal;
  setMaxListeners(0, never);
  const lastByStream = new Map<string, Promise<unknown>>();
  let waiting = 0;
  let waiting_bytes = 0;
  let closed = false;

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
        client.appendToStream(toServerStream(stream), events.map(toClientEvent), {
          expectedRevision: after < 0 ? NO_STREAM : BigInt(after),
          requiresLeader: true,
          deadline: Math.max(1, deadline - Date.now()),
        }),
      deadline,
    );
    const revision = Number(nextExpectedRevision);
    return position ? { revision, position: toPosition(position) } : positionOf(reader, stream, revision);
  }

  /**
   * Writes an append. `pauseSlot` frees its slot for other streams during a wait. Rejects with `EventStoreUnavailable`
   * from `deadline` (Unix ms) on, also if the append has waited in a queue until then, and sends nothing after it.
   */
  async function write(append: CheckedAppend, deadline: number, pauseSlot: PauseSlot): Promise<AppendResult> {
    const { stream, events, expectedRevision } = append;
    /** The revision of the last event of another application, if such events follow the expected revision. */
    let foreign: number | null = null;
    const wait = createReplicationWait(stream, deadline);
    const waitForReplication = () => pauseSlot(wait);
    for (;;) {
      // An append can wait in the queue of its stream until its time is over. The requests of its caller have then
      // probably timed out, so it must not be sent any more.
      if (Date.now() >= deadline) throw new EventStoreUnavailable(`An append to ${stream} could not be sent in time`);
      const through = typeof expectedRevision === 'number' ? expectedRevision : -1;
      const cached = ids.get(stream);
      const known =
        cached.revision >= through
          ? cached
          : await withDeadline(deadline, () => loadIds({ ids, reader }, stream, through));
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
          expectedRevision === 'any' ? known.revision : (foreign ?? toRevision(expectedRevision)),
          deadline,
        );
      } catch (error) {
        if (!isWrongRevision(error)) throw error;
      }
      // Another request has written to the stream. That request may be a copy of this append whose response was lost.
      const current = await withDeadline(deadline, () => loadIds({ ids, reader }, stream, Infinity));
      if (findRepeatedAppend(current, stream, events) !== null) continue;
      if (expectedRevision !== 'any') {
        const end = await withDeadline(deadline, () => reader.readStreamEnd(stream));
        // Only our own events are conflicts.
        if (end.own !== toRevision(expectedRevision)) throw new ConcurrencyConflict(stream, expectedRevision, end.own);
        if (end.last > (foreign ?? end.own)) foreign = end.last;
        else await waitForReplication();
        continue;
      }
      if (current.revision > known.revision) continue;
      // The stream may have become shorter, because the server was restored from an older backup.
      ids.remove(stream);
      const reloaded = await withDeadline(deadline, () => loadIds({ ids, reader }, stream, Infinity));
      if (reloaded.revision !== known.revision) continue;
      await waitForReplication();
      await withDeadline(deadline, () => loadIds({ ids, reader }, stream, Infinity));
    }
  }

  async function writeInTurn(
    append: CheckedAppend,
    before: Promise<unknown> | undefined,
    deadline: number,
  ): Promise<AppendResult> {
    await before;
    return inSlot(
      () => slots.take(never),
      (pauseSlot) => write(append, deadline, pauseSlot),
    );
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

/** Makes a wait without the slot of an append, so that appends to other streams can use the slot. */
type PauseSlot = (wait: () => Promise<void>) => Promise<void>;

/** Runs `work` in a slot. Rejects with `EventStoreUnavailable` if no slot becomes free in time. */
async function inSlot<T>(
  take: () => Promise<{ release(): void } | null>,
  work: (pauseSlot: PauseSlot) => Promise<T>,
): Promise<T> {
  let slot: { release(): void } | null = null;
  async function takeSlot(): Promise<void> {
    slot = await take();
    if (!slot) throw new EventStoreUnavailable('Too many appends are waiting');
  }
  function release(): void {
    slot?.release();
    slot = null;
  }
  await takeSlot();
  try {
    return await work(async (wait) => {
      release();
      await wait();
      await takeSlot();
    });
  } finally {
    release();
  }
}

async function positionOf(reader: Reader, stream: string, revision: number): Promise<AppendResult> {
  const [event] = await reader.readStream(stream, { direction: 'forwards', from: revision, limit: 1 });
  if (event?.revision !== revision)
    throw new EventStoreUnavailable(`The event store does not return the appended events of ${stream} yet`);
  return { revision, position: event.position };
}

/**
 * Returns a function that waits after the server has rejected an append although no read returns a newer event of the
 * stream. The server counts an event from its write on, but a read returns it only when most nodes of the cluster have
 * it. After a lost response, this can be an event of an earlier request. The wait becomes longer with each call.
 * Rejects with `EventStoreUnavailable` if it would last longer than until `deadline` (Unix ms).
 */
function createReplicationWait(stream: string, deadline: number): () => Promise<void> {
  let wait_ms = FIRST_REPLICATION_WAIT_ms;
  return async () => {
    if (Date.now() + wait_ms >= deadline)
      throw new EventStoreUnavailable(`The event store does not return the last events of ${stream} yet`);
    await pause(wait_ms);
    wait_ms = Math.min(wait_ms * 2, LONGEST_REPLICATION_WAIT_ms);
  };
}

/** Returns an expected revision as a number. -1 means that the stream must not exist. */
function toRevision(expected: number | 'no-stream'): number {
  return expected === 'no-stream' ? -1 : expected;
}

/**
 * Returns the ids of the stream's events up to revision `through`, or of all events if the stream is shorter. They
 * include events of other applications. Reads the events whose ids are not cached.
 */
async function loadIds(
  { ids, reader }: { readonly ids: EventIdCache; readonly reader: Reader },
  stream: string,
  through: number,
): Promise<KnownEventIds> {
  let known = ids.get(stream);
  while (known.revision < through) {
    const from = known.revision + 1;
    const page = await reader.readStreamIds(stream, from);
    known = addKnownIds(known, from, page);
    ids.add(stream, from, page);
    if (page.length < MAX_READ_EVENTS) break;
  }
  return known;
}
