import type { Request, RequestHandler, Response } from 'express';
import type { FairQueue, Turn } from './fair-queue.ts';
import { getCloseSignal, onClose } from './close-signal.ts';
import { onResponseStart } from './response-start.ts';
import { findOperation } from './request-operation.ts';

/** The current turn of a request, and a function that waits for the next one. */
interface Admission {
  turn: Turn;
  readonly enter: () => Promise<Turn>;
  /** Ends the current turn. */
  readonly end: () => void;
}

/** No admission references its response. Otherwise, garbage collections of young objects would keep the response. */
const admissions = new WeakMap<object, Admission>();

/**
 * Creates a handler that lets requests run in the order of a fair queue. The turn of a request ends when its response
 * starts, or when a handler calls `endTurn`.
 *
 * @param internalPath the beginning of the paths that only other services of the product request, or null. These
 *   requests do not wait, because they all come from the same addresses, and the other service has admitted them
 */
export function admitFairly(queue: FairQueue, internalPath: string | null): RequestHandler {
  return (req, res, next) => {
    if (internalPath !== null && req.url.startsWith(internalPath)) {
      next();
      return;
    }
    const enter = createEnter(queue, req.ip, getCloseSignal(res));
    enter().then(
      (turn) => {
        const admission = createAdmission(turn, enter);
        const { end } = admission;
        admissions.set(res, admission);
        onResponseStart(res, end);
        onClose(res, end);
        if (res.destroyed) end();
        else next();
      },
      (error: unknown) => {
        // The client has closed the connection while its request was waiting.
        if (res.destroyed) return;
        // The body of an upload is not read, so the connection cannot be used again.
        if (isUpload(req)) res.setHeader('Connection', 'close');
        next(error);
      },
    );
  };
}

// These functions are outside of the handler, because functions inside of it reference the request and the response.

function createEnter(queue: FairQueue, address: string | undefined, signal: AbortSignal): () => Promise<Turn> {
  return () => queue.enter(address, signal);
}

function createAdmission(turn: Turn, enter: Admission['enter']): Admission {
  const admission = { turn, enter, end: () => admission.turn.end() };
  return admission;
}

function isUpload(req: Request): boolean {
  const kind = findOperation(req)?.operation.body?.kind;
  return kind === 'files' || kind === 'bytes';
}

/**
 * Ends the turn of an upload before its body is received, because a slow client may need minutes for it. Other limits
 * control the rest of the request: each network has few slots for uploads. It must be called only after the
 * caller and the limits of the request are checked, so that a flood of requests cannot avoid the queue.
 */
export function endTurn(res: Response): void {
  admissions.get(res)?.turn.end();
}

/**
 * Awaits `wait`, which needs no processor time, without counting its duration as cost of the request. The request
 * occupies no slot meanwhile, and then waits for its next turn like any other request. Otherwise, everything after a
 * wait would run without a limit, and clients can cause waits. Rejects with `BusyError` like `FairQueue`.
 */
export async function withoutCost<T>(res: Response, wait: Promise<T>): Promise<T> {
  const admission = admissions.get(res);
  admission?.turn.end();
  const result = await wait;
  if (admission) {
    admission.turn = await admission.enter();
    if (res.destroyed) admission.turn.end();
  }
  return result;
}
