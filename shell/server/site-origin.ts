import type { Request } from 'express';

const THIS_MACHINE = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/iu;

/**
 * Returns the origin for absolute URLs. This is the configured origin, or the origin of the request if its host is
 * `localhost`. For other hosts, the function returns null, because a client can send any `Host` header.
 */
export function getOrigin(req: Pick<Request, 'headers'>, siteUrl: string | null): string | null {
  if (siteUrl !== null) return siteUrl;
  const host = req.headers.host ?? '';
  return THIS_MACHINE.test(host) ? `http://${host.toLowerCase()}` : null;
}
