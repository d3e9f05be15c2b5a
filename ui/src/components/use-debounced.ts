import { useEffect, useState } from 'react';

/** Returns a delayed copy of `value`. The copy changes once `value` has stayed the same for `delay_ms`. */
export function useDebounced<Value>(value: Value, delay_ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay_ms);
    return () => clearTimeout(timer);
  }, [value, delay_ms]);
  return settled;
}
