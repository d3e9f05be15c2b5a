import type { Logger } from '@alpenglow/infra';

/**
 * Does what follows from an event that was written, and what a job, a round or a later call does as well where it breaks off here. What fails is logged and
 * answered with null: it must not have a call refused that has been done (decision 0049).
 */
export async function afterwards<T>(log: Logger, what: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (err) {
    log.warn({ err, what }, 'done, but what follows was left to be finished');
    return null;
  }
}
