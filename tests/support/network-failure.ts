/** Error codes of a connection that cannot be opened or that breaks before the response is complete. */
const CONNECTION_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Checks whether `fetch` or the read of a body failed because the connection failed. Returns false if a time limit
 * ended or the response was unreadable.
 */
export function isNetworkFailure(error: unknown): boolean {
  if (!(error instanceof TypeError)) return false;
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code === 'string' && CONNECTION_CODES.has(code);
}
