import { setTimeout as pause } from 'node:timers/promises';

/**
 * Starts `work` at fixed times, also while earlier calls are running. Returns the latency of each call in milliseconds,
 * counted from the time at which it should have started. If the product is slow, the waiting time therefore counts.
 */
export async function runOpenLoop(
  work: (number: number) => Promise<unknown>,
  { count, perSecond }: { readonly count: number; readonly perSecond: number },
): Promise<readonly number[]> {
  const interval_ms = 1_000 / perSecond;
  const start_ms = performance.now();
  const latencies = Array.from({ length: count }, async (_, number) => {
    const scheduled_ms = start_ms + number * interval_ms;
    await pause(Math.max(0, scheduled_ms - performance.now()));
    await work(number);
    return performance.now() - scheduled_ms;
  });
  return Promise.all(latencies);
}
