import { DomainError, ERRORS, type Position } from '@alpenglow/domain';
import type { RequestHandler, Response } from 'express';
import type { ReadModelProgress } from '../service/read-model-progress.ts';
import { withoutCost } from './admission.ts';
import { getCloseSignal } from './close-signal.ts';
import { findSessionWrite, getHeadReader } from './own-writes.ts';
import { getWaitPosition } from './position-headers.ts';

/** A handler that delays a read request until its read models contain the writes of the caller. */
export interface ReadWait extends RequestHandler {
  /**
   * Waits until the read models contain all events that are in the log now. Ends after `WAIT_UNKNOWN_ID_MS` at the
   * latest.
   */
  waitForHead(res: Response): Promise<void>;
}

/**
 * Creates a handler that delays a read request until the read models `projections` contain all events up to the
 * position in the `X-Wait-Position` header, and up to the last write of the session. Clients can then read the result
 * of their own writes. The wait ends after `WAIT_POSITION_MS` at the latest.
 */
export function waitForPosition(
  progress: Pick<ReadModelProgress, 'waitFor' | 'hasReached' | 'waitForHead'>,
  projections: readonly string[],
): ReadWait {
  const waitFor = async (names: readonly string[], position: Position, signal: AbortSignal): Promise<void> => {
    await Promise.all(names.map((name) => progress.waitFor(name, position, signal)));
  };

  async function waitForWrites(res: Response, position: Position | null, hasSession: boolean): Promise<void> {
    const write = hasSession ? await findSessionWrite(res) : null;
    const late = write ? projections.filter((name) => !progress.hasReached(name, write)) : [];
    if (position === null && late.length === 0) return;
    const signal = getCloseSignal(res);
    const waits = Promise.all([
      position !== null && waitFor(projections, position, signal),
      write && waitFor(late, write.position, signal),
    ]);
    await withoutCost(res, waits);
  }

  const handle: RequestHandler = (req, res, next) => {
    const position = getWaitPosition(res);
    const hasSession = req.headers.authorization !== undefined;
    if (position === null && !hasSession) {
      next();
      return;
    }
    waitForWrites(res, position, hasSession).then(() => next(), next);
  };
  return Object.assign(handle, {
    async waitForHead(res: Response) {
      const readHead = getHeadReader(res);
      if (readHead) await withoutCost(res, progress.waitForHead(projections, readHead, getCloseSignal(res)));
    },
  });
}

/** Returns true for a handler that `waitForPosition` has created. */
export function isReadWait(handler: RequestHandler): handler is ReadWait {
  return 'waitForHead' in handler;
}

/**
 * Creates a handler that runs `handler` again if it has rejected with status 404. Before the second run, the read
 * models contain all events that were in the log at the time of the request. `handler` must not have sent
 * anything when it rejects.
 */
export function findAgain(handler: RequestHandler, wait: ReadWait): RequestHandler {
  return async (req, res, next) => {
    try {
      await handler(req, res, next);
    } catch (error) {
      if (!(error instanceof DomainError) || ERRORS[error.code].status !== 404) throw error;
      await wait.waitForHead(res);
      await handler(req, res, next);
    }
  };
}
