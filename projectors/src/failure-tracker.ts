import {
  createConsumerFailures,
  createFailureLog,
  describeFailure,
  SealedDayLost,
  waitUnlessAborted,
  type Logger,
  type Pool,
} from '@alpenglow/infra';

/**
 * The time for which a duty must run without a failure until its failures are deleted. It is longer than one failing
 * attempt, which may wait for a backing service.
 */
const RECOVERED_AFTER_ms = 90_000;
const CHECK_EVERY_ms = 10_000;

export interface FailureTrackerOptions {
  readonly pool: Pool;
  readonly log: Pick<Logger, 'warn' | 'error' | 'debug'>;
  readonly recoveredAfter_ms?: number;
  readonly checkEvery_ms?: number;
}

/**
 * Tracks the failures of the duties of this process, so that a consumer without progress is visible (decision 0114).
 * Each failure is stored, because the next attempt may run in another process. The log has the first failure of a duty
 * at once, and then one line a minute with the number of failures. `stop` ends the tracking.
 */
export function createFailureTracker({
  pool,
  log,
  recoveredAfter_ms = RECOVERED_AFTER_ms,
  checkEvery_ms = CHECK_EVERY_ms,
}: FailureTrackerOptions) {
  const failures = createConsumerFailures(pool);
  const failureLog = createFailureLog();
  const stopped = new AbortController();
  /** The start of each duty that runs here and whose earlier failures, if any, are not deleted yet. */
  const startedAt_ms = new Map<string, number>();
  /** The duties that run a rebuild, which may fail after a long time. */
  const busy = new Set<string>();

  async function clearRecovered(): Promise<void> {
    const before_ms = performance.now() - recoveredAfter_ms;
    const recovered = [...startedAt_ms].filter(([name, at_ms]) => at_ms <= before_ms && !busy.has(name));
    if (recovered.length === 0) return;
    await failures.clear(recovered.map(([name]) => name));
    for (const [name, at_ms] of recovered) {
      failureLog.reset(name);
      // The duty may have failed and started again meanwhile.
      if (startedAt_ms.get(name) === at_ms) startedAt_ms.delete(name);
    }
  }

  async function clearPeriodically(): Promise<void> {
    while (!stopped.signal.aborted) {
      await waitUnlessAborted(checkEvery_ms, stopped.signal);
      if (!stopped.signal.aborted)
        await clearRecovered().catch((err: unknown) => log.debug({ err }, 'failures of duties were not deleted'));
    }
  }
  const clearing = clearPeriodically();

  return {
    /** Call this when a duty starts. Returns true if its last attempt in this process has failed. */
    recordStart(duty: string): boolean {
      startedAt_ms.set(duty, performance.now());
      return failureLog.has(duty);
    },
    /** Call this when a rebuild of the duty begins or ends. During a rebuild, the duty has not recovered. */
    recordBusy(duty: string, isBusy: boolean): void {
      if (isBusy) busy.add(duty);
      else busy.delete(duty);
      if (startedAt_ms.has(duty)) startedAt_ms.set(duty, performance.now());
    },
    /** Call this when a duty ends here for any reason. It may fail in another process from now on. */
    recordEnd(duty: string): void {
      startedAt_ms.delete(duty);
      busy.delete(duty);
    },
    /** Call this when a duty fails, or is ended by a failure. It is started again. */
    recordFailure(duty: string, error: unknown): void {
      startedAt_ms.delete(duty);
      const count = failureLog.count(duty);
      if (count !== null)
        log[error instanceof SealedDayLost ? 'error' : 'warn'](
          { duty, failures: count, err: error },
          'duty failed, restarting it',
        );
      failures
        .record(duty, describeFailure(error))
        .catch((err: unknown) => log.debug({ err, duty }, 'the failure of a duty was not stored'));
    },
    async stop(): Promise<void> {
      stopped.abort();
      await clearing;
    },
  };
}
