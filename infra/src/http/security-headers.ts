import type { RequestHandler } from 'express';
import helmet, { type HelmetOptions } from 'helmet';

/** What a browser may not offer to anything of ours. */
const PERMISSIONS = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'browsing-topics'].map((feature) => `${feature}=()`).join(', ');

export interface SecurityPolicy {
  /** Of the `Content-Security-Policy`: directive → sources. */
  readonly directives: Readonly<Record<string, Iterable<string>>>;
  readonly referrerPolicy: 'no-referrer' | 'same-origin';
}

/** Answers that are data: nothing in them may run, load, or be framed. */
const DATA: SecurityPolicy = { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] }, referrerPolicy: 'no-referrer' };

/** The headers every answer has, with the policy of what is answered: data unless told. `Strict-Transport-Security` counts where TLS ends before us, and nowhere else. */
export function securityHeaders({ directives, referrerPolicy }: SecurityPolicy = DATA): RequestHandler {
  const options: HelmetOptions = {
    contentSecurityPolicy: { useDefaults: false, directives },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    frameguard: { action: 'deny' },
    // Subdomains are the operator's.
    strictTransportSecurity: { includeSubDomains: false },
    referrerPolicy: { policy: referrerPolicy },
  };
  const protect = helmet(options);
  return (req, res, next) => {
    res.setHeader('Permissions-Policy', PERMISSIONS);
    protect(req, res, next);
  };
}
