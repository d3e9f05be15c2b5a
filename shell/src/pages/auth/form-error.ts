import { isApiError } from '@alpenglow/ui';
import { useState } from 'react';
import { useCountdown } from './use-countdown.ts';

/** Returns the seconds until a rejected request may be repeated. Returns null if the error contains no waiting time. */
export function getRetryAfter_s(error: unknown): number | null {
  return isApiError(error) && error.retryAfter_s !== null && error.retryAfter_s > 0
    ? Math.ceil(error.retryAfter_s)
    : null;
}

interface ShownError {
  readonly text: string;
  readonly endsAfterWait: boolean;
}

/** Stores the error text above the fields of a form, and the waiting time that the server demands. */
export function useFormError() {
  const [shown, setShown] = useState<ShownError | null>(null);
  const { left_s: wait_s, start } = useCountdown();
  return {
    // The error of a rate limit is hidden when the waiting time is over.
    text: shown === null || (shown.endsAfterWait && wait_s === 0) ? null : shown.text,
    wait_s,
    clear: () => setShown(null),
    show(error: unknown, text: string | null) {
      const wait = getRetryAfter_s(error);
      if (wait !== null) start(wait);
      setShown(text === null ? null : { text, endsAfterWait: wait !== null });
    },
  };
}
