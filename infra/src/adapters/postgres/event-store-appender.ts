import {
  ConcurrencyConflict,
  EventStoreUnavailable,
  InvalidAppend,
  type AppendResult,
  type ExpectedRevision,
  type Position,
} from '@alpenglow/domain';
import pRetry from 'p-retry';
import type { QueryConfig } from 'pg';
import { counterToPosition, type CheckedAppend } from '../event-store-input.ts';
import { encodeIntegers, encodeJsons, encodeSmallints, encodeTexts, encodeUuids } from './binary-arrays.ts';
import { UNIQUE_VIOLATION, isBrokenConnection, isOutage, sqlStateOf } from './errors.ts';
import type { Pipeline } from './pipeline.ts';

/**
 * The number of batches that are sent in parallel. While Postgres commits one batch, the next batch is serialized and
 * sent.
 */
const LANES = 2;
/** If at least this number of appends is waiting, they are split into two parallel transactions. */
const MIN_TO_SPLIT = 16;
const MAX_BATCH_APPENDS = 256;
const MAX_BATCH_bytes = 4 * 1024 * 1024;
const MAX_WAITING_APPENDS = 4_096;
const MAX_WAITING_bytes = 64 * 1024 * 1024;
/**
 * The retries of a batch after its connection broke. The waits are 50, 200 and 800 ms. Retries are safe, because event
 * ids make appends idempotent. A batch that timed out is not sent again, so that no caller waits for several timeouts.
 */
const RETRIES = { retries: 3, minTimeout: 50, factor: 4 } as const;

interface WaitingAppend extends CheckedAppend {
  resolve(result: AppendResult): void;
  reject(error: Error): void;
}

interface Outcome {
  readonly outcome: 'appended' | 'repeated' | 'conflict' | 'id-taken';
  readonly last_revision: number | null;
  readonly last_position: string | null;
}

/**
 * Creates an appender, which combines several appends in one transaction (group commit). A transaction contains all
 * appends that arrived while other transactions were committing. Transactions assign positions one after the other, so
 * fewer transactions are faster. A single append does not wait for other appends.
 */
export function createAppender(pipeline: Pipeline, onAppended: (position: Position) => void) {
  const waiting: WaitingAppend[] = [];
  const running = new Set<Promise<void>>();
  let waiting_bytes = 0;
  let isScheduled = false;
  let closed = false;

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    // After `nextTick`, callers that have just received a result can add their next append to the same transaction.
    // While another transaction is running, `setImmediate` also collects appends of the other callbacks of this turn.
    if (running.size === 0) process.nextTick(sendWaiting);
    else setImmediate(sendWaiting);
  }

  function sendWaiting(): void {
    isScheduled = false;
    while (running.size < LANES && waiting.length > 0) send();
  }

  function send(): void {
    const share = waiting.length < MIN_TO_SPLIT ? waiting.length : Math.ceil(waiting.length / (LANES - running.size));
    const batch = waiting.splice(0, countFitting(waiting, share));
    for (const { size_bytes } of batch) waiting_bytes -= size_bytes;
    const sent = commit(pipeline, batch, onAppended).then(() => {
      running.delete(sent);
      schedule();
    });
    running.add(sent);
  }

  return {
    append: (append: CheckedAppend): Promise<AppendResult> =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new EventStoreUnavailable('The event store is closed'));
        if (waiting.length >= MAX_WAITING_APPENDS || waiting_bytes + append.size_bytes > MAX_WAITING_bytes) {
          return reject(new EventStoreUnavailable('Too many appends are waiting'));
        }
        waiting.push({ ...append, resolve, reject });
        waiting_bytes += append.size_bytes;
        schedule();
      }),
    /** Resolves when every running append has completed. Rejects later appends. */
    async close(): Promise<void> {
      closed = true;
      while (isScheduled || waiting.length > 0 || running.size > 0) {
        await Promise.all(running);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** Returns how many appends from the start of the waiting list fit into one batch. The result is at least one. */
function countFitting(waiting: readonly WaitingAppend[], max: number): number {
  const ids = new Set<string>();
  let batch_bytes = 0;
  const end = waiting.findIndex(({ events, size_bytes }, index) => {
    batch_bytes += size_bytes;
    if (index === Math.min(max, MAX_BATCH_APPENDS) || (index > 0 && batch_bytes > MAX_BATCH_bytes)) return true;
    // If the batch already contains an append with the same event ids, this append is a repetition. It waits for the
    // next batch, because the other append must be written first.
    if (events.some(({ id }) => ids.has(id))) return true;
    for (const { id } of events) ids.add(id);
    return false;
  });
  return end < 0 ? waiting.length : end;
}

/** Writes a batch, and reports the result to the caller of each append. Never throws. */
async function commit(
  pipeline: Pipeline,
  batch: readonly WaitingAppend[],
  onAppended: (position: Position) => void,
): Promise<void> {
  try {
    const outcomes = await write(pipeline, batch);
    const last = outcomes.findLast(({ outcome }) => outcome === 'appended');
    if (last?.last_position) onAppended(counterToPosition(last.last_position));
    batch.forEach((append, index) => settle(append, outcomes[index]));
  } catch (cause) {
    if (isOutage(cause)) {
      for (const append of batch)
        append.reject(new EventStoreUnavailable('The event store cannot be reached', { cause }));
    } else if (batch.length > 1) {
      // One append of the batch caused the error. Each append is now committed separately, so that it gets its own
      // result.
      for (const append of batch) await commit(pipeline, [append], onAppended);
    } else {
      batch[0]?.reject(cause instanceof Error ? cause : new Error(String(cause)));
    }
  }
}

async function write(pipeline: Pipeline, batch: readonly WaitingAppend[]): Promise<readonly Outcome[]> {
  const statement = toStatement(batch);
  const send = () =>
    pipeline.query<Outcome>(statement).catch((error: unknown) => {
      if (sqlStateOf(error) !== UNIQUE_VIOLATION) throw error;
      return pipeline.query<Outcome>(toBatchStatement(batch, true));
    });
  return pRetry(send, { ...RETRIES, shouldRetry: ({ error }) => isBrokenConnection(error) });
}

/** Returns the statement of a batch, without a check of the ids. A batch of one event has a cheaper statement. */
function toStatement(batch: readonly WaitingAppend[]): QueryConfig {
  const [append] = batch;
  const [event] = append?.events ?? [];
  if (!append || !event || batch.length > 1 || append.events.length > 1) return toBatchStatement(batch, false);
  return {
    name: 'es-append-one',
    text: 'select outcome, last_revision, last_position from es.append_one($1, $2, $3, $4, $5, $6, $7)',
    values: [
      append.stream,
      toExpectedNumber(append.expectedRevision),
      event.id,
      event.type,
      event.version,
      event.data,
      event.meta,
    ],
  };
}

/** Returns the statement of a batch. With `checksIds`, each append is first searched by the ids of its events. */
function toBatchStatement(batch: readonly WaitingAppend[], checksIds: boolean): QueryConfig {
  return {
    name: 'es-append',
    text: 'select outcome, last_revision, last_position from es.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
    values: [...toArrays(batch), checksIds],
  };
}

/** Returns the arguments of the SQL function `es.append` (migrations 0001 and 0057). */
function toArrays(batch: readonly WaitingAppend[]): Buffer[] {
  const slotOf = new Map<string, number>();
  for (const { stream } of batch) if (!slotOf.has(stream)) slotOf.set(stream, slotOf.size + 1);
  const events = batch.flatMap((append) => append.events);
  return [
    encodeTexts([...slotOf.keys()]),
    encodeIntegers(batch.map(({ stream }) => slotOf.get(stream) ?? 0)),
    encodeIntegers(batch.map(({ expectedRevision }) => toExpectedNumber(expectedRevision))),
    encodeIntegers(batch.map((append) => append.events.length)),
    encodeUuids(events.map(({ id }) => id)),
    encodeTexts(events.map(({ type }) => type)),
    encodeSmallints(events.map(({ version }) => version)),
    encodeJsons(events.map(({ data }) => data)),
    encodeJsons(events.map(({ meta }) => meta)),
  ];
}

function toExpectedNumber(expected: ExpectedRevision): number {
  if (expected === 'any') return -2;
  return expected === 'no-stream' ? -1 : expected;
}

function settle({ stream, expectedRevision, resolve, reject }: WaitingAppend, outcome: Outcome | undefined): void {
  switch (outcome?.outcome) {
    case 'appended':
    case 'repeated':
      return resolve({ revision: outcome.last_revision ?? 0, position: counterToPosition(outcome.last_position ?? 0) });
    case 'conflict':
      return reject(new ConcurrencyConflict(stream, expectedRevision, outcome.last_revision ?? -1));
    case 'id-taken':
      return reject(new InvalidAppend(`Some event ids of this append to ${stream} belong to other events`));
    case undefined:
      return reject(new Error('The event store returned no result for this append'));
  }
}
