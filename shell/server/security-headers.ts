import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Everything comes from this origin, and nothing in a page's text may run: no `unsafe-inline`, no `unsafe-eval`. */
export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        fontSrc: ["'self'"],
        // `data:` for blur placeholders, `blob:` for pictures chosen and not yet uploaded.
        imgSrc: ["'self'", 'data:', 'blob:'],
        mediaSrc: ["'self'", 'blob:'],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        objectSrc: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // Subdomains are the operator's.
    strictTransportSecurity: { includeSubDomains: false },
    referrerPolicy: { policy: 'same-origin' },
  });
}
