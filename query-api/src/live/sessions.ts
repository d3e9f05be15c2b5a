import { LIVE_CLOSE_CODES } from '@alpenglow/domain';
import type { Dependencies } from '../dependencies.ts';
import type { Disconnect, LiveClient } from './client.ts';

interface LiveSession {
  readonly sessionId: string;
  readonly isStaff: boolean;
}

interface LiveSessionsDependencies extends Dependencies<'authentication' | 'log'> {
  readonly disconnect: Disconnect;
}

export type LiveSessions = ReturnType<typeof createLiveSessions>;

/** The interval at which the sessions of the connected clients are checked. */
const SESSION_CHECK_ms = 5_000;

/**
 * Owns the sessions of the clients that are signed in, and their periodic check. A client whose session has ended is
 * disconnected. Only one check runs at a time.
 */
export function createLiveSessions({ authentication, log, disconnect }: LiveSessionsDependencies) {
  const sessions = new Map<LiveClient, LiveSession>();
  let sessionCheck: Promise<void> = Promise.resolve();
  let isCheckingSessions = false;
  const timer = setInterval(() => {
    if (isCheckingSessions) return;
    isCheckingSessions = true;
    sessionCheck = closeEndedSessions()
      .catch((error: unknown) => log.warn({ err: error }, 'sessions of live clients could not be checked'))
      .finally(() => (isCheckingSessions = false));
  }, SESSION_CHECK_ms);
  timer.unref();

  /** Closes the connections whose sessions have ended. A failed check is repeated after the interval. */
  async function closeEndedSessions(): Promise<void> {
    if (sessions.size === 0) return;
    const checked = [...sessions];
    const valid = await authentication.findValidSessionIds(checked.map(([, session]) => session));
    for (const [client, { sessionId }] of checked)
      if (!valid.has(sessionId)) disconnect(client, LIVE_CLOSE_CODES.invalidToken, 'Authentication required');
  }

  return {
    /** Adds the session of a connected client. */
    add: (client: LiveClient, session: LiveSession): void => void sessions.set(client, session),
    remove: (client: LiveClient): void => void sessions.delete(client),
    /** Ends the checks. Resolves after the running one. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await sessionCheck;
    },
  };
}
