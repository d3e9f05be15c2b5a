/**
 * Every call of the API, and what it says when it fails for no fault of the asker's (specification, sections 7 and 8): the text goes into
 * `message`, beside the general one in `error`, which `{message}` stands for. Null: none is quoted. A test holds the table against the
 * API document.
 */
export const CALLS: readonly (readonly [
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  failure: string | null,
])[] = [
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
  ['GET', '/auth/two-step', null],
  ['POST', '/auth/two-step/setup', null],
  ['POST', '/auth/two-step/confirm', null],
  ['POST', '/auth/two-step/disable', null],
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
  ['GET', '/community/threads', null],
  ['POST', '/community/threads', null],
  ['GET', '/community/threads/{id}', null],
  ['POST', '/community/threads/{id}/replies', null],
  ['PUT', '/community/threads/{id}/posts/{number}', null],
  ['DELETE', '/community/threads/{id}/posts/{number}', null],
  ['GET', '/community/threads/{id}/posts/{number}/history', null],
  ['POST', '/community/threads/{id}/posts/{number}/helpful', null],
  ['DELETE', '/community/threads/{id}/posts/{number}/helpful', null],
  ['PUT', '/community/threads/{id}/follow', null],
  ['DELETE', '/community/threads/{id}/follow', null],
  ['GET', '/community/follows', null],
  ['POST', '/community/unsubscribe', null],
  ['GET', '/community/unsubscribe/{token}', null],
  ['POST', '/community/unsubscribe/{token}', null],
  ['GET', '/community/locations', null],
  ['POST', '/community/preview', null],
  ['POST', '/reports', null],
  ['GET', '/reports/{reference}', null],
  ['GET', '/account/decisions', null],
  ['GET', '/account/decisions/{id}', null],
  ['POST', '/account/decisions/{id}/appeal', null],
  ['GET', '/admin/moderation/cases', null],
  ['GET', '/admin/moderation/cases/{id}', null],
  ['POST', '/admin/moderation/cases/{id}/claim', null],
  ['POST', '/admin/moderation/cases/{id}/release', null],
  ['POST', '/admin/moderation/cases/{id}/decide', null],
  ['POST', '/admin/moderation/cases/{id}/appeal', null],
  ['GET', '/blog/articles', null],
  ['GET', '/blog/articles/{slug}', null],
  ['GET', '/search', null],
  ['GET', '/account/export', null],
  ['POST', '/consents', null],
  ['GET', '/admin/users/{id}/export', null],
  ['GET', '/admin/staff-reads', null],
  ['GET', '/audit/roots', null],
  ['GET', '/admin/log', null],
  ['GET', '/admin/log/{eventId}/proof', null],
  ['GET', '/admin/community/hidden', null],
  ['PUT', '/admin/community/threads/{id}/posts/{number}/hidden', null],
  ['PUT', '/admin/community/threads/{id}/locked', null],
  ['PUT', '/admin/community/threads/{id}/pinned', null],
  ['PUT', '/admin/community/threads/{id}/place', null],
  ['GET', '/admin/blog/articles', null],
  ['POST', '/admin/blog/articles', null],
  ['POST', '/admin/blog/preview', null],
  ['GET', '/admin/blog/articles/{slug}', null],
  ['PUT', '/admin/blog/articles/{slug}', null],
  ['DELETE', '/admin/blog/articles/{slug}', null],
  ['POST', '/admin/blog/articles/{slug}/publish', null],
  ['POST', '/admin/blog/articles/{slug}/unschedule', null],
  ['POST', '/admin/blog/articles/{slug}/correct', null],
  ['POST', '/admin/blog/articles/{slug}/withdraw', null],
  ['GET', '/admin/overview', null],
  ['GET', '/admin/jobs', null],
  ['GET', '/admin/jobs/{queue}', null],
  ['POST', '/admin/jobs/{queue}/retry', null],
  ['GET', '/admin/jobs/{queue}/{id}', null],
  ['DELETE', '/admin/jobs/{queue}/{id}', null],
  ['POST', '/admin/jobs/{queue}/{id}/retry', null],
  ['GET', '/admin/users', null],
  ['GET', '/admin/users/{id}', null],
  ['DELETE', '/admin/users/{id}', null],
  ['POST', '/admin/users/{id}/verify', null],
  ['PUT', '/admin/users/{id}/verify', null],
  ['PUT', '/admin/users/{id}/role', null],
  ['GET', '/account/identity', null],
  ['POST', '/account/identity', null],
  ['GET', '/admin/identity', null],
  ['GET', '/admin/identity/{id}/files/{number}', null],
  ['POST', '/admin/identity/{id}/decide', null],
  ['GET', '/admin/users/{id}/person', null],
  ['POST', '/admin/users/{id}/erasure', null],
  ['PUT', '/admin/users/{id}/legal-hold', null],
  ['DELETE', '/admin/users/{id}/legal-hold', null],
  ['POST', '/account/erasure', null],
  ['GET', '/account/erasure/{receiptId}', null],
  ['GET', '/admin/ads', null],
  ['DELETE', '/admin/ads/{id}', null],
  ['PUT', '/admin/ads/{id}/featured', null],
  ['GET', '/admin/verification-codes', null],
  ['POST', '/admin/verification-codes/clear', null],
  ['DELETE', '/admin/verification-codes/clear', null],
  ['DELETE', '/admin/verification-codes/{id}', null],
  ['GET', '/admin/ads/{id}/history', null],
  ['GET', '/admin/ads/{id}/rank', null],
  ['GET', '/admin/ads/{id}', null],
  ['GET', '/admin/users/{id}/history', null],
  ['GET', '/admin/users/{id}/as-of', null],
  ['GET', '/admin/community/threads/{id}/history', null],
  ['GET', '/admin/community/threads/{id}', null],
  ['GET', '/admin/transparency', null],
  ['GET', '/admin/rules', null],
  ['POST', '/admin/rules', null],
  ['POST', '/admin/rules/try', null],
  ['PUT', '/admin/rules/{id}', null],
  ['DELETE', '/admin/rules/{id}', null],
  ['POST', '/admin/rules/{id}/on', null],
  ['POST', '/admin/rules/{id}/off', null],
  ['GET', '/admin/projections', null],
  ['POST', '/admin/projections/{name}/rebuild', null],
  ['POST', '/admin/projections/{name}/pause', null],
  ['POST', '/admin/projections/{name}/resume', null],
  ['POST', '/admin/projections/{name}/cancel', null],
  ['POST', '/admin/projections/{name}/swap', null],
  ['POST', '/admin/projections/{name}/revert', null],
  ['GET', '/admin/projections/{name}/differences', null],
  ['GET', '/admin/projections/{name}/parked', null],
  ['POST', '/admin/projections/{name}/parked/{position}/retry', null],
  ['POST', '/admin/projections/{name}/parked/{position}/skip', null],
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

/** A slash at the end makes no other path; two in a row do. */
function segmentsOf(path: string): readonly string[] {
  return path
    .toLowerCase()
    .replaceAll(/^\/|\/$/gu, '')
    .split('/');
}

function fits(template: readonly string[], asked: readonly string[]): boolean {
  return (
    template.length === asked.length &&
    template.every((segment, index) => (segment.startsWith('{') ? asked[index] !== '' : segment === asked[index]))
  );
}
