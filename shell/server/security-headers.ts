import { securityHeaders } from '@alpenglow/infra';
import type { RequestHandler } from 'express';

/** The headers of pages and their files. Everything comes from this origin, and nothing in a page's text may run: no `unsafe-inline`, no `unsafe-eval`. */
export function pageHeaders(): RequestHandler {
  return securityHeaders({
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      fontSrc: ["'self'"],
      // `data:` for blur placeholders, `blob:` for pictures chosen and not yet uploaded.
      imgSrc: ["'self'", 'data:', 'blob:'],
      // A remote's worker is started from bytes that were fetched with the registry's integrity, which a worker itself does not take.
      workerSrc: ["'self'", 'blob:'],
      mediaSrc: ["'self'", 'blob:'],
      connectSrc: ["'self'"],
      manifestSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      objectSrc: ["'none'"],
      frameAncestors: ["'none'"],
    },
    referrerPolicy: 'same-origin',
    isPage: true,
  });
}
