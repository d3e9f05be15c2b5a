import { useEffect, useState } from 'react';

/** A value once it has rested for `delay_ms`. */
export function useDebounced<Value>(value: Value, delay_ms: number): Value {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), delay_ms);
    return () => clearTimeout(timer);
  }, [value, delay_ms]);
  return rested;
}
