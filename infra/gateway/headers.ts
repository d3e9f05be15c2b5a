import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { findClientAddress } from '../src/http/client-address.ts';

/** Headers that apply only to a single connection, so a proxy does not forward them (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Returns the headers that the gateway forwards. Removes headers that apply only to a single connection, and headers
 * that are listed in the `connection` header.
 */
export function endToEndHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const connectionHeaders = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...HOP_BY_HOP, ...connectionHeaders]);
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => value !== undefined && !dropped.has(name)),
  );
}

/**
 * Returns the headers of a request that the gateway forwards to a service. The gateway sets the `X-Forwarded-*` headers
 * itself, because services trust these headers. Values that come from an untrusted client are dropped.
 */
export function createServiceHeaders(req: IncomingMessage, trustedProxies: number): OutgoingHttpHeaders {
  const { headers } = req;
  // `expect` is not forwarded, because the gateway has already responded to `Expect: 100-continue`.
  const { expect: _, forwarded: _standardised, ...others } = endToEndHeaders(headers);
  const isTrusted = trustedProxies > 0;
  return {
    host: 'alpenglow',
    ...others,
    'x-forwarded-for': findClientAddress(req, trustedProxies) ?? '',
    'x-forwarded-proto': (isTrusted && headers['x-forwarded-proto']) || 'http',
    ...(headers.host !== undefined && {
      'x-forwarded-host': (isTrusted && headers['x-forwarded-host']) || headers.host,
    }),
  };
}

/**
 * Returns the path of a request URL without the query. Returns null if another server could interpret the path
 * differently. Examples are a full URL, a backslash, an encoded slash, and a segment that consists of one or two dots.
 */
export function parsePlainPath(target: string | undefined): string | null {
  const [path = ''] = (target ?? '').split('?', 1);
  const isPlain =
    path.startsWith('/') &&
    !path.includes('\\') &&
    !path.split('/').some((segment) => /^\.{1,2}$/u.test(segment.replaceAll(/%2e/giu, '.')));
  return isPlain && !/%(?:2f|5c)/iu.test(path) ? path : null;
}
