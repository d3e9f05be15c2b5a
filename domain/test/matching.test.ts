import { getFailureMessage, matchRequest, findMethods, OPERATIONS } from '@alpenglow/domain/api';
import { expect, test } from 'vitest';

// The expected messages are quoted from.
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
])('a failure of %s %s has the message "%s"', (method, path, message) => {
  expect(getFailureMessage(method, path, 'HTTP 500')).toBe(message);
});

test.each([
  ['GET', '/admin/users'],
  ['POST', '/ads/a1'],
  ['GET', ''],
])('%s %s has no message for failures', (method, path) => {
  expect(getFailureMessage(method, path, 'HTTP 500')).toBe('HTTP 500');
});

test.each(OPERATIONS)('$method $path matches $id', (operation) => {
  expect(matchRequest(operation.method, operation.path)?.operation).toBe(operation);
});

test.each([
  ['GET', '/ads/user', 'listOwnAds', {}],
  ['PUT', '/ads/user', 'updateAd', { id: 'user' }],
  ['HEAD', '/ADS/A%201/', 'getAd', { id: 'A%201' }],
  ['DELETE', '/admin/verification-codes/clear', 'deleteVerificationCodes', {}],
  ['DELETE', '/admin/verification-codes/u1', 'clearVerificationCode', { id: 'u1' }],
  ['GET', '/ads/location/NV/Reno', 'listAdsOfPlace', { first: 'NV', second: 'Reno' }],
])('%s %s matches %s with %j', (method, path, id, parameters) => {
  const match = matchRequest(method, path);
  expect(match?.operation.id).toBe(id);
  expect(match?.parameters).toEqual(parameters);
});

test.each([
  ['PATCH', '/ads'],
  ['GET', '/ads//'],
  ['GET', ''],
])('%s %s matches no operation', (method, path) => {
  expect(matchRequest(method, path)).toBeNull();
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
])('%s has the methods %j', (path, methods) => {
  expect(findMethods(path)).toEqual(methods);
});
