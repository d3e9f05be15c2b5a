import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EventStoreUnavailable } from '@alpenglow/domain';

export interface BatchOptions {
  readonly max: number;
  /** Aborting this signal ends the generator without an error. */
  readonly signal: AbortSignal;
  /**
   * The time without an item after which the generator rejects with `EventStoreUnavailable`. If omitted, the time is
   * unlimited.
   */
  readonly idleTimeout_ms?: number;
}

/**
 * Yields the items of an object stream in batches of 1 to `max`. A batch contains the items that have arrived so far,
 * so no item waits for a full batch. The generator reads only when the caller requests a batch, so the memory use is
 * limited to the stream's buffer. Ends when the stream ends. If the stream fails, rejects after it has yielded all
 * earlier items.
 */
export async function* readInBatches<T>(
  stream: Readable,
  { max, signal, idleTimeout_ms }: BatchOptions,
): AsyncGenerator<T[]> {
  let failure: Error | null = null;
  let isOver = stream.readableEnded || stream.destroyed;
  let notify: () => void = () => undefined;

  const onError = (error: Error) => {
    failure ??= error;
    notify();
  };
  const onOver = () => {
    isOver = true;
    notify();
  };
  const onMore = () => notify();
  stream.on('error', onError).on('end', onOver).on('close', onOver).on('readable', onMore);
  signal.addEventListener('abort', onMore, { once: true });

  try {
    while (!signal.aborted) {
      const batch: T[] = [];
      for (let item: T | null; batch.length < max && (item = stream.read() as T | null) !== null; ) batch.push(item);
      if (batch.length > 0) {
        yield batch;
        continue;
      }
      if (failure !== null) throw failure as Error;
      if (isOver) return;
      await new Promise<void>((resolve) => {
        const timer =
          idleTimeout_ms === undefined
            ? undefined
            : setTimeout(() => onError(new EventStoreUnavailable('The event store does not respond')), idleTimeout_ms);
        notify = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      // Further items of the same network packet arrive in this turn of the event loop. They join the batch.
      await nextTurn();
    }
  } finally {
    // The error listener stays, because a late error without a listener ends the process.
    stream.off('end', onOver).off('close', onOver).off('readable', onMore);
    signal.removeEventListener('abort', onMore);
  }
}
