import { useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '@alpenglow/ui';
import { bumpLeft_ms, nextTick_ms } from './bump-time.ts';

/** Milliseconds until the ad may be bumped again, by the server's clock; counts down whenever what is shown of it changes. */
export function useBumpLeft_ms(lastBumpedAt: string): number {
  const ahead_ms = useServerAhead_ms();
  const [now_ms, setNow] = useState(() => Date.now());
  const left_ms = bumpLeft_ms(lastBumpedAt, now_ms + ahead_ms);
  useEffect(() => {
    if (left_ms === 0) return;
    const timer = setTimeout(() => setNow(Date.now()), nextTick_ms(left_ms));
    return () => clearTimeout(timer);
  }, [left_ms, now_ms]);
  return left_ms;
}

/** How far the server's clock is ahead of this one; 0 until it is known. */
function useServerAhead_ms(): number {
  const api = useApi();
  const { data = 0 } = useQuery({
    queryKey: ['server-clock'],
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
    queryFn: async ({ signal }) => {
      const askedAt_ms = Date.now();
      const { time } = await api.health(signal);
      return time === undefined ? 0 : Math.round(Date.parse(time) - (askedAt_ms + Date.now()) / 2);
    },
  });
  return data;
}
