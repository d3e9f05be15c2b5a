import { expect, test } from 'vitest';
import { EDIT_WINDOW_ms } from '../src/constants.ts';
import { getMinutesLeft } from '../src/contracts/minutes-left.ts';

const NOW_ms = Date.parse('2026-03-01T12:00:00.000Z');
const at = (offset_s: number) => new Date(NOW_ms + offset_s * 1000).toISOString();

test('minutes are rounded up until the time is over', () => {
  expect([61, 60, 1, 0, -90].map((offset_s) => getMinutesLeft(at(offset_s), NOW_ms, EDIT_WINDOW_ms))).toEqual([
    2, 1, 1, 0, 0,
  ]);
  expect(getMinutesLeft(null, NOW_ms, EDIT_WINDOW_ms)).toBe(0);
});

test('a slow clock of the device does not extend the period', () => {
  expect(getMinutesLeft(at(3 * 24 * 3600), NOW_ms, EDIT_WINDOW_ms)).toBe(15);
});
