import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { LIVE_CLOSE_CODES, type Position } from '@alpenglow/domain';
import { findClientAddress, rejectUpgrade } from '@alpenglow/infra';
import type { WebSocket } from 'ws';
import type { Dependencies } from '../dependencies.ts';
import { createAdmission, type ConnectionParameters } from './admission.ts';
import { createReceiver } from './client-messages.ts';
import { closeAfterError, type LiveClient } from './client.ts';
import { createConnections } from './connections.ts';
import { createConnectionLimit, createWaitingHandshakes, MAX_CLIENTS } from './handshake-limits.ts';
import type { LiveSubjects } from './live-subjects.ts';
import { createLogChecks } from './log-checks.ts';
import { createPageReads } from './page-reads.ts';
import { createPublishedMessages } from './published-messages.ts';
import { publishFeed } from './publisher.ts';
import { createRecipients } from './recipients.ts';
import { createReplay } from './replay.ts';
import { createSender } from './sender.ts';
import { createLiveSessions } from './sessions.ts';
import { createSubscriptions } from './subscriptions.ts';

/** The dependencies of the live channel. Messages that are not in memory are read from the event store. */
interface LiveDependencies
  extends Dependencies<'feed' | 'store' | 'progress' | 'authentication' | 'positionTokens' | 'log'> {
  /** Finds out which topics a message concerns. */
  readonly subjects: LiveSubjects;
  /** The maximum time that a WebSocket handshake waits until the feed of messages has started. */
  readonly feedTimeout_ms?: number;
  /** The interval of the heartbeat. Default: 30 s. */
  readonly heartbeat_ms?: number;
  /** Number of proxies in front of this process that set `X-Forwarded-For`. */
  readonly trustedProxies: number;
  /** True if the number of connections of one network address is limited. */
  readonly rateLimits: boolean;
}

export type LiveChannel = ReturnType<typeof createLiveChannel>;

const PATH = '/api/live';
const HEARTBEAT_ms = 30_000;
const WAIT_FOR_FEED_ms = 5_000;

/**
 * Creates the live channel, a WebSocket that sends one JSON message per change. A client receives all
 * messages, or those of the topics to which it subscribes (decision 0078). A message is sent only after the read models
 * contain the change. A client that then reloads a list therefore receives the new state. With the encrypted position
 * `since`, a client resumes without a gap, even on another process. If the event log has lost the event at this
 * position, the client must load its data again (decision 0070). Visitors need no token, because all messages are
 * public (decision 0006).
 *
 * This function only connects the modules of this folder. Each of them owns its part of the state.
 */
export function createLiveChannel(deps: LiveDependencies) {
  const { log, feedTimeout_ms = WAIT_FOR_FEED_ms, heartbeat_ms = HEARTBEAT_ms, trustedProxies, rateLimits } = deps;
  const stopped = new AbortController();
  const { signal } = stopped;
  // Each waiting read and each wait for a read model listens to this signal. Their number is limited, so a warning of
  // Node would be wrong.
  setMaxListeners(0, signal);
  const published = createPublishedMessages(deps);
  const sender = createSender(disconnect);
  const recipients = createRecipients({ published, sender });
  const sessions = createLiveSessions({ ...deps, disconnect });
  const pageReads = createPageReads({ ...deps, signal });
  const logChecks = createLogChecks({ ...deps, published, signal });
  const replay = createReplay({ published, recipients, pageReads, logChecks, disconnect });
  const subscriptions = createSubscriptions({ ...deps, published, recipients, sender, replay });
  const admit = createAdmission({ ...deps, sessions, logChecks, sender, subscriptions });
  const connections = createConnections({
    heartbeat_ms,
    onMessage: createReceiver({ subscriptions, sender, disconnect }),
    onClose: forget,
    onHeartbeat: recipients.sendPosition,
  });
  const countConnection = createConnectionLimit(rateLimits);
  const handshakes = createWaitingHandshakes({ head: published.head, timeout_ms: feedTimeout_ms });
  const running = publishFeed({ ...deps, published, recipients, pageReads, connections, handshakes, signal });

  function forget(client: LiveClient): void {
    recipients.remove(client);
    sessions.remove(client);
  }

  function disconnect(client: LiveClient, code: number, reason: string): void {
    forget(client);
    client.socket.close(code, reason);
  }

  async function accept(socket: WebSocket, parameters: ConnectionParameters, positionAtOpen: Position): Promise<void> {
    const client = connections.add(socket, parameters.usesTopics, positionAtOpen);
    if (connections.count() > MAX_CLIENTS) socket.close(LIVE_CLOSE_CODES.full, 'full');
    else await admit(client, parameters, positionAtOpen);
  }

  return {
    /** Accepts the WebSocket upgrade of a request to `/api/live`. Returns false for any other path. */
    upgrade(req: IncomingMessage, socket: Socket, head: Buffer, onAccepted: () => void): boolean {
      const parameters = readParameters(req.url ?? '');
      if (!parameters) return false;
      if (!countConnection(findClientAddress(req, trustedProxies), socket)) {
        rejectUpgrade(socket, '429 Too Many Requests');
        return true;
      }
      handshakes.whenStarted(socket, (positionAtOpen) =>
        connections.open(req, socket, head, (client) => {
          accept(client, parameters, positionAtOpen)
            .catch((error: unknown) => {
              log.warn({ err: error }, 'live client could not be accepted');
              closeAfterError(client);
            })
            .finally(onAccepted);
        }),
      );
      return true;
    },
    countClients: connections.count,
    /** Closes every connection with the WebSocket code 1001 and stops the live channel. */
    async stop(): Promise<void> {
      connections.stopHeartbeat();
      const checked = sessions.stop();
      stopped.abort();
      handshakes.settle();
      connections.closeAll((socket) => socket.close(1001, 'restarting'));
      await Promise.all([running, checked]);
      await pause(50);
      connections.terminate();
    },
  };
}

/** Returns the parameters of a client. Returns null if the request has another path. */
function readParameters(url: string): ConnectionParameters | null {
  // The request target is not trusted, and `new URL` throws for invalid text, so the target is split here.
  const [pathname, search = ''] = url.split('?', 2);
  if (pathname !== PATH) return null;
  const parameters = new URLSearchParams(search);
  return {
    token: parameters.get('token') || null,
    ticket: parameters.get('ticket') || null,
    since: parameters.get('since') || null,
    // The value `none` means that the client starts without topics. Other clients receive all messages.
    usesTopics: parameters.get('topics') === 'none',
  };
}
