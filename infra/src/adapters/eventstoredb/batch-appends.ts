import { randomUUID } from 'node:crypto';
import type { AppendResult } from '@alpenglow/domain';
import type { CheckedAppend } from '../event-store-input.ts';
import type { BatchCallHandlers, BatchResponse, OpenBatchCall } from './client.ts';
import { toPosition } from './positions.ts';

/** The maximum time that a call with unconfirmed appends may be without any response. After it, the call has failed. */
const RESPONSE_TIMEOUT_ms = 5_000;
/** After this number of failures without a success in between, every append is sent as a separate call for a while. */
const MAX_FAILURES = 8;
/** The duration of the first pause. Each further pause without a success in between is twice as long. */
const FIRST_PAUSE_ms = 5_000;
const MAX_PAUSE_ms = 300_000;

export interface BatchAppendOptions {
  readonly responseTimeout_ms?: number;
  readonly firstPause_ms?: number;
}

interface WaitingAppend {
  /** The revision of the stream after the append. */
  readonly revision: number;
  /** The time at which the append stops waiting, on the clock of `performance.now()`. */
  readonly until_ms: number;
  settle(result: AppendResult | null): void;
}

/** A batch call, and its appends without a response, by correlation id. */
interface Batch {
  readonly call: OpenBatchCall;
  readonly waiting: Map<string, WaitingAppend>;
  hasConfirmed: boolean;
  /** Runs while appends wait for a response. Each response restarts it. When it expires, the call has failed. */
  responseTimer?: NodeJS.Timeout | undefined;
  /** Expires when the first append stops waiting, or earlier. All appends share it, because a timer has a cost. */
  waitTimer?: { readonly timer: NodeJS.Timeout; readonly at_ms: number } | undefined;
}

export type BatchAppends = ReturnType<typeof createBatchAppends>;

/**
 * Creates a sender that sends many appends in one long-lived call, which needs less processor time than a call for each
 * append (decision 0018). The only response that it uses is a complete confirmation. In all other cases the result of
 * an append is unknown, and the caller must send it again as a separate call. `open` opens a batch call.
 */
export function createBatchAppends(
  open: (handlers: BatchCallHandlers) => Promise<OpenBatchCall>,
  { responseTimeout_ms = RESPONSE_TIMEOUT_ms, firstPause_ms = FIRST_PAUSE_ms }: BatchAppendOptions = {},
) {
  let current: Batch | null = null;
  let isOpening = false;
  let isClosed = false;
  let failures = 0;
  let nextPause_ms = firstPause_ms;
  let pausedUntil = 0;

  function startPause(): void {
    failures = 0;
    pausedUntil = Date.now() + nextPause_ms;
    nextPause_ms = Math.min(2 * nextPause_ms, MAX_PAUSE_ms);
  }

  function countFailure(): void {
    failures += 1;
    if (failures >= MAX_FAILURES) startPause();
  }

  /** Cancels a call. The results of its waiting appends become unknown. */
  function discard(batch: Batch): void {
    if (current === batch) current = null;
    clearTimeout(batch.responseTimer);
    clearTimeout(batch.waitTimer?.timer);
    for (const { settle } of [...batch.waiting.values()]) settle(null);
    batch.call.cancel();
  }

  function fail(batch: Batch): void {
    if (current !== batch) return;
    countFailure();
    discard(batch);
  }

  function startResponseTimer(batch: Batch): void {
    batch.responseTimer ??= setTimeout(() => {
      // A proxy may not support such calls. Each further attempt would delay appends, so a pause begins at once.
      if (!batch.hasConfirmed) startPause();
      fail(batch);
    }, responseTimeout_ms);
  }

  function receive(batch: Batch, { correlationId = '', written, isConflict }: BatchResponse): void {
    const append = batch.waiting.get(correlationId);
    if (append) {
      const result = toResult(written, append.revision);
      if (result) {
        batch.hasConfirmed = true;
        failures = 0;
        nextPause_ms = firstPause_ms;
      } else if (!isConflict) countFailure();
      append.settle(result);
    }
    if (batch.waiting.size > 0) {
      batch.responseTimer?.refresh();
      return;
    }
    clearTimeout(batch.responseTimer);
    batch.responseTimer = undefined;
  }

  async function openCall(): Promise<void> {
    let batch: Batch | null = null;
    let isOver = false;
    isOpening = true;
    try {
      const call = await open({
        onResponse(response) {
          if (batch) receive(batch, response);
        },
        onEnd() {
          isOver = true;
          if (batch) fail(batch);
        },
      });
      batch = { call, waiting: new Map(), hasConfirmed: false };
      current = batch;
      if (isOver) fail(batch);
      else if (isClosed) discard(batch);
    } catch {
      countFailure();
    } finally {
      isOpening = false;
    }
  }

  /**
   * Returns the open call, or null if it cannot be used yet. Opens a call if there is none. Until a call has confirmed
   * an append, only one append at a time waits in it, because the call may never respond.
   */
  function usableBatch(): Batch | null {
    const state = current?.call.state();
    if (current && state === 'closed') discard(current);
    if (!current && !isOpening && !isClosed && Date.now() >= pausedUntil) void openCall();
    if (!current || state !== 'ready') return null;
    return current.hasConfirmed || current.waiting.size === 0 ? current : null;
  }

  return {
    /**
     * Sends an append to a stream that must be at revision `after`. Returns null if the result is unknown. Never
     * rejects. Sends nothing after `deadline`. Waits at most half of the time until `deadline` (Unix ms), so that a
     * separate call has the other half.
     * The caller limits the number and the size of the appends that wait at the same time.
     */
    async append(append: CheckedAppend, after: number, deadline: number): Promise<AppendResult | null> {
      const batch = usableBatch();
      if (!batch || Date.now() >= deadline) return null;
      const correlationId = randomUUID();
      try {
        batch.call.send(correlationId, append, after);
      } catch {
        // The append cannot be encoded. The other appends of the call are not affected.
        return null;
      }
      startResponseTimer(batch);
      const until_ms = performance.now() + Math.max(0, (deadline - Date.now()) / 2);
      startWaitTimer(batch, until_ms);
      return new Promise((resolve) => {
        batch.waiting.set(correlationId, {
          revision: after + append.events.length,
          until_ms,
          settle(result) {
            batch.waiting.delete(correlationId);
            resolve(result);
          },
        });
      });
    },
    /** Ends the call. Later appends return null. */
    close(): void {
      isClosed = true;
      if (current) discard(current);
    },
  };
}

/** Returns null if the response is no complete confirmation of an append that ends at `revision`. */
function toResult(written: BatchResponse['written'], revision: number): AppendResult | null {
  if (written?.revision !== revision) return null;
  try {
    return { revision, position: toPosition(written.position) };
  } catch {
    return null;
  }
}

/** Ends the wait of the appends whose time is over. This is not a failure of the call, which may have been busy. */
function endWaits(batch: Batch): void {
  batch.waitTimer = undefined;
  const now_ms = performance.now();
  for (const { until_ms, settle } of [...batch.waiting.values()]) if (until_ms <= now_ms) settle(null);
  if (batch.waiting.size > 0)
    startWaitTimer(batch, Math.min(...[...batch.waiting.values()].map(({ until_ms }) => until_ms)));
}

/** Makes sure that `endWaits` runs at a time of `performance.now()`. It may run earlier. */
function startWaitTimer(batch: Batch, at_ms: number): void {
  if (batch.waitTimer && batch.waitTimer.at_ms <= at_ms) return;
  clearTimeout(batch.waitTimer?.timer);
  // While an append waits, the connection of the call prevents the end of the process.
  const timer = setTimeout(() => endWaits(batch), Math.max(0, Math.ceil(at_ms - performance.now()))).unref();
  batch.waitTimer = { timer, at_ms };
}
