import { comparePositions, LIVE_CLOSE_CODES, type Position } from '@alpenglow/domain';
import type { Dependencies } from '../dependencies.ts';
import { closeToReload, closeToResume, type LiveClient } from './client.ts';
import type { LogChecks } from './log-checks.ts';
import type { Sender } from './sender.ts';
import type { LiveSessions } from './sessions.ts';
import type { Subscriptions } from './subscriptions.ts';

/** The parameters with which a client connects. */
export interface ConnectionParameters {
  readonly token: string | null;
  readonly ticket: string | null;
  /** The encrypted positions at which the client resumes. Null for a client that receives only new messages. */
  readonly since: string | null;
  /** True if the client subscribes to topics. It has none at first. Other clients receive all messages. */
  readonly usesTopics: boolean;
}

interface AdmissionDependencies extends Dependencies<'authentication' | 'positionTokens'> {
  readonly sessions: Pick<LiveSessions, 'add'>;
  readonly logChecks: Pick<LogChecks, 'findState'>;
  readonly sender: Pick<Sender, 'recordKnown'>;
  readonly subscriptions: Pick<Subscriptions, 'begin'>;
}

/**
 * Creates the function that validates a new client and starts sending messages to it. A client without `since` starts
 * at `positionAtOpen`, the position at which its connection was opened. The client therefore also receives messages
 * that are published while its token or ticket is checked.
 */
export function createAdmission(deps: AdmissionDependencies) {
  const { authentication, positionTokens, sessions, logChecks, sender, subscriptions } = deps;

  /** Returns false after the token or ticket of a client was rejected. Visitors need none. */
  async function authenticate(client: LiveClient, { token, ticket }: ConnectionParameters): Promise<boolean> {
    if (token === null && ticket === null) return true;
    const { socket } = client;
    const principal = await (ticket === null
      ? authentication.findByToken(token ?? '')
      : authentication.findByLiveTicket(ticket));
    if (!principal) {
      socket.close(LIVE_CLOSE_CODES.invalidToken, 'Authentication required');
      return false;
    }
    const isStaff = principal.user.isModerator || principal.isRoleWithheld;
    if (socket.readyState === socket.OPEN) sessions.add(client, { sessionId: principal.sessionId, isStaff });
    client.accountId = principal.user.id;
    return true;
  }

  return async (client: LiveClient, parameters: ConnectionParameters, positionAtOpen: Position): Promise<void> => {
    const { socket } = client;
    const { since, usesTopics } = parameters;
    if (!(await authenticate(client, parameters))) return;
    const marks = since === null ? [{ position: positionAtOpen, id: null }] : positionTokens.openMarks(since);
    const state = await logChecks.findState(marks);
    // The client may have disconnected while the log was checked.
    if (socket.readyState !== socket.OPEN) return;
    if (state === 'busy') {
      closeToResume(socket);
      return;
    }
    // A page with several embedded responses sends the positions of all of them.
    const sincePosition = marks.map(({ position }) => position).toSorted(comparePositions)[0];
    if (sincePosition === undefined || state === 'lost') {
      closeToReload(socket);
      return;
    }
    client.since = sincePosition;
    sender.recordKnown(client, sincePosition);
    await subscriptions.begin(client, usesTopics, positionAtOpen);
  };
}
