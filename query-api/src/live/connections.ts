import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Position } from '@alpenglow/domain';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { createClient, type LiveClient } from './client.ts';

interface ConnectionsOptions {
  readonly heartbeat_ms: number;
  /** Handles a message of a client. An empty text stands for a binary message. */
  readonly onMessage: (client: LiveClient, text: string) => void;
  readonly onClose: (client: LiveClient) => void;
  readonly onHeartbeat: () => void;
}

export type Connections = ReturnType<typeof createConnections>;

/** The maximum size of a message of a client: the maximum number of topics, each with the longest texts. */
const MAX_MESSAGE_bytes = 32 * 1024;

/**
 * Owns the WebSocket connections: which client belongs to a connection, and which connections have responded since the
 * last heartbeat. A connection that has not responded is terminated.
 */
export function createConnections({ heartbeat_ms, onMessage, onClose, onHeartbeat }: ConnectionsOptions) {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_bytes, clientTracking: true });
  const clients = new Map<WebSocket, LiveClient>();
  const aliveClients = new WeakSet<WebSocket>();
  const heartbeat = setInterval(() => {
    for (const socket of server.clients) {
      if (!aliveClients.has(socket)) {
        socket.terminate();
        continue;
      }
      aliveClients.delete(socket);
      socket.ping();
    }
    onHeartbeat();
  }, heartbeat_ms);
  heartbeat.unref();

  // All clients share these listeners, because separate functions for thousands of clients use much memory.
  function handleActivity(this: WebSocket): void {
    aliveClients.add(this);
  }
  function handleMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
    aliveClients.add(this);
    const client = clients.get(this);
    if (client) onMessage(client, isBinary ? '' : (data as Buffer).toString('utf8'));
  }
  function handleClose(this: WebSocket): void {
    const client = clients.get(this);
    if (client) onClose(client);
    clients.delete(this);
  }
  function handleError(this: WebSocket): void {
    this.terminate();
  }

  return {
    count: (): number => server.clients.size,
    /** Completes the WebSocket handshake of a request. */
    open: (req: IncomingMessage, socket: Duplex, head: Buffer, onOpen: (socket: WebSocket) => void): void =>
      server.handleUpgrade(req, socket, head, onOpen),
    /**
     * Creates the client of a new connection and listens to its messages. The parameters are those of `createClient`.
     */
    add(socket: WebSocket, usesTopics: boolean, position: Position): LiveClient {
      const client = createClient(socket, usesTopics, position);
      clients.set(socket, client);
      aliveClients.add(socket);
      socket.on('pong', handleActivity);
      socket.on('message', handleMessage);
      socket.on('close', handleClose);
      socket.on('error', handleError);
      return client;
    },
    /** Calls `close` for every connection, also for those whose client is not checked yet. */
    closeAll(close: (socket: WebSocket) => void): void {
      for (const socket of server.clients) close(socket);
    },
    stopHeartbeat: (): void => clearInterval(heartbeat),
    /** Terminates the remaining connections. */
    terminate(): void {
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}
