import { setSecurityHeaders } from '@alpenglow/infra';
import type { RequestHandler } from 'express';

/**
 * Creates a handler that sets the security headers of pages and their files. All content must come from this origin.
 * Inline scripts and styles are forbidden.
 */
export function pageHeaders(): RequestHandler {
  return setSecurityHeaders({
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      fontSrc: ["'self'"],
      // `data:` allows the blurred previews of photos, and `blob:` allows selected pictures that are not uploaded yet.
      imgSrc: ["'self'", 'data:', 'blob:'],
      // Workers do not support `integrity`. A remote therefore verifies the worker file and starts the worker from a
      // `blob:` URL.
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
