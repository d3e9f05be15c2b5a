import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';

/** Headers that are about one connection and go no further (RFC 9110, section 7.6.1). */
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

/** The headers that go on to the next one: without those about this connection, and those it names. */
export function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => value !== undefined && !dropped.has(name)),
  );
}

/**
 * Whom a request comes from, as far as we believe it: `trustedProxies` stand before us, and each has put down on the right of
 * `X-Forwarded-For` who asked it. What stands further left anybody may have written.
 */
export function clientAddressOf(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: number,
): string | undefined {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
  const nearestFirst = [socket.remoteAddress, ...forwarded.reverse()];
  return nearestFirst[Math.min(trustedProxies, nearestFirst.length - 1)];
}

/**
 * A request's headers as a service gets them, which trusts the gateway alone: with who asked whom, and how. What clients say of that
 * themselves goes no further.
 */
export function toService(req: IncomingMessage, trustedProxies: number): OutgoingHttpHeaders {
  const { headers } = req;
  // The gateway itself has told the client to go on sending.
  const { expect: _, forwarded: _standardised, ...others } = endToEnd(headers);
  const isBelieved = trustedProxies > 0;
  return {
    host: 'alpenglow',
    ...others,
    'x-forwarded-for': clientAddressOf(req, trustedProxies) ?? '',
    'x-forwarded-proto': (isBelieved && headers['x-forwarded-proto']) || 'http',
    ...(headers.host !== undefined && {
      'x-forwarded-host': (isBelieved && headers['x-forwarded-host']) || headers.host,
    }),
  };
}

/**
 * The path of a request target, as it is sent on; null where somebody after us might read it as another one: a full URL, a backslash, or a
 * segment that is a dot or two, however written.
 */
export function plainPathOf(target: string | undefined): string | null {
  const [path = ''] = (target ?? '').split('?', 1);
  const isPlain =
    path.startsWith('/') &&
    !path.includes('\\') &&
    !path.split('/').some((segment) => /^\.{1,2}$/u.test(segment.replaceAll(/%2e/giu, '.')));
  return isPlain && !/%(?:2f|5c)/iu.test(path) ? path : null;
}
