import { isApiError } from '@alpenglow/ui';
import { useState } from 'react';
import { findFailureReason, type FailureReason } from './failure-reason.ts';
import { useCountdown } from './use-countdown.ts';

/** Returns the seconds until a rejected request may be repeated. Returns null if the error contains no waiting time. */
export function getRetryAfter_s(error: unknown): number | null {
  return isApiError(error) && error.retryAfter_s !== null && error.retryAfter_s > 0
    ? Math.ceil(error.retryAfter_s)
    : null;
}

export interface ShownError {
  readonly text: string;
  readonly reason: FailureReason | null;
  readonly endsAfterWait: boolean;
}

/** Stores the error above the fields of a form with its reason, and the waiting time that the server demands. */
export function useFormError() {
  const [shown, setShown] = useState<ShownError | null>(null);
  const { left_s: wait_s, start } = useCountdown();
  return {
    // The error of a rate limit is hidden when the waiting time is over.
    shown: shown?.endsAfterWait && wait_s === 0 ? null : shown,
    wait_s,
    clear: () => setShown(null),
    show(error: unknown, text: string | null, reason = findFailureReason(error)) {
      const wait = getRetryAfter_s(error);
      if (wait !== null) start(wait);
      setShown(text === null ? null : { text, reason, endsAfterWait: wait !== null });
    },
  };
}
