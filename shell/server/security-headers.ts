import { setSecurityHeaders } from '@alpenglow/infra';
import type { RequestHandler } from 'express';
import { SCRIPT_SOURCES } from './inline/inline-scripts.ts';

/** The path to which browsers send reports about violations of the content security policy. */
export const CSP_REPORTS = '/csp-reports';
const ENDPOINT = 'csp';

/**
 * Creates a handler that sets the security headers of pages and their files. All content must come from this origin.
 * Inline style sheets and unlisted inline scripts are forbidden.
 * @param developers the origins of development servers from which this page loads remotes, by default none
 */
export function pageHeaders(developers: readonly string[] = []): RequestHandler {
  const sockets = developers.map((origin) => origin.replace(/^http/u, 'ws'));
  const setHeaders = setSecurityHeaders({
    directives: {
      defaultSrc: ["'self'"],
      scriptSrc: ["'self'", ...SCRIPT_SOURCES, ...developers],
      styleSrc: ["'self'", ...developers],
      // Server-rendered HTML contains `style` attributes, for example with the proportions of a picture. They cannot
      // run scripts or load anything from other sites.
      styleSrcAttr: ["'unsafe-inline'"],
      fontSrc: ["'self'", ...developers],
      // `data:` allows the blurred previews of photos, and `blob:` allows selected pictures that are not uploaded yet.
      imgSrc: ["'self'", 'data:', 'blob:', ...developers],
      // Workers do not support `integrity`. A remote therefore verifies the worker file and starts the worker from a
      // `blob:` URL.
      workerSrc: ["'self'", 'blob:'],
      mediaSrc: ["'self'", 'blob:'],
      connectSrc: ["'self'", ...developers, ...sockets],
      manifestSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      objectSrc: ["'none'"],
      frameAncestors: ["'none'"],
      // A text becomes HTML or the URL of a script only through one of these policies (decision 0065). Each front end
      // contains its own copy of the policies, hence `'allow-duplicates'`.
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: [
        'alpenglow-bundler',
        'alpenglow-html',
        'alpenglow-remotes',
        'alpenglow-worker',
        "'allow-duplicates'",
      ],
      // Browsers support one of the two ways to send reports.
      reportTo: [ENDPOINT],
      reportUri: [CSP_REPORTS],
    },
    referrerPolicy: 'same-origin',
    isPage: true,
  });
  return (req, res, next) => {
    res.setHeader('Reporting-Endpoints', `${ENDPOINT}="${CSP_REPORTS}"`);
    setHeaders(req, res, next);
  };
}
