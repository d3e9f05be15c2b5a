/** Decides when the page of a case renews the claim of a moderator who is typing. This module does not use React. */

/** The input and the renewals since the form was opened. */
export interface Renewal {
  /** The time of the last input, or null. */
  readonly inputAt_ms: number | null;
  /** The time of the last attempt to renew the claim, or null. */
  readonly attemptedAt_ms: number | null;
  readonly attempts: number;
}

export const NO_RENEWAL: Renewal = { inputAt_ms: null, attemptedAt_ms: null, attempts: 0 };

/**
 * A claim is renewed if it expires within this time. It is shorter than the time in which the server renews a claim
 * (`CLAIM_RENEWAL_ms`), because the browser knows the time of the server only approximately.
 */
const EXPIRES_SOON_ms = 5 * 60_000;
/** Input that is older than this does not show that the moderator is still typing. */
const RECENT_INPUT_ms = 10 * 60_000;
/** The minimum time between two attempts. */
const RETRY_ms = 30_000;
/** The maximum number of attempts of one form. A moderator can then claim the case again with the button. */
const ATTEMPTS_MAX = 12;

/** Checks whether the page must renew the claim now. `until_ms` is the end of the moderator's own claim. */
export function isRenewalDue(renewal: Renewal, until_ms: number, now_ms: number): boolean {
  const { inputAt_ms, attemptedAt_ms, attempts } = renewal;
  if (now_ms >= until_ms || until_ms - now_ms > EXPIRES_SOON_ms) return false;
  if (inputAt_ms === null || now_ms - inputAt_ms > RECENT_INPUT_ms) return false;
  if (attemptedAt_ms !== null && now_ms - attemptedAt_ms < RETRY_ms) return false;
  return attempts < ATTEMPTS_MAX;
}
