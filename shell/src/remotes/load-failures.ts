import { isLoadFailure } from '@alpenglow/ui';

/** Module Federation names the entry in this error, and the entry did not arrive. */
const isEntryFailure = (error: unknown): error is Error =>
  error instanceof Error && error.message.includes('ScriptNetworkError');

/** Returns true if the code of a remote has thrown, or has no App. Another attempt would have the same result. */
export const hasThrown = (error: unknown): boolean => !isLoadFailure(error) && !isEntryFailure(error);

/**
 * Returns the kind of the file that exceeded its time limit. The browser fires no error event for it. Returns null for
 * every other failure.
 */
export function findLateFile(error: unknown): 'entry' | 'chunk' | null {
  if (isEntryFailure(error)) return error.message.includes('timed out') ? 'entry' : null;
  return error instanceof Error && 'type' in error && error.type === 'timeout' ? 'chunk' : null;
}

/**
 * Returns true if a request has failed without a complete response: the visitor has left the page, or has no
 * connection. Browsers throw the same errors for both. A request that exceeded its time limit is not one of them.
 */
export const isWithoutResponse = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof DOMException && error.name === 'AbortError');
