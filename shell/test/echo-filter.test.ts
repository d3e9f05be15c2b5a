import { expect, it } from 'vitest';
import { createEchoFilter, ECHO_ms } from '../src/live/echo-filter.ts';

it('shows a text once if page and channel report it together, in either order', () => {
  const shouldShow = createEchoFilter(() => 0);
  expect([shouldShow('bumped', 'page'), shouldShow('bumped', 'channel')]).toEqual([true, false]);
  expect([shouldShow('posted', 'channel'), shouldShow('posted', 'page')]).toEqual([true, false]);
  expect(shouldShow('bumped', 'channel'), 'a further message is new').toBe(true);
});

it('shows a text again if the same source repeats it', () => {
  const shouldShow = createEchoFilter(() => 0);
  expect([shouldShow('posted', 'channel'), shouldShow('posted', 'channel'), shouldShow('updated', 'page')]).toEqual([
    true,
    true,
    true,
  ]);
});

it('shows the text again after the time window', () => {
  let now = 0;
  const shouldShow = createEchoFilter(() => now);
  shouldShow('bumped', 'page');
  now = ECHO_ms + 1;
  expect(shouldShow('bumped', 'channel')).toBe(true);
});
