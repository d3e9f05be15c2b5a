import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet, { type HelmetOptions } from 'helmet';

/** What a browser may not offer to anything of ours. */
const PERMISSIONS = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'browsing-topics']
  .map((feature) => `${feature}=()`)
  .join(', ');

export interface SecurityPolicy {
  /** Of the `Content-Security-Policy`: directive → sources. */
  readonly directives: Readonly<Record<string, Iterable<string>>>;
  readonly referrerPolicy: 'no-referrer' | 'same-origin';
  /** Whether a browser may show it by itself: only then do the headers matter that are about windows, tabs and old browsers. */
  readonly isPage: boolean;
}

/** Answers that are data: nothing in them may run, load, or be framed. */
const DATA: SecurityPolicy = {
  directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
  referrerPolicy: 'no-referrer',
  isPage: false,
};

/** The headers every answer has, with the policy of what is answered: data unless told. `Strict-Transport-Security` counts where TLS ends before us, and nowhere else. */
export function securityHeaders(policy: SecurityPolicy = DATA): RequestHandler {
  const headers = headersUnder(policy);
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}

function headersUnder({
  directives,
  referrerPolicy,
  isPage,
}: SecurityPolicy): readonly (readonly [name: string, value: string])[] {
  const options: HelmetOptions = {
    contentSecurityPolicy: { useDefaults: false, directives },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    frameguard: { action: 'deny' },
    // Subdomains are the operator's.
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
  return [...headersOf(options), ['Permissions-Policy', PERMISSIONS] as const];
}

/** The headers helmet sets under these options: they are the same for every answer, so that they are worked out once. */
function headersOf(options: HelmetOptions): readonly (readonly [name: string, value: string])[] {
  const set: (readonly [string, string])[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => set.push([name, value]),
    removeHeader: () => undefined,
  };
  helmet(options)({} as IncomingMessage, recorder as unknown as ServerResponse, (error) => {
    if (error instanceof Error) throw error;
  });
  return set;
}

/** The names of all headers that `securityHeaders` may set, in lower case. */
export const SECURITY_HEADERS: ReadonlySet<string> = new Set(
  headersUnder({ ...DATA, isPage: true }).map(([name]) => name.toLowerCase()),
);
