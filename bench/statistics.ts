/** Returns the median, or the larger of the two middle values of an even number of values. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Returns the value that is at `percent` percent of the sorted values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((percent / 100) * sorted.length))] ?? Number.NaN;
}
