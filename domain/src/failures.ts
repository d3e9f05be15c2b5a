/**
 * What each call says when it fails for no fault of the asker's (specification, section 8): the text goes into `message`, beside the general one
 * in `error`. `{message}` is that general text.
 */
const FAILURES: readonly (readonly [method: string, path: string, message: string])[] = [
  ['POST', '/auth/login', 'Login failed'],
  ['POST', '/auth/signup', 'Signup failed'],
  ['POST', '/auth/verify', 'Token verification failed'],
  ['POST', '/auth/verify-email', 'Verification failed'],
  ['POST', '/auth/resend-verification', 'Failed to resend verification code'],
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
  ['GET', '/sync/status', 'Error getting sync status'],
  ['POST', '/sync/force', 'Error forcing sync'],
  ['POST', '/favorites', 'Error adding to favorites'],
  ['POST', '/uploads/photos', 'Photo upload failed: {message}'],
  ['POST', '/uploads/video', 'Video upload failed: {message}'],
];

/**
 * The text of a call that failed, or `message`, the general one, where the specification quotes none for it.
 * @param path below `/api`, such as `/ads/17`
 */
export function failureMessage(method: string, path: string, message: string): string {
  const asked = segmentsOf(path);
  const asMethod = method === 'HEAD' ? 'GET' : method;
  // The first that fits: fixed paths stand before those with parameters.
  const text = FAILURES.find(([ofMethod, template]) => ofMethod === asMethod && fits(segmentsOf(template), asked))?.[2];
  return text === undefined ? message : text.replace('{message}', () => message);
}

function segmentsOf(path: string): readonly string[] {
  return path.toLowerCase().split('/').filter((segment) => segment !== '');
}

function fits(template: readonly string[], asked: readonly string[]): boolean {
  return template.length === asked.length && template.every((segment, index) => segment.startsWith('{') || segment === asked[index]);
}
