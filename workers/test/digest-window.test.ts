import { expect, test } from 'vitest';
import { digestWindow, dueDigestDays } from '../src/digest-window.ts';

const at = (iso: string) => Date.parse(iso);

test('digestWindow covers the 24 hours until 8:00 UTC of the day', () => {
  expect(digestWindow('2026-03-01')).toEqual({
    from: new Date('2026-02-28T08:00:00.000Z'),
    to: new Date('2026-03-01T08:00:00.000Z'),
  });
});

test('the window of a day starts at the end of the window before', () => {
  expect(digestWindow('2025-01-01').from).toEqual(digestWindow('2024-12-31').to);
});

test.each([
  ['one minute after the end of a window', '2026-03-02T08:01:00.000Z', ['2026-03-02', '2026-03-01']],
  ['before that minute is over', '2026-03-02T08:00:59.999Z', ['2026-03-01', '2026-02-28']],
  ['at midnight', '2026-03-02T00:00:00.000Z', ['2026-03-01', '2026-02-28']],
  ['late in the evening', '2026-03-01T23:59:59.999Z', ['2026-03-01', '2026-02-28']],
  ['at the turn of the year', '2026-01-01T08:02:00.000Z', ['2026-01-01', '2025-12-31']],
])('%s, the last two days whose windows are over are due', (_, now, days) => {
  expect(dueDigestDays(at(now))).toEqual(days);
});

test('at any time, the windows of due days are over, and the last one ended within a day', () => {
  for (let now_ms = at('2026-02-27T00:00:00.000Z'); now_ms < at('2026-03-03T00:00:00.000Z'); now_ms += 7 * 60_000) {
    const [last = ''] = dueDigestDays(now_ms);
    const ago_ms = now_ms - digestWindow(last).to.getTime();
    expect(ago_ms).toBeGreaterThanOrEqual(60_000);
    expect(ago_ms).toBeLessThan(24 * 60 * 60_000 + 60_000);
  }
});
