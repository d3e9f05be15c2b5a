import { useEffect, useState } from 'react';
import { getServerTime_ms } from '@alpenglow/ui';
import { getBumpWait_ms, getNextTick_ms } from './bump-wait.ts';

/**
 * Returns the milliseconds until the ad may be bumped again, according to the server's clock. Updates whenever the
 * displayed text changes.
 */
export function useBumpWait_ms(lastBumpedAt: string): number {
  const [now_ms, setNow] = useState(getServerTime_ms);
  const left_ms = getBumpWait_ms(lastBumpedAt, now_ms);
  useEffect(() => {
    if (left_ms === 0) return;
    const timer = setTimeout(() => setNow(getServerTime_ms()), getNextTick_ms(left_ms));
    return () => clearTimeout(timer);
  }, [left_ms, now_ms]);
  return left_ms;
}
