import { DomainError } from '@alpenglow/domain';
import type { Logger } from '@alpenglow/infra';

/**
 * Lets `work` finish in the background. The request does not wait for the result, so the duration of the request does
 * not show whether an e-mail address has an account (decision 0055). A `DomainError` is ignored, and any other error is
 * logged.
 */
export function runInBackground(work: Promise<unknown>, log: Logger, failure: string): void {
  work.catch((err: unknown) => (err instanceof DomainError ? undefined : log.error({ err }, failure)));
}
