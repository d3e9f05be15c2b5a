import { listingsMessages as text, useNow } from '@alpenglow/ui';
import { bumpLeft_ms, minutesAndSeconds } from './bump-time.ts';

const TICK_ms = 1_000;

/** The time until the next bump, counting down. Silent for screen readers: a number that changes every second is no news. */
export function BumpCountdown({ lastBumpedAt }: { readonly lastBumpedAt: string }) {
  const left_ms = bumpLeft_ms(lastBumpedAt, useNow(TICK_ms));
  return <span role="timer">{left_ms === 0 ? text.now : minutesAndSeconds(left_ms)}</span>;
}
