import { waitUnlessAborted } from '../../service/polling-and-slots.ts';

/**
 * A duty, which is background work that only one process of an installation performs at a time. It runs until `signal`
 * aborts. If it fails, it is started again after a wait.
 */
export interface Duty {
  readonly name: string;
  /** Until this resolves, the process does not take the duty. It is left to processes that can run it already. */
  readonly ready?: Promise<void>;
  /**
   * `setBusy` receives true when an end of the duty would discard much work. Until it receives false, the duty does not
   * move to another process only to share the duties evenly.
   */
  run(signal: AbortSignal, setBusy: (isBusy: boolean) => void): Promise<void>;
}

type RunningDuties = ReturnType<typeof createRunningDuties>;

/**
 * Owns the list of duties that run in this process. Invariant: if a duty is still running after its connection was
 * lost, it remains in this list, so that this process does not start it a second time.
 */
export function createRunningDuties() {
  const running = new Map<string, Promise<void>>();
  return {
    add: (name: string, run: Promise<void>): void => void running.set(name, run),
    remove: (name: string): void => void running.delete(name),
    has: (name: string): boolean => running.has(name),
    names: (): Iterable<string> => running.keys(),
    /** Resolves when all duties have ended, or after the limit. */
    async waitForEnd(limit_ms: number): Promise<void> {
      const limit = new AbortController();
      await Promise.race([Promise.all(running.values()), waitUnlessAborted(limit_ms, limit.signal)]);
      limit.abort();
    },
  };
}

interface ConnectionDutiesOptions {
  readonly running: Pick<RunningDuties, 'add' | 'remove'>;
  /** Aborts when the duties must end, because the process stops or the connection is lost. */
  readonly signal: AbortSignal;
  readonly onError: (duty: string, error: unknown) => void;
}

export type ConnectionDuties = ReturnType<typeof createConnectionDuties>;

/**
 * Owns the state of the duties that this process has started over one connection: how each of them is ended, whether it
 * is busy, and whether it has ended. Invariant: an ended duty is removed only after its lock was released.
 */
export function createConnectionDuties({ running, signal, onError }: ConnectionDutiesOptions) {
  /** For each running duty, the controller that ends only this duty. */
  const endings = new Map<string, AbortController>();
  /** The running duties whose end would discard much work. */
  const busy = new Set<string>();
  /**
   * The duties that have ended although the signal has not aborted. This process still has their locks.
   * `hasEndedByItself` is true if the duty failed or returned before this process ended it.
   */
  const ended = new Map<string, { readonly hasEndedByItself: boolean }>();

  async function perform(duty: Duty, ending: AbortController): Promise<void> {
    const { name } = duty;
    const ends = AbortSignal.any([signal, ending.signal]);
    try {
      await duty.run(ends, (isBusy) => void (isBusy ? busy.add(name) : busy.delete(name)));
    } catch (error) {
      if (!ends.aborted) onError(name, error);
    }
    endings.delete(name);
    busy.delete(name);
    if (signal.aborted) running.remove(name);
    else ended.set(name, { hasEndedByItself: !ending.signal.aborted });
  }

  return {
    busy: busy as ReadonlySet<string>,
    /** The ended duties. A duty that ends during an iteration becomes a part of it. */
    ended: ended as ReadonlyMap<string, { readonly hasEndedByItself: boolean }>,
    start(duty: Duty): void {
      const ending = new AbortController();
      endings.set(duty.name, ending);
      running.add(duty.name, perform(duty, ending));
    },
    end: (name: string): void => endings.get(name)?.abort(),
    /** Removes an ended duty whose lock was released, so that it can be started again. */
    remove(name: string): void {
      ended.delete(name);
      running.remove(name);
    },
    /** Removes all ended duties, because the connection ends and with it their locks. */
    close(): void {
      for (const name of ended.keys()) running.remove(name);
    },
  };
}
