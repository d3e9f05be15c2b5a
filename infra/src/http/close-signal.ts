import { setMaxListeners } from 'node:events';
import type { Response } from 'express';

/** Returns a signal that aborts when the response is sent or the client has disconnected. */
export function createCloseSignal(res: Response): AbortSignal {
  const controller = new AbortController();
  // A request may wait for any number of read models, and each wait adds a listener to the signal. Node's warning about
  // many listeners is therefore disabled.
  setMaxListeners(0, controller.signal);
  res.once('close', () => controller.abort());
  return controller.signal;
}
