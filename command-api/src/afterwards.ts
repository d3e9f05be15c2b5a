import type { Logger } from '@alpenglow/infra';

/**
 * Runs a step that follows from an event already written, and that a background job finishes if it fails here. An error is logged, and the
 * result is null: the call has had its effect and must not be refused (decision 0049).
 */
export async function afterwards<T>(log: Logger, what: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (err) {
    log.warn({ err, what }, 'a step after the event failed; a background job finishes it');
    return null;
  }
}
