/** Functions that run when the headers of a response are written. A property of the response would make it slow. */
const listeners = new WeakMap<object, () => void>();

/** Calls `listener` when the headers of the response are written. A response has at most one listener. */
export function onResponseStart(res: object, listener: () => void): void {
  listeners.set(res, listener);
}

/** Reports that the headers of a response are written. */
export function reportResponseStart(res: object): void {
  listeners.get(res)?.();
}
