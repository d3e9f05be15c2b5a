import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { LIVE_CLOSE, START, type EventStore, type Position } from '@alpenglow/domain';
import type { Authentication, Logger, ReadModelProgress } from '@alpenglow/infra';
import { WebSocketServer, type WebSocket } from 'ws';
import { LIVE_EVENT_TYPES, toLiveMessage } from './live-messages.ts';

export interface LiveDependencies {
  readonly store: EventStore;
  readonly progress: ReadModelProgress;
  readonly authentication: Authentication;
  readonly log: Logger;
}

export interface LiveChannel {
  /** Takes over the upgrade of a request to `/api/live`; answers false, untouched, for any other path. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  clients(): number;
  /** Tells every client to go (code 1001) and stops. */
  stop(): Promise<void>;
}

const PATH = '/api/live';
const HEARTBEAT_ms = 30_000;
/** A client that has this much unsent is dropped; it comes back with `since`. */
const MAX_BUFFERED_bytes = 1024 * 1024;
const MAX_CLIENTS = 10_000;
const REPLAY_LIMIT = 1_000;
const WAIT_FOR_LISTS_ms = 2_000;
const RETRY_ms = 1_000;

/**
 * The live channel (architecture, "Live channel"): one JSON message per change, to everybody. A change is told only once the lists
 * show it, so that a client that reloads on a message never reads the state before it. `since` resumes without a gap.
 * Visitors may listen without a token: everything here is public (decision 0006).
 */
export function createLiveChannel({ store, progress, authentication, log }: LiveDependencies): LiveChannel {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1024, clientTracking: true });
  const stopped = new AbortController();
  /** Each client with the position it has seen. */
  const listening = new Map<WebSocket, Position>();
  const alive = new WeakSet<WebSocket>();
  let told: Position = START;
  const running = followEvents();

  async function followEvents(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        if (told === START) told = await store.head();
        for await (const batch of store.subscribeAll({ after: told, types: LIVE_EVENT_TYPES, signal: stopped.signal })) {
          const last = batch.at(-1)?.position ?? told;
          await progress.waitFor('ad_cards', last, WAIT_FOR_LISTS_ms, stopped.signal);
          for (const recorded of batch) {
            const message = toLiveMessage(recorded);
            told = recorded.position;
            if (message) broadcast(recorded.position, JSON.stringify(message));
          }
        }
      } catch (error) {
        log.warn({ err: error }, 'live channel lost the event store, trying again');
      }
      await pause(RETRY_ms, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  }

  function broadcast(position: Position, message: string): void {
    for (const [socket, seen] of listening) if (position > seen) send(socket, message);
  }

  function send(socket: WebSocket, message: string): void {
    if (socket.bufferedAmount > MAX_BUFFERED_bytes) {
      listening.delete(socket);
      socket.close(LIVE_CLOSE.tooSlow, 'too slow');
      return;
    }
    socket.send(message);
  }

  const heartbeat = setInterval(() => {
    for (const socket of server.clients) {
      if (!alive.has(socket)) {
        socket.terminate();
        continue;
      }
      alive.delete(socket);
      socket.ping();
    }
  }, HEARTBEAT_ms);
  heartbeat.unref();

  async function welcome(socket: WebSocket, token: string | null, since: Position | null): Promise<void> {
    alive.add(socket);
    socket.on('pong', () => alive.add(socket));
    socket.on('message', () => alive.add(socket));
    socket.on('close', () => listening.delete(socket));
    socket.on('error', () => socket.terminate());
    if (server.clients.size > MAX_CLIENTS) {
      socket.close(LIVE_CLOSE.full, 'full');
      return;
    }
    if (token !== null && !(await authentication.byToken(token))) {
      socket.close(LIVE_CLOSE.badToken, 'Authentication required');
      return;
    }
    await replayAndListen(socket, since ?? told);
  }

  /** Sends what was told after `since`, then has the client listen: with no pause in between, so that nothing is missed or sent twice. */
  async function replayAndListen(socket: WebSocket, since: Position): Promise<void> {
    let sent = since;
    let count = 0;
    while (sent < told) {
      const page = await store.readAll({ after: sent, types: LIVE_EVENT_TYPES, limit: REPLAY_LIMIT });
      const due = page.filter(({ position }) => position <= told);
      count += due.length;
      if (count > REPLAY_LIMIT || (page.length === REPLAY_LIMIT && due.length === page.length)) {
        socket.close(LIVE_CLOSE.tooOld, 'reload and connect without since');
        return;
      }
      for (const recorded of due) {
        const message = toLiveMessage(recorded);
        if (message) send(socket, JSON.stringify(message));
      }
      const last = due.at(-1)?.position;
      if (last === undefined) break;
      sent = last;
    }
    if (socket.readyState === socket.OPEN) listening.set(socket, sent);
  }

  return {
    upgrade(req, socket, head) {
      const url = new URL(req.url ?? '/', 'http://live');
      if (url.pathname !== PATH) return false;
      const since = url.searchParams.get('since');
      const token = url.searchParams.get('token') || null;
      server.handleUpgrade(req, socket, head, (client) => {
        welcome(client, token, isPosition(since) ? since : null).catch((error: unknown) => {
          log.warn({ err: error }, 'live client could not be welcomed');
          client.close(1011, 'try again');
        });
      });
      return true;
    },
    clients: () => server.clients.size,
    async stop() {
      clearInterval(heartbeat);
      stopped.abort();
      for (const socket of server.clients) socket.close(1001, 'restarting');
      await running;
      await pause(50);
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}

function isPosition(text: string | null): text is Position {
  return text !== null && /^[0-9]{1,20}(?:\/[0-9]{1,20})?$/u.test(text);
}
