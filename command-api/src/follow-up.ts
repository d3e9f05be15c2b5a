import type { Logger } from '@alpenglow/infra';

/**
 * Runs a step that must follow an event that is already stored. If the step fails, the error is logged and null is
 * returned. The request still succeeds, because a background job finishes the step later (decision 0049).
 */
export async function runFollowUp<T>(log: Logger, what: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (err) {
    log.warn({ err, what }, 'a step after the event failed; a background job finishes it');
    return null;
  }
}
