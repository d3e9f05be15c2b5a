import { DomainError } from '@alpenglow/domain';
import type { Logger } from '@alpenglow/infra';

/**
 * Lets work go on that no answer waits for, because neither the answer nor its time may tell whether an address has an account (decision
 * 0022). A refusal stays unsaid; what fails is logged.
 */
export function inBackground(work: Promise<unknown>, log: Logger, failure: string): void {
  work.catch((err: unknown) => (err instanceof DomainError ? undefined : log.error({ err }, failure)));
}
