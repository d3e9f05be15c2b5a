/**
 * Returns the reason of an outage in one line without a stack, e.g. `connect ECONNREFUSED 127.0.0.1:2113`. This is the
 * message of the innermost cause. Addresses in such messages contain no credentials.
 */
export function describeOutage(error: unknown): string {
  const innermost = findInnermost(error);
  const { message, code } = (innermost ?? {}) as { readonly message?: unknown; readonly code?: unknown };
  const [line = ''] = String(message || code || innermost).split('\n', 1);
  // gRPC puts the error of the socket at the end of its own message.
  return /Last error: (.+?)\.?$/u.exec(line)?.[1] ?? line.replace(/\.$/u, '');
}

/** Returns the innermost cause of an error. */
export function findInnermost(error: unknown): unknown {
  let innermost = error;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const { cause, errors } = (innermost ?? {}) as { readonly cause?: unknown; readonly errors?: readonly unknown[] };
    const inner = errors?.[0] ?? cause;
    if (inner === undefined || inner === null) break;
    innermost = inner;
  }
  return innermost;
}

const MAX_DEPTH = 5;
