/** What the server answers when it takes no jobs now: it starts, is full, cannot write, or is not (or no longer) the one to write to. */
const PASSING_REPLIES =
  /(?:^|-)(?:LOADING|READONLY|OOM|MISCONF|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|TRYAGAIN|BUSY)\b|max number of clients/u;
/** What the server answers when it does not let us in. */
const REFUSALS = /^(?:NOAUTH|WRONGPASS|NOPERM)\b|^ERR invalid password/u;
/** The client's own words, which carry no code. */
const BROKEN_WORDS =
  /^(?:Connection is closed\.|Stream isn't writeable|Command timed out|Command aborted due to connection close|Socket timeout\.|Reached the max retries per request limit)/u;
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Whether Redis cannot be asked now or takes nothing now, rather than that it was asked something wrong. */
export function isRedisOutage(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isRedisOutage);
  if (!(error instanceof Error)) return false;
  if (isReply(error)) return PASSING_REPLIES.test(error.message);
  const { code } = error as NodeJS.ErrnoException;
  return (code !== undefined && CONNECTION_CODES.has(code)) || BROKEN_WORDS.test(error.message);
}

/** Whether the server knows us and wants nothing of us: a matter of configuration. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && isReply(error) && REFUSALS.test(error.message);
}

function isReply(error: Error): boolean {
  return error.name === 'ReplyError';
}
