import { isApiError } from '@alpenglow/ui';
import { useState } from 'react';

/**
 * Counts the wrong codes that the visitor has entered on this page, out of `max` attempts for each code. The server
 * counts as well, but its responses do not contain the number, because they are the same for an account that does not
 * exist. `left` is therefore the largest possible number of further attempts, and null before the first wrong code.
 */
export function useCodeAttempts(max: number, wrongCode: string) {
  const [wrongCodes, setWrongCodes] = useState(0);
  return {
    left: wrongCodes === 0 ? null : Math.max(0, max - wrongCodes),
    /** Counts an attempt if its error says that the code was wrong. */
    count(error: unknown) {
      if (isApiError(error) && error.code === wrongCode) setWrongCodes((number) => number + 1);
    },
    /** Begins again with a new code. */
    reset: () => setWrongCodes(0),
  };
}
