import type { Readable } from 'node:stream';
import { EventStoreUnavailable } from '@alpenglow/domain';

export interface GatherOptions {
  readonly max: number;
  /** Ends the gathering without an error. */
  readonly signal: AbortSignal;
  /** Rejects with `EventStoreUnavailable` when nothing arrives for so long. Without it, silence is no fault. */
  readonly silence_ms?: number;
}

/**
 * What arrives on a stream of objects, in batches of 1 to `max`: each holds what has arrived by then, nothing waits for a batch to fill.
 * As nothing is read while the caller is busy, the stream's own buffer is all that is held. Ends when the stream does; rejects with its error
 * once everything that came before is handed over.
 */
export async function* gather<T>(stream: Readable, { max, signal, silence_ms }: GatherOptions): AsyncGenerator<T[]> {
  let failure: Error | null = null;
  let isOver = stream.readableEnded || stream.destroyed;
  let wake: () => void = () => undefined;

  const onError = (error: Error) => {
    failure ??= error;
    wake();
  };
  const onOver = () => {
    isOver = true;
    wake();
  };
  const onMore = () => wake();
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
          silence_ms === undefined
            ? undefined
            : setTimeout(() => onError(new EventStoreUnavailable('The event store does not answer')), silence_ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    // The listener for errors stays: one that comes late must not end the process.
    stream.off('end', onOver).off('close', onOver).off('readable', onMore);
    signal.removeEventListener('abort', onMore);
  }
}
