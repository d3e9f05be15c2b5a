import type { EventStore, Position } from '@alpenglow/domain';
import type { Request, RequestHandler, Response } from 'express';
import type { SessionWrite } from '../adapters/postgres/session-rows.ts';
import type { Sessions } from '../adapters/postgres/sessions.ts';
import type { PositionTokens } from '../security/position-tokens.ts';
import type { Logger } from '../service/logger.ts';
import type { Authentication } from './authentication.ts';
import { beforeResponse } from './before-response.ts';

export interface OwnWriteDependencies {
  readonly positionTokens: PositionTokens;
  readonly authentication: Authentication;
  readonly sessions: Pick<Sessions, 'recordWrite'>;
  readonly store: Pick<EventStore, 'readHead'>;
  readonly log: Logger;
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Creates a handler that stores the position of a write in the session of its request, so that the following reads of
 * the session wait for it in every process. It also gives the routes access to the last write of the session,
 * and to the end of the event log. Must run after `providePositions` and before the routes.
 */
export function provideOwnWrites({
  positionTokens,
  authentication,
  sessions,
  store,
  log,
}: OwnWriteDependencies): RequestHandler {
  async function recordWrite(req: Request, res: Response): Promise<void> {
    const header = res.getHeader('X-Position');
    const position = typeof header === 'string' ? positionTokens.openAll(header)[0] : undefined;
    if (position === undefined) return;
    const session = await authentication.findSession(req);
    if (session) await sessions.recordWrite(session.sessionId, position);
  }

  return (req, res, next) => {
    res.locals['readHead'] = () => store.readHead();
    if (req.headers.authorization !== undefined) {
      res.locals['findSession'] = () => authentication.findSession(req);
      if (!READS.has(req.method))
        beforeResponse(res, () =>
          // The operation has already had its effect, so the response is sent even if this step fails.
          recordWrite(req, res).catch((err: unknown) => log.warn({ err }, 'the write of a session was not recorded')),
        );
    }
    next();
  };
}

/**
 * Returns the last write of the session of a request, or null if there is none. Also returns null if the session cannot
 * be read, because a public read does not need it.
 */
export async function findSessionWrite(res: Response): Promise<SessionWrite | null> {
  const findSession = res.locals['findSession'] as (() => ReturnType<Authentication['findSession']>) | undefined;
  const session = await findSession?.().catch(() => null);
  return session?.lastWrite ?? null;
}

/**
 * Creates a handler that gives routes outside the API access to the end of the event log, so that `findAgain` can wait
 * for it.
 */
export function provideHead({ store }: Pick<OwnWriteDependencies, 'store'>): RequestHandler {
  return (_req, res, next) => {
    res.locals['readHead'] = () => store.readHead();
    next();
  };
}

/** Returns a function that returns the position of the last event in the event log. */
export function getHeadReader(res: Response): (() => Promise<Position>) | null {
  return (res.locals['readHead'] as EventStore['readHead'] | undefined) ?? null;
}
