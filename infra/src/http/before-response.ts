import type { Response } from 'express';

/**
 * Delays a response until `work` has run. `work` starts when the response is complete. It receives the response body,
 * or null if parts of the response were already sent. The response is sent even if `work` fails, so `work` must handle
 * its own errors.
 */
export function beforeResponse(res: Response, work: (body: Buffer | null) => Promise<unknown>): void {
  const end = res.end.bind(res) as (...args: unknown[]) => Response;
  const delayedEnd = (...args: unknown[]): Response => {
    res.end = end as Response['end'];
    const send = () => end(...args);
    work(res.headersSent ? null : toBuffer(args)).then(send, send);
    return res;
  };
  res.end = delayedEnd as Response['end'];
}

/** Returns the response body from the arguments of `end(chunk?, encoding?, callback?)`. */
function toBuffer([chunk, encoding]: readonly unknown[]): Buffer {
  if (typeof chunk === 'string')
    return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.alloc(0);
}
