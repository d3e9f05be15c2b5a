import { percentile } from './statistics.ts';

export interface LoadResult {
  readonly count: number;
  readonly perSecond: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/**
 * Runs several workers in parallel for `duration_ms`. Each worker starts its next `work` as soon as its previous `work`
 * has ended.
 */
export async function runClosedLoop(
  work: () => Promise<unknown>,
  { workers, duration_ms }: { readonly workers: number; readonly duration_ms: number },
): Promise<LoadResult> {
  const latencies_ms: number[] = [];
  const start = performance.now();
  const worker = async () => {
    for (let started_ms = performance.now(); started_ms - start < duration_ms; ) {
      await work();
      const ended = performance.now();
      latencies_ms.push(ended - started_ms);
      started_ms = ended;
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  const elapsed_s = (performance.now() - start) / 1_000;
  return {
    count: latencies_ms.length,
    perSecond: latencies_ms.length / elapsed_s,
    p50_ms: percentile(latencies_ms, 50),
    p99_ms: percentile(latencies_ms, 99),
  };
}

/** Calls `work` for each item, for at most `workers` items at the same time. */
export async function forEachInParallel<T>(
  items: readonly T[],
  workers: number,
  work: (item: T, number: number) => Promise<unknown>,
): Promise<void> {
  const next = items.entries();
  const worker = async () => {
    for (const [number, item] of next) await work(item, number);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
