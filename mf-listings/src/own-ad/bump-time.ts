import { BUMP_COOLDOWN_ms } from '@alpenglow/domain/contracts';

const MINUTE_ms = 60_000;
const SECOND_ms = 1_000;

/** Milliseconds until the ad may be bumped again, 0 when it may be now (specification, section 9). A clock that is off never makes it longer than the cooldown. */
export function bumpLeft_ms(lastBumpedAt: string, now_ms: number): number {
  return Math.min(BUMP_COOLDOWN_ms, Math.max(0, Date.parse(lastBumpedAt) + BUMP_COOLDOWN_ms - now_ms));
}

/** `29 min`; in the last minute `42 sec`. */
export function bumpLeftInWords(left_ms: number, locale: string): string {
  const [value, unit] =
    left_ms >= MINUTE_ms ? [Math.floor(left_ms / MINUTE_ms), 'minute'] : [Math.ceil(left_ms / SECOND_ms), 'second'];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
}

/** Milliseconds until `bumpLeftInWords` says something else. */
export function nextTick_ms(left_ms: number): number {
  return left_ms >= MINUTE_ms ? (left_ms % MINUTE_ms) + 1 : left_ms % SECOND_ms || SECOND_ms;
}
