/**
 * Resolves with the value of `promise`, or with `otherwise` if `promise` is still pending after `limit_ms`. Rejects if
 * `promise` rejects before that time.
 */
export function withTimeout<Value, Otherwise>(
  promise: Promise<Value>,
  limit_ms: number,
  otherwise: Otherwise,
): Promise<Value | Otherwise> {
  // A timer of `node:timers/promises` creates an error with a stack trace when it is cancelled, for each page.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(otherwise), limit_ms).unref();
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
