import { isApiError } from '@alpenglow/ui';
import { useState } from 'react';
import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form';
import { useCountdown } from './use-countdown.ts';

/**
 * Puts what the server says of single fields beside them. Answers the text for above the form: null when every complaint found a field.
 */
export function placeRefusal<Fields extends FieldValues>(
  error: unknown,
  names: readonly FieldPath<Fields>[],
  setError: UseFormSetError<Fields>,
  fallback: string,
): string | null {
  if (!isApiError(error)) return fallback;
  const placed = names.filter((name) => error.fields[name] !== undefined);
  for (const [index, name] of placed.entries())
    setError(name, { message: error.fields[name] ?? '' }, { shouldFocus: index === 0 });
  return placed.length > 0 && placed.length === Object.keys(error.fields).length ? null : error.message || fallback;
}

/** Seconds after which a refused call may be made again; null where the server named none. */
export function waitAfter(error: unknown): number | null {
  return isApiError(error) && error.retryAfter_s !== null && error.retryAfter_s > 0
    ? Math.ceil(error.retryAfter_s)
    : null;
}

interface Shown {
  readonly text: string;
  readonly isUntilWaited: boolean;
}

/** What a form says above its fields after a refusal, and how long it has to wait where the server asks for that. */
export function useRefusal() {
  const [shown, setShown] = useState<Shown | null>(null);
  const { left_s: wait_s, start } = useCountdown();
  return {
    // Once the wait is over, so is what asked for it.
    text: shown === null || (shown.isUntilWaited && wait_s === 0) ? null : shown.text,
    wait_s,
    clear: () => setShown(null),
    show(error: unknown, text: string | null) {
      const wait = waitAfter(error);
      if (wait !== null) start(wait);
      setShown(text === null ? null : { text, isUntilWaited: wait !== null });
    },
  };
}
