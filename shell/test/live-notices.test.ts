import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLiveNotices, LIFETIME_MAX_ms, type LiveNotice } from '../src/frame/live-notices/live-notices.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Shows the toast as the page does: it disappears after its lifetime, unless it changes before. */
function start() {
  let shown: LiveNotice | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ids = new Set<number>();
  const notices = createLiveNotices({
    now: Date.now,
    show(notice) {
      shown = notice;
      ids.add(notice.id);
      clearTimeout(timer);
      timer = setTimeout(() => {
        shown = null;
        notices.closed();
      }, notice.lifetime_ms);
    },
  });
  return { add: notices.add, shown: () => shown, toasts: () => ids.size };
}

describe('live messages', () => {
  it('of one kind within a short time become one toast with their number', () => {
    const { add, shown, toasts } = start();
    add('ad_created');
    expect(shown()?.counts, 'the first one is shown at once').toEqual({ ad_created: 1 });
    add('ad_created');
    vi.advanceTimersByTime(1_000);
    add('ad_created');
    vi.advanceTimersByTime(1_000);
    expect(shown()?.counts).toEqual({ ad_created: 3 });
    expect(toasts()).toBe(1);
  });

  it('of several kinds share the toast', () => {
    const { add, shown, toasts } = start();
    add('ad_created');
    add('ad_deleted');
    add('ad_created');
    vi.advanceTimersByTime(2_000);
    expect([shown()?.counts, toasts()]).toEqual([{ ad_created: 2, ad_deleted: 1 }, 1]);
  });

  it('do not renew the toast forever', () => {
    const { add, shown } = start();
    add('ad_created');
    const first = shown()?.id;
    for (let at_ms = 0; at_ms <= LIFETIME_MAX_ms; at_ms += 500) {
      vi.advanceTimersByTime(500);
      add('ad_created');
    }
    expect(shown()?.id).not.toBe(first);
  });

  it.each([100, 1_000, 7_000])('every %d ms leave the page quiet most of the time', (every_ms) => {
    const { add, shown, toasts } = start();
    let visible_ms = 0;
    const MINUTES = 10;
    for (let at_ms = 0; at_ms < MINUTES * 60_000; at_ms += 100) {
      if (at_ms % every_ms === 0) add('ad_bumped');
      if (shown()) visible_ms += 100;
      vi.advanceTimersByTime(100);
    }
    expect(toasts()).toBeLessThanOrEqual(3 + MINUTES);
    expect(visible_ms / (MINUTES * 60_000)).toBeLessThan(0.3);
    expect(toasts(), 'but the page still reports changes').toBeGreaterThan(MINUTES / 2);
  });
});
