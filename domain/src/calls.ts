/**
 * Every call of the API, and what it says when it fails for no fault of the asker's (specification, sections 7 and 8): the text goes into
 * `message`, beside the general one in `error`, which `{message}` stands for. Null: none is quoted. A test holds the table against the
 * API document.
 */
export const CALLS: readonly (readonly [method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, failure: string | null])[] = [
  ['POST', '/auth/login', 'Login failed'],
  ['POST', '/auth/signup', 'Signup failed'],
  ['POST', '/auth/logout', null],
  ['POST', '/auth/verify', 'Token verification failed'],
  ['POST', '/auth/refresh', null],
  ['POST', '/auth/verify-email', 'Verification failed'],
  ['POST', '/auth/resend-verification', 'Failed to resend verification code'],
  ['POST', '/auth/change-password', null],
  ['POST', '/auth/forgot-password', null],
  ['POST', '/auth/reset-password', null],
  ['GET', '/auth/profile', null],
  ['PUT', '/auth/profile', null],
  ['GET', '/ads', 'Failed to load ads'],
  ['GET', '/ads/counts', 'Failed to load ads'],
  ['GET', '/ads/featured', 'Failed to load ads'],
  ['GET', '/ads/location/{first}/{second}', 'Failed to load ads'],
  ['GET', '/ads/user', 'Failed to load user ads'],
  ['GET', '/ads/{id}', 'Error loading ads'],
  ['POST', '/ads', 'Failed to create ad'],
  ['PUT', '/ads/{id}', 'Failed to update ad'],
  ['DELETE', '/ads/{id}', 'Failed to delete ad'],
  ['POST', '/ads/{id}/bump', 'Error bumping ad'],
  ['POST', '/ads/{id}/reviews', null],
  ['POST', '/uploads/photos', 'Photo upload failed: {message}'],
  ['POST', '/uploads/video', 'Video upload failed: {message}'],
  ['GET', '/uploads/photos/{mediaId}/{variant}', null],
  ['GET', '/uploads/video/{mediaId}', null],
  ['GET', '/favorites/{userId}', null],
  ['POST', '/favorites', 'Error adding to favorites'],
  ['DELETE', '/favorites/{id}', null],
  ['GET', '/admin/users', null],
  ['DELETE', '/admin/users/{id}', null],
  ['POST', '/admin/users/{id}/verify', null],
  ['PUT', '/admin/users/{id}/verify', null],
  ['GET', '/admin/ads', null],
  ['DELETE', '/admin/ads/{id}', null],
  ['PUT', '/admin/ads/{id}/featured', null],
  ['GET', '/admin/verification-codes', null],
  ['POST', '/admin/verification-codes/clear', null],
  ['DELETE', '/admin/verification-codes/clear', null],
  ['GET', '/sync/status', 'Error getting sync status'],
  ['POST', '/sync/force', 'Error forcing sync'],
  ['GET', '/health', null],
  ['GET', '/live', null],
  ['GET', '/docs', null],
  ['GET', '/docs/openapi.yaml', null],
];

/**
 * The text of a call that failed, or `message`, the general one, where the specification quotes none for it.
 * @param path below `/api`, such as `/ads/17`
 */
export function failureMessage(method: string, path: string, message: string): string {
  const asMethod = method === 'HEAD' ? 'GET' : method;
  // The first that fits: fixed paths stand before those with parameters.
  const failure = callsAt(path).find(([ofMethod]) => ofMethod === asMethod)?.[2] ?? null;
  return failure === null ? message : failure.replace('{message}', () => message);
}

/** The methods with which a path below `/api` is called; none where there is no such path. */
export function methodsAt(path: string): readonly string[] {
  const methods = new Set<string>(callsAt(path).map(([method]) => method));
  return methods.has('GET') ? [...methods, 'HEAD'].sort() : [...methods].sort();
}

function callsAt(path: string) {
  const asked = segmentsOf(path);
  return CALLS.filter(([, template]) => fits(segmentsOf(template), asked));
}

function segmentsOf(path: string): readonly string[] {
  return path.toLowerCase().split('/').filter((segment) => segment !== '');
}

function fits(template: readonly string[], asked: readonly string[]): boolean {
  return template.length === asked.length && template.every((segment, index) => segment.startsWith('{') || segment === asked[index]);
}
