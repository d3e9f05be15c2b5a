import { expect, test } from 'vitest';
import { findPictureError, formatSize } from '../src/account/identity/pictures.ts';

const picture = (name: string, type = 'image/jpeg', size = 10_000_000) => ({ name, type, size });

test('accepts one or two pictures of at most 10 MB', () => {
  expect(findPictureError([picture('a.jpg')])).toBeNull();
  expect(findPictureError([picture('a.jpg'), picture('b.png', 'image/png', 1)])).toBeNull();
});

test.each([
  [[picture('a.jpg'), picture('b.jpg'), picture('c.jpg')], { text: 'identity.tooMany', name: '' }],
  [[picture('a.jpg'), picture('b.heic', 'image/heic')], { text: 'identity.notAPicture', name: 'b.heic' }],
  [[picture('a.svg', 'image/svg+xml')], { text: 'identity.notAPicture', name: 'a.svg' }],
  [[picture('a.jpg', 'image/jpeg', 10_000_001)], { text: 'identity.tooLarge', name: 'a.jpg' }],
])('rejects invalid pictures before sending them (%#)', (pictures, expected) => {
  expect(findPictureError(pictures)).toEqual(expected);
});

test.each([
  [0, '1 kB'],
  [13, '1 kB'],
  [1_200, '1.2 kB'],
  [340_000, '340 kB'],
  [2_640_000, '2.6 MB'],
])('the size of %d bytes is %s', (bytes, text) => {
  expect(formatSize(bytes, 'en-US')).toBe(text);
});
