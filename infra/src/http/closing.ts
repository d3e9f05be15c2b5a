import { setMaxListeners } from 'node:events';
import type { Response } from 'express';

/** Aborts once the answer is sent or the client has gone away: whoever works for this request alone may stop. */
export function closingOf(res: Response): AbortSignal {
  const controller = new AbortController();
  // One request may wait for any number of read models.
  setMaxListeners(0, controller.signal);
  res.once('close', () => controller.abort());
  return controller.signal;
}
