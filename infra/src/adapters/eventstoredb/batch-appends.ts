import { randomUUID } from 'node:crypto';
import type { AppendResult } from '@alpenglow/domain';
import type { CheckedAppend } from '../event-store-input.ts';
import type { BatchCallHandlers, BatchResponse, OpenBatchCall } from './client.ts';
import { toPosition } from './positions.ts';

/** The maximum time without a response to an append. After it, the call counts as failed. */
const RESPONSE_TIMEOUT_ms = 5_000;
/** After this number of failures without a success in between, every append is sent as a separate call for a while. */
const MAX_FAILURES = 8;
const PAUSE_ms = 5_000;

export interface BatchAppendOptions {
  readonly responseTimeout_ms?: number;
  readonly pause_ms?: number;
}

interface WaitingAppend {
  /** The revision of the stream after the append. */
  readonly revision: number;
  settle(result: AppendResult | null): void;
}

/** A batch call, and its appends without a response, by correlation id. */
interface Batch {
  readonly call: OpenBatchCall;
  readonly waiting: Map<string, WaitingAppend>;
}

export type BatchAppends = ReturnType<typeof createBatchAppends>;

/**
 * Creates a sender that sends many appends in one long-lived call, which needs less processor time than a call for each
 * append (decision 0018). The only response that it uses is a complete confirmation. In all other cases the result of
 * an append is unknown, and the caller must send it again as a separate call. `open` opens a batch call.
 */
export function createBatchAppends(
  open: (handlers: BatchCallHandlers) => Promise<OpenBatchCall>,
  { responseTimeout_ms = RESPONSE_TIMEOUT_ms, pause_ms = PAUSE_ms }: BatchAppendOptions = {},
) {
  let current: Batch | null = null;
  let isOpening = false;
  let isClosed = false;
  let failures = 0;
  let pausedUntil = 0;

  function countFailure(): void {
    failures += 1;
    if (failures < MAX_FAILURES) return;
    failures = 0;
    pausedUntil = Date.now() + pause_ms;
  }

  /** Cancels a call. The results of its waiting appends become unknown. */
  function discard(batch: Batch): void {
    if (current === batch) current = null;
    for (const { settle } of [...batch.waiting.values()]) settle(null);
    batch.call.cancel();
  }

  function fail(batch: Batch): void {
    if (current !== batch) return;
    countFailure();
    discard(batch);
  }

  function receive(waiting: Batch['waiting'], { correlationId = '', written, isConflict }: BatchResponse): void {
    const append = waiting.get(correlationId);
    if (!append) return;
    const result = toResult(written, append.revision);
    if (result) failures = 0;
    else if (!isConflict) countFailure();
    append.settle(result);
  }

  async function openCall(): Promise<void> {
    const waiting: Batch['waiting'] = new Map();
    let batch: Batch | null = null;
    let isOver = false;
    isOpening = true;
    try {
      const call = await open({
        onResponse: (response) => receive(waiting, response),
        onEnd() {
          isOver = true;
          if (batch) fail(batch);
        },
      });
      batch = { call, waiting };
      current = batch;
      if (isOver) fail(batch);
      else if (isClosed) discard(batch);
    } catch {
      countFailure();
    } finally {
      isOpening = false;
    }
  }

  /** Returns the open call, or null if it cannot be used yet. Opens a call if there is none. */
  function usableBatch(): Batch | null {
    const state = current?.call.state();
    if (current && state === 'closed') discard(current);
    if (!current && !isOpening && !isClosed && Date.now() >= pausedUntil) void openCall();
    return state === 'ready' ? current : null;
  }

  return {
    /**
     * Sends an append to a stream that must be at revision `after`. Returns null if the result is unknown. Never
     * rejects. Waits at most 5 s, and not beyond `deadline` (Unix ms). The caller limits the number and the size of
     * the appends that wait at the same time.
     */
    async append(append: CheckedAppend, after: number, deadline: number): Promise<AppendResult | null> {
      const batch = usableBatch();
      if (!batch) return null;
      return new Promise((resolve) => {
        const correlationId = randomUUID();
        const left_ms = deadline - Date.now();
        const settle = (result: AppendResult | null) => {
          clearTimeout(timer);
          batch.waiting.delete(correlationId);
          resolve(result);
        };
        // An append may have waited in this process, so that its own deadline says nothing about the call.
        const timer = setTimeout(
          () => (left_ms < responseTimeout_ms ? settle(null) : fail(batch)),
          Math.min(left_ms, responseTimeout_ms),
        );
        batch.waiting.set(correlationId, { revision: after + append.events.length, settle });
        try {
          batch.call.send(correlationId, append, after);
        } catch {
          fail(batch);
        }
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
