import type { Request } from 'express';

const THIS_MACHINE = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/iu;

/**
 * The origin that absolute addresses begin with: the configured one; else, on the machine itself, the one that was asked. Null where neither
 * is known: what a `Host` header says beside that anybody may have written.
 */
export function originOf(req: Request, siteUrl: string | null): string | null {
  if (siteUrl !== null) return siteUrl;
  const host = req.headers.host ?? '';
  return THIS_MACHINE.test(host) ? `http://${host.toLowerCase()}` : null;
}
