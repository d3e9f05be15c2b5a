import { CALLS, failureMessage, methodsAt } from '@alpenglow/domain';
import { OPERATIONS } from '@alpenglow/domain/api';
import { expect, test } from 'vitest';

// Specification, section 8.
test.each([
  ['POST', '/auth/login', 'Login failed'],
  ['POST', '/auth/signup', 'Signup failed'],
  ['POST', '/auth/verify', 'Token verification failed'],
  ['POST', '/auth/verify-email', 'Verification failed'],
  ['POST', '/auth/resend-verification', 'Failed to resend verification code'],
  ['GET', '/ads', 'Failed to load ads'],
  ['HEAD', '/ads/', 'Failed to load ads'],
  ['GET', '/ads/a1', 'Error loading ads'],
  ['GET', '/ads/user', 'Failed to load user ads'],
  ['GET', '/ads/location/NV/Las%20Vegas', 'Failed to load ads'],
  ['POST', '/ads', 'Failed to create ad'],
  ['PUT', '/ads/a1', 'Failed to update ad'],
  ['DELETE', '/ads/a1', 'Failed to delete ad'],
  ['POST', '/ads/a1/bump', 'Error bumping ad'],
  ['GET', '/sync/status', 'Error getting sync status'],
  ['POST', '/sync/force', 'Error forcing sync'],
  ['POST', '/favorites', 'Error adding to favorites'],
  ['POST', '/uploads/photos', 'Photo upload failed: HTTP 500'],
  ['POST', '/uploads/video', 'Video upload failed: HTTP 500'],
])('%s %s that fails says "%s"', (method, path, message) => {
  expect(failureMessage(method, path, 'HTTP 500')).toBe(message);
});

test.each([
  ['GET', '/admin/users'],
  ['POST', '/ads/a1'],
  ['GET', ''],
])('%s %s has no text of its own', (method, path) => {
  expect(failureMessage(method, path, 'HTTP 500')).toBe('HTTP 500');
});

test('the table names every call of the API document, and no other', () => {
  const named = (calls: readonly (readonly [string, string])[]) =>
    calls.map(([method, path]) => `${method} ${path}`).sort();
  expect(named(CALLS.map(([method, path]) => [method, path]))).toEqual(
    named(OPERATIONS.map(({ method, path }) => [method, path])),
  );
});

test.each([
  ['/ads', ['GET', 'HEAD', 'POST']],
  ['/ads/a1', ['DELETE', 'GET', 'HEAD', 'PUT']],
  ['/ADS/a1/bump/', ['POST']],
  ['/admin/verification-codes/clear', ['DELETE', 'POST']],
  ['/nothing', []],
  ['/ads/a1/b2', []],
  ['/ads//bump', []],
  ['/ads//', []],
  ['', []],
])('%s is called with %j', (path, methods) => {
  expect(methodsAt(path)).toEqual(methods);
});
