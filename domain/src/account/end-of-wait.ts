import { NEW_ACCOUNT_WAIT_ms } from '../constants.ts';
import { DomainError } from '../error-catalogue.ts';

/**
 * Returns the time from which a new account may post in the community and review ads, in ISO 8601.
 * `registeredAt` is the time of its sign-up.
 */
export function endOfWait(registeredAt: string, wait_ms = NEW_ACCOUNT_WAIT_ms): string {
  return new Date(Date.parse(registeredAt) + wait_ms).toISOString();
}

/** Throws ACCOUNT_TOO_NEW before the time `writesFrom` (ISO 8601). The error contains the rest of the wait. */
export function requireEndOfWait(writesFrom: string, now: string): void {
  const left_ms = Date.parse(writesFrom) - Date.parse(now);
  if (left_ms > 0)
    throw new DomainError('ACCOUNT_TOO_NEW', { minutes: Math.ceil(left_ms / 60_000) }, Math.ceil(left_ms / 1000));
}
