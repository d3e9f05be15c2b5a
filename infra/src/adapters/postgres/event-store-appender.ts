import { setTimeout as pause } from 'node:timers/promises';
import {
  ConcurrencyConflict,
  EventStoreUnavailable,
  InvalidAppend,
  type AppendResult,
  type ExpectedRevision,
  type Position,
} from '@alpenglow/domain';
import { toPosition, type CheckedAppend } from '../event-store-input.ts';
import { integers, jsons, smallints, texts, uuids } from './binary-arrays.ts';
import { UNIQUE_VIOLATION, isBrokenConnection, isOutage, sqlStateOf } from './errors.ts';
import type { Pipeline } from './pipeline.ts';

/** While Postgres commits one batch, the next is already written out and sent. */
const LANES = 2;
/** Fewer appends than this are not worth two transactions. */
const WORTH_SPLITTING = 16;
const MAX_BATCH_APPENDS = 256;
const MAX_BATCH_bytes = 4 * 1024 * 1024;
const MAX_WAITING_APPENDS = 4_096;
const MAX_WAITING_bytes = 64 * 1024 * 1024;
/** A batch whose connection broke is sent again after these waits: its ids make that safe. One that took too long is not, so that no caller waits several times over. */
const RETRY_WAITS_ms = [50, 200, 800] as const;

interface WaitingAppend extends CheckedAppend {
  resolve(result: AppendResult): void;
  reject(error: Error): void;
}

interface Outcome {
  readonly outcome: 'appended' | 'repeated' | 'conflict' | 'id-taken';
  readonly last_revision: number | null;
  readonly last_position: string | null;
}

export interface Appender {
  append(append: CheckedAppend): Promise<AppendResult>;
  /** Resolves when every append under way has its answer. Later ones are refused. */
  close(): Promise<void>;
}

/**
 * Group commit: each transaction carries every append that gathered while others were committing. That wins back what
 * serial positions cost, and an append that comes alone does not wait for company.
 */
export function createAppender(pipeline: Pipeline, onAppended: (position: Position) => void): Appender {
  const waiting: WaitingAppend[] = [];
  const underWay = new Set<Promise<void>>();
  let waiting_bytes = 0;
  let isScheduled = false;
  let closed = false;

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    // Every writer that the last answer has woken hands over its next append before this runs, so they share a transaction.
    setImmediate(() => {
      isScheduled = false;
      while (underWay.size < LANES && waiting.length > 0) send();
    });
  }

  function send(): void {
    const share =
      waiting.length < WORTH_SPLITTING ? waiting.length : Math.ceil(waiting.length / (LANES - underWay.size));
    const batch = waiting.splice(0, countFitting(waiting, share));
    for (const { size_bytes } of batch) waiting_bytes -= size_bytes;
    const sent = commit(pipeline, batch, onAppended).then(() => {
      underWay.delete(sent);
      schedule();
    });
    underWay.add(sent);
  }

  return {
    append: (append) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new EventStoreUnavailable('The event store is closed'));
        if (waiting.length >= MAX_WAITING_APPENDS || waiting_bytes + append.size_bytes > MAX_WAITING_bytes) {
          return reject(new EventStoreUnavailable('Too many appends are waiting'));
        }
        waiting.push({ ...append, resolve, reject });
        waiting_bytes += append.size_bytes;
        schedule();
      }),
    async close() {
      closed = true;
      while (isScheduled || waiting.length > 0 || underWay.size > 0) {
        await Promise.all(underWay);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** How many of the waiting appends, from the first on, one batch can hold. At least one. */
function countFitting(waiting: readonly WaitingAppend[], max: number): number {
  const ids = new Set<string>();
  let batch_bytes = 0;
  const end = waiting.findIndex(({ events, size_bytes }, index) => {
    batch_bytes += size_bytes;
    if (index === Math.min(max, MAX_BATCH_APPENDS) || (index > 0 && batch_bytes > MAX_BATCH_bytes)) return true;
    // The repeat of an append in this batch has to find the first one written, so it waits for the next batch.
    if (events.some(({ id }) => ids.has(id))) return true;
    for (const { id } of events) ids.add(id);
    return false;
  });
  return end < 0 ? waiting.length : end;
}

/** Writes a batch and answers each of its appends. Never throws. */
async function commit(
  pipeline: Pipeline,
  batch: readonly WaitingAppend[],
  onAppended: (position: Position) => void,
): Promise<void> {
  try {
    const outcomes = await write(pipeline, batch);
    const last = outcomes.findLast(({ outcome }) => outcome === 'appended');
    if (last?.last_position) onAppended(toPosition(last.last_position));
    batch.forEach((append, index) => settle(append, outcomes[index]));
  } catch (cause) {
    if (isOutage(cause)) {
      for (const append of batch)
        append.reject(new EventStoreUnavailable('The event store cannot be reached', { cause }));
    } else if (batch.length > 1) {
      // One of them is at fault; alone, each gets its own answer.
      for (const append of batch) await commit(pipeline, [append], onAppended);
    } else {
      batch[0]?.reject(cause instanceof Error ? cause : new Error(String(cause)));
    }
  }
}

async function write(pipeline: Pipeline, batch: readonly WaitingAppend[]): Promise<readonly Outcome[]> {
  const values = toArrays(batch);
  let isCareful = false;
  for (let breaks = 0; ; ) {
    try {
      return await pipeline.query<Outcome>({
        name: 'es-append',
        text: 'select outcome, last_revision, last_position from es.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
        values: [...values, isCareful],
      });
    } catch (error) {
      const wait_ms = RETRY_WAITS_ms[breaks];
      if (sqlStateOf(error) === UNIQUE_VIOLATION && !isCareful) {
        isCareful = true;
      } else if (isBrokenConnection(error) && wait_ms !== undefined) {
        breaks += 1;
        await pause(wait_ms);
      } else {
        throw error;
      }
    }
  }
}

/** The arguments of `es.append` (migration 0001). */
function toArrays(batch: readonly WaitingAppend[]): Buffer[] {
  const slotOf = new Map<string, number>();
  for (const { stream } of batch) if (!slotOf.has(stream)) slotOf.set(stream, slotOf.size + 1);
  const events = batch.flatMap((append) => append.events);
  return [
    texts([...slotOf.keys()]),
    integers(batch.map(({ stream }) => slotOf.get(stream) ?? 0)),
    integers(batch.map(({ expectedRevision }) => toExpectedNumber(expectedRevision))),
    integers(batch.map((append) => append.events.length)),
    uuids(events.map(({ id }) => id)),
    texts(events.map(({ type }) => type)),
    smallints(events.map(({ version }) => version)),
    jsons(events.map(({ data }) => data)),
    jsons(events.map(({ meta }) => meta)),
  ];
}

function toExpectedNumber(expected: ExpectedRevision): number {
  if (expected === 'any') return -2;
  return expected === 'no-stream' ? -1 : expected;
}

function settle({ stream, expectedRevision, resolve, reject }: WaitingAppend, answer: Outcome | undefined): void {
  switch (answer?.outcome) {
    case 'appended':
    case 'repeated':
      return resolve({ revision: answer.last_revision ?? 0, position: toPosition(answer.last_position ?? 0) });
    case 'conflict':
      return reject(new ConcurrencyConflict(stream, expectedRevision, answer.last_revision ?? -1));
    case 'id-taken':
      return reject(new InvalidAppend(`Some event ids of this append to ${stream} belong to other events`));
    case undefined:
      return reject(new Error('The event store gave no answer for this append'));
  }
}
