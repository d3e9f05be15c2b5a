import { setTimeout as pause } from 'node:timers/promises';

const FIRST_PAUSE_ms = 25;
const LONGEST_PAUSE_ms = 250;

/**
 * Calls `check` repeatedly, at growing intervals, until its result is not null. Returns null if the time
 * limit is reached or the signal aborts.
 */
export async function pollUntil<T>(
  check: () => Promise<T | null>,
  { timeout_ms, signal }: { timeout_ms: number; signal: AbortSignal },
): Promise<T | null> {
  const deadline = Date.now() + timeout_ms;
  for (let wait_ms = FIRST_PAUSE_ms; !signal.aborted; wait_ms = Math.min(wait_ms * 1.5, LONGEST_PAUSE_ms)) {
    const result = await check();
    if (result !== null) return result;
    const left_ms = deadline - Date.now();
    if (left_ms <= 0) return null;
    await pause(Math.min(wait_ms, left_ms));
  }
  return null;
}

/** Waits for `wait_ms`, or until the signal aborts. Never rejects. */
export function waitUnlessAborted(wait_ms: number, signal: AbortSignal): Promise<void> {
  return pause(wait_ms, undefined, { signal }).catch(() => undefined);
}

/**
 * Returns the result of `work`, or null as soon as the signal aborts. After an abort, `work` continues, but its result
 * is ignored.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<null>((resolve) => {
    onAbort = () => resolve(null);
  });
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Returns the result of `work`. After `limit_ms`, rejects with the error of `timeoutError`, but `work` continues. */
export async function withinTime<T>(work: Promise<T>, limit_ms: number, timeoutError: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(timeoutError()), limit_ms);
  });
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Limits how many callers run at the same time, each in its own slot. Further callers wait for a slot, for a limited
 * time and in a limited number.
 */
export type Slots = ReturnType<typeof createSlots>;
export interface Slot {
  release(): void;
}

export function createSlots({ max, maxWaiting, wait_ms }: { max: number; maxWaiting: number; wait_ms: number }) {
  let taken = 0;
  const waiting: ((slot: Slot | null) => void)[] = [];

  function occupy(): Slot {
    taken += 1;
    return createSlot(() => {
      taken -= 1;
      waiting.shift()?.(occupy());
    });
  }

  return {
    /**
     * Returns a slot, which the caller must release. Waits if all slots are taken. Returns null if too many callers are
     * waiting, if the wait is too long, or if `signal` aborts.
     */
    async take(signal?: AbortSignal): Promise<Slot | null> {
      if (taken < max) return occupy();
      if (waiting.length >= maxWaiting || signal?.aborted) return null;
      return new Promise((resolve) => {
        const settle = (slot: Slot | null) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', cancel);
          resolve(slot);
        };
        const cancel = () => {
          waiting.splice(waiting.indexOf(settle), 1);
          settle(null);
        };
        const timer = setTimeout(cancel, wait_ms);
        signal?.addEventListener('abort', cancel, { once: true });
        waiting.push(settle);
      });
    },
  };
}

/**
 * Limits how many callers with the same key run at the same time. `take` never waits. It returns one of the `max` slots
 * of the key, or null if all its slots are taken.
 */
export function createSlotsPerKey(max: number): { take(key: string): Slot | null } {
  const taken = new Map<string, number>();
  return {
    take(key) {
      const current = taken.get(key) ?? 0;
      if (current >= max) return null;
      taken.set(key, current + 1);
      return createSlot(() => {
        const left = (taken.get(key) ?? 0) - 1;
        if (left > 0) taken.set(key, left);
        else taken.delete(key);
      });
    },
  };
}

function createSlot(onRelease: () => void): Slot {
  let released = false;
  return {
    release() {
      if (released) return;
      released = true;
      onRelease();
    },
  };
}
