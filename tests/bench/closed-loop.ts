import { percentile } from './statistics.ts';

export interface Measured {
  readonly count: number;
  readonly perSecond: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** Lets workers work for a while side by side, each beginning its next piece of work when the last one is done. */
export async function keepBusy(
  work: () => Promise<unknown>,
  { workers, duration_ms }: { readonly workers: number; readonly duration_ms: number },
): Promise<Measured> {
  const latencies_ms: number[] = [];
  const start = performance.now();
  const worker = async () => {
    for (let begun = performance.now(); begun - start < duration_ms; ) {
      await work();
      const ended = performance.now();
      latencies_ms.push(ended - begun);
      begun = ended;
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
