/**
 * Returns the minutes until a time (ISO 8601), rounded up, and 0 after it. `max_ms` is the whole length of the period.
 * The result is never longer, also if the clock of the browser is slow.
 */
export function getMinutesLeft(until: string | null, now_ms: number, max_ms: number): number {
  if (until === null) return 0;
  const left_ms = Math.min(max_ms, Date.parse(until) - now_ms);
  return Math.max(0, Math.ceil(left_ms / 60_000));
}
