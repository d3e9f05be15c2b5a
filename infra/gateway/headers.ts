import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';

/** Headers that are about one connection and go no further (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** The headers that go on to the next one: without those about this connection, and those it names. */
export function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== undefined && !dropped.has(name)));
}

/** A request's headers as a service gets them: with who asked whom, which whoever terminates TLS before the gateway has begun. */
export function toService({ headers, socket }: IncomingMessage): OutgoingHttpHeaders {
  // The gateway itself has told the client to go on sending.
  const { expect: _, ...others } = endToEnd(headers);
  return {
    host: 'alpenglow',
    ...others,
    'x-forwarded-for': [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', '),
    'x-forwarded-proto': headers['x-forwarded-proto'] ?? 'http',
    ...(headers.host !== undefined && { 'x-forwarded-host': headers['x-forwarded-host'] ?? headers.host }),
  };
}

/**
 * The path of a request target, as it is sent on; null where somebody after us might read it as another one: a full URL, a backslash, or a
 * segment that is a dot or two, however written.
 */
export function plainPathOf(target: string | undefined): string | null {
  const [path = ''] = (target ?? '').split('?', 1);
  const isPlain = path.startsWith('/') && !path.includes('\\') && !path.split('/').some((segment) => /^\.{1,2}$/u.test(segment.replaceAll(/%2e/giu, '.')));
  return isPlain && !/%(?:2f|5c)/iu.test(path) ? path : null;
}
