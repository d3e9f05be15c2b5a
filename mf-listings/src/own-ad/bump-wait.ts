import { BUMP_COOLDOWN_ms } from '@alpenglow/domain/contracts';

const MINUTE_ms = 60_000;
const SECOND_ms = 1_000;

/**
 * Returns the milliseconds until the ad may be bumped again. Returns 0 if it may be bumped now. The result
 * never exceeds the minimum time between two bumps, even if the clock is wrong.
 */
export function getBumpWait_ms(lastBumpedAt: string, now_ms: number): number {
  return Math.min(BUMP_COOLDOWN_ms, Math.max(0, Date.parse(lastBumpedAt) + BUMP_COOLDOWN_ms - now_ms));
}

/** Formats the remaining time, e.g. `29 min`. The last minute is formatted in seconds, e.g. `42 sec`. */
export function formatBumpWait(left_ms: number, locale: string): string {
  const [value, unit] =
    left_ms >= MINUTE_ms ? [Math.floor(left_ms / MINUTE_ms), 'minute'] : [Math.ceil(left_ms / SECOND_ms), 'second'];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
}

/** Returns the milliseconds after which `formatBumpWait` returns another text. */
export function getNextTick_ms(left_ms: number): number {
  return left_ms >= MINUTE_ms ? (left_ms % MINUTE_ms) + 1 : left_ms % SECOND_ms || SECOND_ms;
}
