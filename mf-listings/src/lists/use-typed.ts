import { useEffect, useEffectEvent, useState } from 'react';

/** What is typed is handed on when the typing pauses this long. */
const TYPING_PAUSE_ms = 250;

/** A text being typed. */
export interface Typed {
  readonly text: string;
  readonly type: (text: string) => void;
  /** Hands on what was typed now, e.g. at Enter. */
  readonly finish: () => void;
}

/** Holds what is being typed, and hands it on once the typing pauses. What `value` says, when it changes by itself, is shown. */
export function useTyped(value: string, onTyped: (text: string) => void, pause_ms = TYPING_PAUSE_ms): Typed {
  const [typed, setTyped] = useState(value);
  const [settled, setSettled] = useState(value);
  // The address changed by itself (Back, "Clear filters"), or by what was typed here: then what stands in the field may be longer by a space.
  if (settled !== value) {
    setSettled(value);
    if (typed.trim() !== value) setTyped(value);
  }
  const finish = () => {
    if (typed.trim() !== value) onTyped(typed.trim());
  };
  const onPause = useEffectEvent(finish);
  useEffect(() => {
    const timer = setTimeout(() => onPause(), pause_ms);
    return () => clearTimeout(timer);
  }, [typed, pause_ms]);
  return { text: typed, type: setTyped, finish };
}
