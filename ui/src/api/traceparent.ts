/** Returns random bytes as hex digits. `crypto.randomUUID` would need a secure origin. */
export const createRandomHex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Creates the value of the header `traceparent` (W3C Trace Context) for one request. The server uses its trace id as
 * the id of the request, its commands and its events (decision 0127). Each request has its own random ids, so they say
 * nothing about the visitor. The last flag is 0, because the server decides which traces are recorded.
 */
export const createTraceparent = (): string => `00-${createRandomHex(16)}-${createRandomHex(8)}-00`;
