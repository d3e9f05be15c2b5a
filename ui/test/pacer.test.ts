import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPacer, type Visibility } from '../src/live/pacer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Creates a pacer and records its batches with their times. */
function start() {
  let isHidden = false;
  const listeners = new Set<() => void>();
  const visibility: Visibility = {
    isHidden: () => isHidden,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const started_ms = Date.now();
  const batches: { readonly at_s: number; readonly items: readonly number[] }[] = [];
  const pacer = createPacer<number>(
    (items) => batches.push({ at_s: (Date.now() - started_ms) / 1_000, items }),
    visibility,
  );
  const stop = pacer.start();
  return {
    pacer,
    stop,
    batches,
    times: () => batches.map(({ at_s }) => at_s),
    setHidden(value: boolean) {
      isHidden = value;
      for (const listener of listeners) listener();
    },
  };
}

describe('live messages', () => {
  it('are passed on at once, and at most every 3 to 15 s while they continue', () => {
    const { pacer, times, batches } = start();
    for (let n = 0; n < 600; n += 1) {
      pacer.add(n);
      vi.advanceTimersByTime(100);
    }
    expect(times()).toEqual([0, 3, 9, 21, 36, 51]);
    expect(
      batches.flatMap(({ items }) => items),
      'no message is lost',
    ).toEqual(Array.from({ length: 510 }, (_, n) => n));
  });

  it('are passed on at once again after a quiet interval', () => {
    const { pacer, times } = start();
    pacer.add(1);
    vi.advanceTimersByTime(4_000);
    pacer.add(2);
    pacer.add(3);
    expect(times()).toEqual([0, 4]);
    vi.advanceTimersByTime(3_000);
    expect(times()).toEqual([0, 4, 7]);
  });

  it('wait while the tab is hidden, and are passed on together when it is shown again', () => {
    const { pacer, batches, setHidden } = start();
    setHidden(true);
    pacer.add(1);
    vi.advanceTimersByTime(60_000);
    pacer.add(2);
    expect(batches).toEqual([]);
    setHidden(false);
    vi.advanceTimersByTime(60_000);
    expect(batches).toEqual([{ at_s: 61, items: [1, 2] }]);
  });

  it('that are urgent take the waiting ones along', () => {
    const { pacer, batches } = start();
    pacer.add(1);
    pacer.add(2);
    vi.advanceTimersByTime(1_000);
    pacer.addUrgent(3);
    vi.advanceTimersByTime(60_000);
    expect(batches).toEqual([
      { at_s: 0, items: [1] },
      { at_s: 1, items: [2, 3] },
    ]);
  });

  it('that are urgent wait while the tab is hidden, and cause one batch with the others', () => {
    const { pacer, batches, setHidden } = start();
    setHidden(true);
    pacer.add(1);
    setHidden(false);
    // The shell reports soon afterwards that data has changed.
    vi.advanceTimersByTime(200);
    pacer.addUrgent(2);
    vi.advanceTimersByTime(60_000);
    expect(batches).toEqual([{ at_s: 0.2, items: [1, 2] }]);
    setHidden(true);
    pacer.addUrgent(3);
    vi.advanceTimersByTime(60_000);
    expect(batches).toHaveLength(1);
  });

  it('are dropped when the component is removed', () => {
    const { pacer, batches, stop } = start();
    pacer.add(1);
    pacer.add(2);
    stop();
    vi.advanceTimersByTime(60_000);
    expect(batches.map(({ items }) => items)).toEqual([[1]]);
  });
});
