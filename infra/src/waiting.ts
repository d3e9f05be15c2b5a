import { setTimeout as pause } from 'node:timers/promises';

const FIRST_LOOK_AFTER_ms = 25;
const LONGEST_PAUSE_ms = 250;

/**
 * Looks again and again, at growing distances, until `look` finds something. Null when it has not within the time, or the
 * signal aborts.
 */
export async function pollUntil<T>(
  look: () => Promise<T | null>,
  { timeout_ms, signal }: { timeout_ms: number; signal: AbortSignal },
): Promise<T | null> {
  const deadline = Date.now() + timeout_ms;
  for (let wait_ms = FIRST_LOOK_AFTER_ms; !signal.aborted; wait_ms = Math.min(wait_ms * 1.5, LONGEST_PAUSE_ms)) {
    const found = await look();
    if (found !== null) return found;
    const left_ms = deadline - Date.now();
    if (left_ms <= 0) return null;
    await pause(Math.min(wait_ms, left_ms));
  }
  return null;
}

/** Lets a bounded number in at a time, and a bounded number wait a bounded while at the door. */
export interface Slots {
  /** A slot, to be released once. Null when there is none to be had, or `signal` aborts before. */
  take(signal?: AbortSignal): Promise<Slot | null>;
}
export interface Slot {
  release(): void;
}

export function createSlots({ max, maxWaiting, wait_ms }: { max: number; maxWaiting: number; wait_ms: number }): Slots {
  let taken = 0;
  const waiting: ((slot: Slot | null) => void)[] = [];

  function occupy(): Slot {
    taken += 1;
    let released = false;
    return {
      release() {
        if (released) return;
        released = true;
        taken -= 1;
        waiting.shift()?.(occupy());
      },
    };
  }

  return {
    async take(signal) {
      if (taken < max) return occupy();
      if (waiting.length >= maxWaiting || signal?.aborted) return null;
      return new Promise((resolve) => {
        const settle = (slot: Slot | null) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', giveUp);
          resolve(slot);
        };
        const giveUp = () => {
          waiting.splice(waiting.indexOf(settle), 1);
          settle(null);
        };
        const timer = setTimeout(giveUp, wait_ms);
        signal?.addEventListener('abort', giveUp, { once: true });
        waiting.push(settle);
      });
    },
  };
}

/** Lets at most `max` in at a time for each key. Nobody waits: null when a key has all it may have. */
export function createSlotsPerKey(max: number): { take(key: string): Slot | null } {
  const taken = new Map<string, number>();
  return {
    take(key) {
      const before = taken.get(key) ?? 0;
      if (before >= max) return null;
      taken.set(key, before + 1);
      let released = false;
      return {
        release() {
          if (released) return;
          released = true;
          const left = (taken.get(key) ?? 0) - 1;
          if (left > 0) taken.set(key, left);
          else taken.delete(key);
        },
      };
    },
  };
}
