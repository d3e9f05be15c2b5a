/** What the system and Node's client say of a connection that cannot be made, or ended before the answer did. */
const CONNECTION_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether `fetch`, or reading its body, failed because whoever should have answered is gone. A time limit or an unreadable answer is no such thing. */
export function isNetworkFailure(error: unknown): boolean {
  if (!(error instanceof TypeError)) return false;
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code === 'string' && CONNECTION_CODES.has(code);
}
