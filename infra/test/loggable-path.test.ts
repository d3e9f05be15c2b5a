import { expect, test } from 'vitest';
import { toLoggablePath, toSpanPath } from '../src/http/loggable-path.ts';

test.each([
  ['/api/ads?q=anna@example.com', '/api/ads'],
  ['/api/ads/0192f4c0-7b1e-7c3a-8f00-0123456789ab/bump', '/api/ads/0192f4c0-7b1e-7c3a-8f00-0123456789ab/bump'],
  ['/api/favorites/0123456789abcdef0123456789abcdef', '/api/favorites/0123456789abcdef0123456789abcdef'],
  ['/api/ads/anna@example.com', '/api/ads/*'],
  ['/api/auth/verify-email/123456', '/api/auth/verify-email/*'],
  ['/api/anna%40example.com/+41791234567', '/api/*/*'],
  [
    '/uploads/photos/0192f4c0-7b1e-7c3a-8f00-0123456789ab/320.webp',
    '/uploads/photos/0192f4c0-7b1e-7c3a-8f00-0123456789ab/*',
  ],
  ['/', '/'],
  ['/listings', '/listings'],
  ['/*?token=abc', '/*'],
  [`/${'x/'.repeat(50)}`, '/*/*/*/*/*/*/*/*/*'],
])('%s is logged as %s', (url, path) => {
  expect(toLoggablePath(url)).toBe(path);
});

test('a span has no ids of its path', () => {
  expect(toSpanPath('/ad/0192f4c0-7b1e-7c3a-8f00-0123456789ab?q=a')).toBe('/ad/*');
  expect(toSpanPath('/profile/0123456789abcdef0123456789abcdef')).toBe('/profile/*');
  expect(toSpanPath('/')).toBe('/');
});
