/** A limit of how often something is done. */
export interface BudgetLimit {
  /** The number of times at once, after a pause. */
  readonly burst: number;
  readonly perSecond: number;
}

/** Returns a function that returns true as often as the limit allows. `now_ms` is a clock that only moves forward. */
export function createBudget({ burst, perSecond }: BudgetLimit, now_ms = () => performance.now()): () => boolean {
  let left: number = burst;
  let at_ms = now_ms();
  return () => {
    const current_ms = now_ms();
    left = Math.min(burst, left + ((current_ms - at_ms) / 1_000) * perSecond);
    at_ms = current_ms;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
