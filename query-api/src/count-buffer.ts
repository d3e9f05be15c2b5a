const FLUSH_ms = 2_000;

export interface CountBufferOptions {
  /** Adds the counts to the stored ones. */
  readonly write: (counts: ReadonlyMap<string, number>) => Promise<void>;
  /** Called if the counts could not be written. They are written again later. */
  readonly onFailed: (err: unknown) => void;
  /** Maximum number of keys. Counts of further keys are ignored until the next write. */
  readonly max?: number;
}

/**
 * Creates counts in memory that are written every 2 s, so that many changes cause one write. If the process is killed,
 * the counts that are not yet written are lost.
 */
export function createCountBuffer({ write, onFailed, max = Number.POSITIVE_INFINITY }: CountBufferOptions) {
  let counts = new Map<string, number>();

  function add(key: string, count: number): void {
    if (counts.size < max || counts.has(key)) counts.set(key, (counts.get(key) ?? 0) + count);
  }

  async function flush(): Promise<void> {
    if (counts.size === 0) return;
    const batch = counts;
    counts = new Map();
    try {
      await write(batch);
    } catch (err) {
      for (const [key, count] of batch) add(key, count);
      onFailed(err);
    }
  }

  const timer = setInterval(() => void flush(), FLUSH_ms);
  timer.unref();
  return {
    add,
    /** Writes the remaining counts and stops the timer. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}
