import type { Response } from 'express';

/**
 * Does `work` with an answer that is complete but not sent yet, and sends it then, whatever becomes of the work: it must see to its own
 * errors. An answer that was streamed is handed over as null.
 */
export function beforeAnswering(res: Response, work: (body: Buffer | null) => Promise<unknown>): void {
  const end = res.end.bind(res) as (...args: unknown[]) => Response;
  const held = (...args: unknown[]): Response => {
    res.end = end as Response['end'];
    const send = () => end(...args);
    work(res.headersSent ? null : bufferOf(args)).then(send, send);
    return res;
  };
  res.end = held as Response['end'];
}

/** What `end(chunk?, encoding?, callback?)` is called with. */
function bufferOf([chunk, encoding]: readonly unknown[]): Buffer {
  if (typeof chunk === 'string')
    return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.alloc(0);
}
