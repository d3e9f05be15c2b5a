import { useCallback, useEffect, useState } from 'react';

/** Time between two updates. It is short enough for the display to show every second. */
const TICK_ms = 250;

/** Returns the whole seconds from `now_ms` until `until_ms`, at least 0. */
export function secondsLeft(until_ms: number, now_ms: number): number {
  return Math.max(0, Math.ceil((until_ms - now_ms) / 1000));
}

/**
 * Counts down seconds. It compares clock times instead of counting timer ticks, because timers of a background tab are
 * slow.
 */
export function useCountdown(initial_s = 0): { readonly left_s: number; readonly start: (seconds: number) => void } {
  const [until_ms, setUntil] = useState(() => Date.now() + initial_s * 1000);
  const [left_s, setLeft] = useState(initial_s);
  const isRunning = left_s > 0;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setLeft(secondsLeft(until_ms, Date.now())), TICK_ms);
    return () => clearInterval(timer);
  }, [isRunning, until_ms]);
  const start = useCallback((seconds: number) => {
    setUntil(Date.now() + seconds * 1000);
    setLeft(Math.ceil(seconds));
  }, []);
  return { left_s, start };
}
