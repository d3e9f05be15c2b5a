import { setMaxListeners } from 'node:events';
import type { Logger } from '../../service/logger.ts';
import type { WalEnd } from './primary-wal.ts';

/**
 * The state of a replica. Only a `current` one serves reads. `unknown` is the state before the first check. With
 * `another history`, the server has WAL that the primary server does not have, e.g. after a promotion.
 */
export type ReplicaState =
  | 'unknown'
  | 'current'
  | 'behind'
  | 'unreachable'
  | 'not a replica'
  | 'another cluster'
  | 'another history';

const MAX_SAMPLES = 240;

/**
 * Owns the state of a replica, and ends its running reads when it becomes unreachable. Logs each change of the state.
 */
export function createReplicaState(name: string, log: Logger) {
  let state: ReplicaState = 'unknown';
  let outage = createOutage();
  return {
    current: (): ReplicaState => state,
    /** Returns the signal that aborts when the replica becomes unreachable. */
    outageSignal: (): AbortSignal => outage.signal,
    set(next: ReplicaState): void {
      if (next === state) return;
      state = next;
      if (next === 'current') log.info({ replica: name, state: next }, 'the replica serves reads');
      else log.warn({ replica: name, state: next }, 'the replica serves no reads');
      if (next !== 'unreachable') return;
      outage.abort();
      outage = createOutage();
    },
  };
}

/** Creates the controller that ends running reads. Each of them listens to its signal. */
function createOutage(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Owns the lag of a replica: the age of the oldest end of the WAL that the replica had not reached at a check. */
export function createReplicaLag() {
  /** Ends of the WAL that the replica has not reached at the last check, with the times at which they were read. */
  let samples: readonly { readonly end: WalEnd; readonly at_ms: number }[] = [];
  let lag_ms = 0;
  return {
    current_ms: (): number => lag_ms,
    /** Records the position of the replica at a check, and the end of the WAL of the primary server. */
    record(replayed: bigint, end: WalEnd): void {
      const now_ms = performance.now();
      samples = [...samples, { end, at_ms: now_ms }].filter(
        (sample) => sample.end.server === end.server && sample.end.lsn > replayed,
      );
      // The oldest sample, which determines the lag, remains.
      if (samples.length > MAX_SAMPLES) samples = samples.filter((_, index) => index % 2 === 0);
      lag_ms = samples[0] ? now_ms - samples[0].at_ms : 0;
    },
  };
}
