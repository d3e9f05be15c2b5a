/**
 * Returns a signal that aborts after a time with a `TimeoutError`, or together with another signal. Not every supported
 * browser has `AbortSignal.timeout` and `AbortSignal.any`.
 */
export function createTimeLimit(limit_ms: number, signal?: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    clearTimeout(timer);
    controller.abort(signal?.reason);
  };
  const timer = setTimeout(() => {
    signal?.removeEventListener('abort', abort);
    controller.abort(new DOMException('The request took too long', 'TimeoutError'));
  }, limit_ms);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  return controller.signal;
}
