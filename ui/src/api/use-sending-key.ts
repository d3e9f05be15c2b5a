import { useCallback, useRef } from 'react';
import { isApiError } from './api-error.ts';

/** Time and randomness; not `randomUUID`, which browsers have on secure origins alone. */
const newKey = () => `${Date.now()}-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;

/**
 * The `Idempotency-Key` of what a form sends: the same one again while no answer has come, so that pressing twice, or once more after the
 * network was away, writes once. Answered and refused, what is sent next is another request.
 */
export function useSendingKey(): <Answer>(send: (key: string) => Promise<Answer>) => Promise<Answer> {
  const key = useRef<string | null>(null);
  return useCallback(async (send) => {
    key.current ??= newKey();
    try {
      const answer = await send(key.current);
      key.current = null;
      return answer;
    } catch (error) {
      if (isApiError(error) && error.status > 0) key.current = null;
      throw error;
    }
  }, []);
}
