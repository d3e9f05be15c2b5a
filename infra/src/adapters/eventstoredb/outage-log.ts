import { describeOutage } from '../../service/describe-outage.ts';
import type { Logger } from '../../service/logger.ts';
import { createFailureLog } from '../../service/failure-log.ts';
import { isExpectedOutage } from './errors.ts';

/** Logs the outages of all subscriptions of a process together. */
export type OutageLog = ReturnType<typeof createOutageLog>;

/**
 * Creates a log of outages, in which one outage has one line when it begins and one line when it ends. An outage begins
 * when a subscription breaks while no other subscription is broken. It ends when all of them have resumed. If outages
 * follow each other, at most one of them a minute is logged.
 */
export function createOutageLog(log: Pick<Logger, 'info' | 'warn'>) {
  let broken = 0;
  let isLogged = false;
  const failureLog = createFailureLog();
  return {
    /** Records that a subscription broke. `failure` is null if the server ended the subscription without an error. */
    begin(failure: unknown): void {
      broken += 1;
      if (broken > 1) return;
      isLogged = failureLog.count('subscriptions') !== null;
      if (!isLogged) return;
      const reason = failure === null ? 'the server ended the subscription' : describeOutage(failure);
      // The stack is only of interest for an error that is not a usual outage.
      const details = failure === null || isExpectedOutage(failure) ? { reason } : { reason, err: failure };
      log.warn(details, 'subscriptions to the event store broke, retrying');
    },
    /** Records that a broken subscription has resumed, or has been closed. */
    end({ isResumed }: { readonly isResumed: boolean }): void {
      broken -= 1;
      if (broken === 0 && isResumed && isLogged) log.info('subscriptions to the event store resumed');
    },
  };
}
