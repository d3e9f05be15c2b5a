import {
  findEventDefinition,
  LogRewound,
  NewerEventVersionError,
  START_POSITION,
  type LogMark,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import { waitUnlessAborted, type PoolClient } from '@alpenglow/infra';
import type { ParkedEvent } from './apply-batch.ts';
import { recordMark, rewindCheckpoint } from './checkpoints/checkpoint-marks.ts';
import {
  findCheckpointEvent,
  moveCheckpoint,
  moveCheckpointInOwnTransaction,
  openCheckpoint,
  recordParkedEvents,
} from './checkpoints/checkpoints.ts';
import type { Dependencies } from './dependencies.ts';
import { inReadModelTransaction } from './read-model-transaction.ts';

/** The result of handling a batch of events. It is stored in the transaction that moves the checkpoint. */
export interface Handled {
  readonly parked?: readonly ParkedEvent[];
  readonly alsoInTransaction?: (client: PoolClient) => Promise<void>;
  /** Called after the commit. */
  readonly onStored?: () => void;
}

/**
 * A consumer that reads the event log but has no tables of read models, such as a reactor. It must tolerate that an
 * event is handled twice.
 */
export interface LogConsumer {
  /** The name of the consumer and of its checkpoint. */
  readonly name: string;
  /** The types of the events that are handled. */
  readonly types: readonly string[];
  /**
   * True if reads wait until the checkpoint has reached a position (`waitForPosition`). The checkpoint then moves with
   * every batch. Otherwise, such a read would wait for the next event of a handled type.
   */
  readonly isAwaited?: boolean;
  /** Returns the position at which the first run starts. Default: the start of the log. */
  readonly start?: () => Promise<Position>;
  /** Called at the start of each run with the event of the checkpoint, also after the log was replaced. */
  readonly onStart?: (begin: LogMark) => Promise<void>;
  /**
   * Handles events of the given types. `through` is the last event of the log that was read. The list is empty if the
   * checkpoint only moves over events of other types. Returns null if the work is incomplete because the signal has
   * aborted. The checkpoint then stays, and the events are handled again.
   */
  handle(events: readonly RecordedEvent[], through: LogMark): Promise<Handled | null>;
}

/**
 * The interval at which the checkpoint moves while there are only events of other types. Without these moves, a
 * consumer of rare events would read a large part of the log again at each start.
 */
const MOVE_EVERY_ms = 5_000;
const MARK_EVERY_ms = 60_000;
/**
 * After a batch of at least this number of events of other types, the consumer pauses, so that larger batches collect.
 */
const LARGE_BATCH_events = 8;
const UNHANDLED_PAUSE_ms = 50;
const RESTART_ms = 50;

/**
 * Passes the events after the checkpoint to the consumer until `signal` aborts. Rejects if the store, the database or
 * the consumer fails. The duty is then started again from the checkpoint. If the log is replaced by an older state,
 * continues from the last event that the log still contains. Rejects with `NewerEventVersionError` at an event of an
 * unknown type, after the earlier events are handled and before the checkpoint moves past it. A newer build wrote such
 * an event, and a process of that build takes over the duty.
 */
export async function followLog(
  consumer: LogConsumer,
  deps: Dependencies<'store' | 'pool' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await followOnce(consumer, deps, signal);
    } catch (error) {
      if (!(error instanceof LogRewound)) throw error;
      deps.log.info({ consumer: consumer.name, err: error }, 'the event log was replaced by an older state');
      await waitUnlessAborted(RESTART_ms, signal);
    }
  }
}

async function followOnce(
  { name, types, isAwaited = false, start = async () => START_POSITION, onStart, handle }: LogConsumer,
  deps: Dependencies<'store' | 'pool' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const { store, pool, log } = deps;
  const checkpoint = await openCheckpoint(pool, name, start);
  const begin = await findCheckpointEvent(deps, name, checkpoint);
  if (begin === null) {
    const position = await rewindCheckpoint(deps, name, checkpoint, start);
    log.info({ consumer: name, from: checkpoint.position, to: position }, 'checkpoint moved back to the event log');
    return;
  }
  await onStart?.(begin);
  const wanted = new Set(types);
  let stored = begin.position;
  let storedAt_ms = -Infinity;
  let markedAt_ms = -Infinity;
  // The log may lose the first events of this run. The consumer then returns to the event before them, whose mark is
  // therefore recorded together with them.
  let unmarked = begin.id === null ? null : begin;

  async function record(to: LogMark, { parked = [], alsoInTransaction, onStored }: Handled): Promise<void> {
    const now_ms = performance.now();
    const isMarkDue = now_ms - markedAt_ms > MARK_EVERY_ms;
    if (parked.length === 0 && !alsoInTransaction && !isMarkDue)
      await moveCheckpointInOwnTransaction(pool, name, stored, to);
    else
      await inReadModelTransaction(pool, async (client) => {
        await moveCheckpoint(client, name, stored, to);
        await recordParkedEvents(client, name, parked);
        if (unmarked) await recordMark(client, name, unmarked);
        if (isMarkDue) await recordMark(client, name, to);
        await alsoInTransaction?.(client);
      });
    [stored, storedAt_ms] = [to.position, now_ms];
    if (isMarkDue) [markedAt_ms, unmarked] = [now_ms, null];
    for (const { position, type, error } of parked) log.error({ reactor: name, position, type, error }, 'event parked');
    onStored?.();
  }

  const subscription = { after: begin.position, afterId: begin.id, decrypt: types, signal };
  for await (const batch of store.subscribeAll(subscription)) {
    const unknownAt = batch.findIndex(({ type }) => !findEventDefinition(type));
    const known = unknownAt < 0 ? batch : batch.slice(0, unknownAt);
    const through = known.at(-1);
    const events = known.filter(({ type }) => wanted.has(type));
    const isMoveDue = isAwaited || performance.now() - storedAt_ms > MOVE_EVERY_ms;
    if (through && (events.length > 0 || isMoveDue)) {
      const handled = await handle(events, through);
      if (handled === null) return;
      await record(through, handled);
    }
    if (unknownAt >= 0) throw new NewerEventVersionError(`${batch[unknownAt]?.type} is not known to this build`);
    if (events.length === 0 && batch.length >= LARGE_BATCH_events) await waitUnlessAborted(UNHANDLED_PAUSE_ms, signal);
  }
}
