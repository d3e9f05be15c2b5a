import { setMaxListeners } from 'node:events';
import type { Response } from 'express';

/** The functions to run when a response is closed. A property that is added to a response would slow it down. */
const listenersOf = new WeakMap<object, (() => void)[]>();
const signals = new WeakMap<object, AbortSignal>();

/**
 * Calls `listener` when the response is sent or the client has disconnected. Each response has only one listener of
 * Node, which calls all of these functions: Node warns about more than ten.
 */
export function onClose(res: Pick<Response, 'once'>, listener: () => void): void {
  const known = listenersOf.get(res);
  if (known) {
    known.push(listener);
    return;
  }
  const listeners = [listener];
  listenersOf.set(res, listeners);
  res.once('close', () => {
    for (const each of listeners) each();
  });
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
