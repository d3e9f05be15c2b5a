import { isApiError } from '@alpenglow/ui';

/**
 * Why a request of an account page failed, and what the visitor can do, as the id of a text. It is shown below the
 * message of R-8, which does not contain the cause.
 */
export type FailureReason = `auth.reason.${'login' | 'code' | 'resend' | 'limit' | 'timeout' | 'server' | 'unknown'}`;

/**
 * Returns the reason of a failure. The reason of a failed login is the same for a wrong password and for an address
 * without an account. Returns null if the message of the error already says what to do.
 */
export function findFailureReason(error: unknown): FailureReason | null {
  if (!isApiError(error)) return 'auth.reason.unknown';
  const { code, status } = error;
  if (code === 'LOGIN_FAILED') return 'auth.reason.login';
  if (code === 'VERIFICATION_FAILED' || code === 'RESET_FAILED') return 'auth.reason.code';
  if (code === 'RESEND_TOO_SOON') return 'auth.reason.resend';
  if (code === 'TIMEOUT' || status === 408 || status === 504) return 'auth.reason.timeout';
  if (status >= 500 || code === 'BAD_ANSWER') return 'auth.reason.server';
  // A response without a code comes from a machine between the browser and the server.
  if (code !== 'UNKNOWN') return null;
  return status === 429 ? 'auth.reason.limit' : 'auth.reason.unknown';
}
