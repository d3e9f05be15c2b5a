import { UnreadableEventError, UnrecoverableJobError } from '@alpenglow/domain';

/**
 * Does the steps of a job one after the other. A step that fails does not stop the others. Rejects at the end with an
 * `UnreadableEventError`, because the caller may handle it. Otherwise rejects with the first error after which the job
 * can be repeated, because `UnrecoverableJobError` would end the job before the other failed steps are repeated.
 */
export async function attemptAll(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length === 0) return;
  throw (
    errors.find((error) => error instanceof UnreadableEventError) ??
    errors.find((error) => !(error instanceof UnrecoverableJobError)) ??
    errors[0]
  );
}
