import type { IncomingMessage } from 'node:http';

export interface ProgressLimits {
  /** The interval of the checks in ms. */
  readonly check_ms: number;
  /** The time in ms after which an upload ends if no byte has arrived. */
  readonly idle_ms: number;
  /** The length in ms of the periods over which the rate is averaged. */
  readonly period_ms: number;
  /** The minimum rate in bytes per second. */
  readonly minRate: number;
}

/**
 * A slow phone network has more than twice this rate. A train may need half a minute for a tunnel, and a busy machine
 * may serve one of many parallel uploads late.
 */
export const PROGRESS_LIMITS: ProgressLimits = { check_ms: 1_000, idle_ms: 30_000, period_ms: 30_000, minRate: 4_000 };

/**
 * Calls `onTooSlow` once if the body of a request stops to arrive, or arrives too slowly. Time in which this process
 * itself does not read, for example because the blob store is slow, does not count. Returns a function that ends the
 * checks.
 */
export function requireProgress(
  req: IncomingMessage,
  { check_ms, idle_ms, period_ms, minRate }: ProgressLimits,
  onTooSlow: () => void,
): () => void {
  const { socket } = req;
  let received = socket.bytesRead;
  let idleFor_ms = 0;
  let period = { start: received, length_ms: 0 };
  const timer = setInterval(() => {
    if (req.readableFlowing === false || req.complete) return;
    idleFor_ms = socket.bytesRead === received ? idleFor_ms + check_ms : 0;
    received = socket.bytesRead;
    period.length_ms += check_ms;
    let isTooSlow = idleFor_ms >= idle_ms;
    if (period.length_ms >= period_ms) {
      isTooSlow ||= received - period.start < (minRate * period.length_ms) / 1000;
      period = { start: received, length_ms: 0 };
    }
    if (!isTooSlow) return;
    clearInterval(timer);
    onTooSlow();
  }, check_ms).unref();
  return () => clearInterval(timer);
}
