import { useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '@alpenglow/ui';
import { getBumpWait_ms, getNextTick_ms } from './bump-wait.ts';

/**
 * Returns the milliseconds until the ad may be bumped again, according to the server's clock. Updates whenever the
 * displayed text changes.
 */
export function useBumpWait_ms(lastBumpedAt: string): number {
  const offset_ms = useClockOffset_ms();
  const [now_ms, setNow] = useState(() => Date.now());
  const left_ms = getBumpWait_ms(lastBumpedAt, now_ms + offset_ms);
  useEffect(() => {
    if (left_ms === 0) return;
    const timer = setTimeout(() => setNow(Date.now()), getNextTick_ms(left_ms));
    return () => clearTimeout(timer);
  }, [left_ms, now_ms]);
  return left_ms;
}

/**
 * Returns by how many milliseconds the server's clock is ahead of this device. Returns 0 until the server's time is
 * known.
 */
function useClockOffset_ms(): number {
  const api = useApi();
  const { data = 0 } = useQuery({
    queryKey: ['server-clock'],
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
    queryFn: async ({ signal }) => {
      const requestedAt_ms = Date.now();
      const { time } = await api.health(signal);
      return time === undefined ? 0 : Math.round(Date.parse(time) - (requestedAt_ms + Date.now()) / 2);
    },
  });
  return data;
}
