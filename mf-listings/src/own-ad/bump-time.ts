import { BUMP_COOLDOWN_ms } from '@alpenglow/domain/contracts';

/** Milliseconds until the ad may be bumped again, 0 when it may be now (specification, section 9). */
export function bumpLeft_ms(lastBumpedAt: string, now_ms: number): number {
  return Math.max(0, Date.parse(lastBumpedAt) + BUMP_COOLDOWN_ms - now_ms);
}

/** `29:07`. */
export function minutesAndSeconds(left_ms: number): string {
  const left_s = Math.ceil(left_ms / 1000);
  return `${Math.floor(left_s / 60)}:${String(left_s % 60).padStart(2, '0')}`;
}
