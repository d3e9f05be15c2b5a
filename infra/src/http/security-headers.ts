import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet, { type HelmetOptions } from 'helmet';

/** The value of the `Permissions-Policy` header. It disables these browser features for every response. */
const PERMISSIONS = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'browsing-topics']
  .map((feature) => `${feature}=()`)
  .join(', ');

export interface SecurityPolicy {
  /** The allowed sources for each directive of the header `Content-Security-Policy`. */
  readonly directives: Readonly<Record<string, Iterable<string>>>;
  readonly referrerPolicy: 'no-referrer' | 'same-origin';
  /**
   * True if browsers may display the response as a page. Only pages get the security headers that control windows and
   * old browsers.
   */
  readonly isPage: boolean;
}

/**
 * The policy of responses with data, e.g. JSON. Browsers must not run scripts in such a response, load files for it or
 * show it in a frame.
 */
const DATA: SecurityPolicy = {
  directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
  referrerPolicy: 'no-referrer',
  isPage: false,
};

/**
 * Creates a handler that sets the security headers of every response. The default policy is for responses with data.
 * Browsers use `Strict-Transport-Security` only if a proxy in front of the process terminates TLS.
 */
export function setSecurityHeaders(policy: SecurityPolicy = DATA): RequestHandler {
  const headers = computeHeaders(policy);
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}

function computeHeaders({
  directives,
  referrerPolicy,
  isPage,
}: SecurityPolicy): readonly (readonly [name: string, value: string])[] {
  const options: HelmetOptions = {
    contentSecurityPolicy: { useDefaults: false, directives },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    frameguard: { action: 'deny' },
    // Subdomains may be other sites of the operator, so the header does not apply to them.
    strictTransportSecurity: { includeSubDomains: false },
    referrerPolicy: { policy: referrerPolicy },
    ...(!isPage && {
      crossOriginOpenerPolicy: false,
      originAgentCluster: false,
      dnsPrefetchControl: false,
      ieNoOpen: false,
      permittedCrossDomainPolicies: false,
      xssFilter: false,
    }),
  };
  return [...recordHelmetHeaders(options), ['Permissions-Policy', PERMISSIONS] as const];
}

/**
 * Returns the headers that the library helmet sets with these options. They are computed only once, because they are
 * the same for every response.
 */
function recordHelmetHeaders(options: HelmetOptions): readonly (readonly [name: string, value: string])[] {
  const recorded: (readonly [string, string])[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => recorded.push([name, value]),
    removeHeader: () => undefined,
  };
  helmet(options)({} as IncomingMessage, recorder as unknown as ServerResponse, (error) => {
    if (error instanceof Error) throw error;
  });
  return recorded;
}

/** The names of all headers that `setSecurityHeaders` may set, in lower case. */
export const SECURITY_HEADERS: ReadonlySet<string> = new Set(
  computeHeaders({ ...DATA, isPage: true }).map(([name]) => name.toLowerCase()),
);
