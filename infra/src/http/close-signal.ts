import { setMaxListeners } from 'node:events';
import type { Response } from 'express';

const signals = new WeakMap<object, AbortSignal>();

/**
 * Calls `listener` when the response is sent or the client has disconnected. Node's warning about more than ten
 * listeners is disabled for the response.
 *
 * The listeners are stored on the response, and not in a `WeakMap`, because they usually reference the response.
 * Garbage collections of young objects do not free a response that a value of a `WeakMap` references.
 */
export function onClose(res: Pick<Response, 'on' | 'setMaxListeners'>, listener: () => void): void {
  res.setMaxListeners(0);
  res.on('close', listener);
}

/** Returns the signal that aborts when the response is sent or the client has disconnected. A response has only one. */
export function getCloseSignal(res: Response): AbortSignal {
  const known = signals.get(res);
  if (known) return known;
  const controller = new AbortController();
  // A request may wait for any number of read models, and each wait adds a listener to the signal. Node's warning about
  // many listeners is therefore disabled.
  setMaxListeners(0, controller.signal);
  if (res.closed) controller.abort();
  else onClose(res, () => controller.abort());
  signals.set(res, controller.signal);
  return controller.signal;
}
