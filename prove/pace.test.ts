import { expect, test } from 'vitest';
import { createPace } from './pace.ts';

test('createPace allows a limited call once per interval, and others always', () => {
  let now_ms = 0;
  const mayCall = createPace({ upload: 3_000 }, () => now_ms);
  expect([mayCall('upload'), mayCall('upload'), mayCall('erase'), mayCall('erase')]).toEqual([true, false, true, true]);
  now_ms = 2_999;
  expect(mayCall('upload')).toBe(false);
  now_ms = 3_000;
  expect([mayCall('upload'), mayCall('upload')]).toEqual([true, false]);
});
