import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPacer } from '../src/service/pacer.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Requests an announcement every millisecond for one simulated second. Returns the number of announcements. */
function countAnnouncements(eventsPerAnnouncement: number): number {
  let announcements = 0;
  const pacer = createPacer(() => {
    announcements += 1;
    return eventsPerAnnouncement;
  });
  for (let elapsed_ms = 0; elapsed_ms < 1_000; elapsed_ms += 1) {
    pacer.request();
    vi.advanceTimersByTime(1);
  }
  pacer.stop();
  return announcements;
}

test('the first events are announced at once', () => {
  const announce = vi.fn(() => 1);
  const pacer = createPacer(announce);
  pacer.request();
  pacer.request();
  expect(announce).toHaveBeenCalledTimes(2);
  pacer.stop();
});

test('few events at a time are announced 50 times a second', () => {
  const announcements = countAnnouncements(7);
  expect(announcements).toBeGreaterThan(50);
  expect(announcements).toBeLessThanOrEqual(56);
});

test('many events at a time are announced 20 times a second', () => {
  const announcements = countAnnouncements(8);
  expect(announcements).toBeGreaterThan(19);
  expect(announcements).toBeLessThanOrEqual(24);
});
