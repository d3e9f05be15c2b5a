import { useCallback, useRef } from 'react';
import { isOutcomeUnknown } from './api-error.ts';

/** Creates a unique key. It does not use `randomUUID`, because browsers offer that function on secure origins only. */
const createKey = () => `${Date.now()}-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;

/**
 * Provides the `Idempotency-Key` header for the requests of a form. The key stays the same until the outcome of the
 * request is known, so that a double click or a retry writes once. The next request has a new key.
 */
export function useIdempotencyKey(): <Result>(send: (key: string) => Promise<Result>) => Promise<Result> {
  const key = useRef<string | null>(null);
  return useCallback(async (send) => {
    key.current ??= createKey();
    try {
      const result = await send(key.current);
      key.current = null;
      return result;
    } catch (error) {
      if (!isOutcomeUnknown(error)) key.current = null;
      throw error;
    }
  }, []);
}
