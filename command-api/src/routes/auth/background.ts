import { DomainError } from '@alpenglow/domain';
import type { Logger } from '@alpenglow/infra';

/**
 * Does not wait for `work`, so the response and its duration do not show whether an address has an account (decision
 * 0022). A `DomainError` is ignored, and any other error is logged.
 */
export function runInBackground(work: Promise<unknown>, log: Logger, failure: string): void {
  work.catch((err: unknown) => (err instanceof DomainError ? undefined : log.error({ err }, failure)));
}
