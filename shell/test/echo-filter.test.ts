import { expect, it } from 'vitest';
import { createEchoFilter, ECHO_ms } from '../src/live/echo-filter.ts';

it('what a page says and the channel says at once is shown once, whoever is first', () => {
  const shows = createEchoFilter(() => 0);
  expect([shows('bumped', 'page'), shows('bumped', 'channel')]).toEqual([true, false]);
  expect([shows('posted', 'channel'), shows('posted', 'page')]).toEqual([true, false]);
  expect(shows('bumped', 'channel'), 'the next one is somebody else’s').toBe(true);
});

it('what each of them says twice is shown twice', () => {
  const shows = createEchoFilter(() => 0);
  expect([shows('posted', 'channel'), shows('posted', 'channel'), shows('updated', 'page')]).toEqual([
    true,
    true,
    true,
  ]);
});

it('later it is news', () => {
  let now = 0;
  const shows = createEchoFilter(() => now);
  shows('bumped', 'page');
  now = ECHO_ms + 1;
  expect(shows('bumped', 'channel')).toBe(true);
});
