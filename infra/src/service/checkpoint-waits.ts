import { comparePositions, type Position } from '@alpenglow/domain';

interface Waiter {
  readonly position: Position;
  /** Number of the first poll that starts after the wait began. */
  readonly firstPoll: number;
  readonly resolve: () => void;
}

interface WaitOptions extends Omit<Waiter, 'resolve'> {
  readonly limit_ms: number;
  readonly signal: AbortSignal | undefined;
}

export type CheckpointWaits = ReturnType<typeof createCheckpointWaits>;

/**
 * Owns the calls that wait until a read model has reached a position. Invariant: only a poll that has started after the
 * begin of a wait ends it successfully.
 */
export function createCheckpointWaits() {
  /** The waits by the stored name of the read model. */
  const waiters = new Map<string, Set<Waiter>>();

  /** Returns the waits for this position or an earlier one. */
  const findDue = (storedName: string, position: Position): readonly Waiter[] =>
    [...(waiters.get(storedName) ?? [])].filter((waiter) => comparePositions(position, waiter.position) >= 0);

  return {
    findDue,
    /** Resolves to true when a poll ends the wait. Resolves to false after `limit_ms`, or if `signal` aborts. */
    add(storedName: string, { position, firstPoll, limit_ms, signal }: WaitOptions): Promise<boolean> {
      return new Promise((resolve) => {
        const waiting = waiters.get(storedName) ?? new Set();
        waiters.set(storedName, waiting);
        const finish = (reached: boolean) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onTimeout);
          waiting.delete(waiter);
          resolve(reached);
        };
        const onTimeout = () => finish(false);
        const waiter: Waiter = { position, firstPoll, resolve: () => finish(true) };
        const timer = setTimeout(onTimeout, limit_ms);
        signal?.addEventListener('abort', onTimeout, { once: true });
        waiting.add(waiter);
      });
    },
    /** Ends the waits that are fulfilled by the checkpoint that a poll has read. */
    fulfill(storedName: string, position: Position, poll: number): void {
      for (const waiter of findDue(storedName, position)) if (waiter.firstPoll <= poll) waiter.resolve();
    },
  };
}
