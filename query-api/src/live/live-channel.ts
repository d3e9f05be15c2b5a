import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { isPosition, LIVE_CLOSE, START, type EventStore, type Position, type RecordedEvent } from '@alpenglow/domain';
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
  /** The messages told last, oldest first: all of those after `recentAfter`. */
  const recent: { readonly position: Position; readonly message: string }[] = [];
  let recentAfter: Position = START;
  const ready = firstHead();
  const running = followEvents();

  /** Where telling begins: what was there before the start is read from the store when a client asks for it. */
  async function firstHead(): Promise<void> {
    for (;;) {
      try {
        recentAfter = await store.head();
        return;
      } catch (error) {
        if (stopped.signal.aborted) return;
        log.warn({ err: error }, 'live channel cannot reach the event store, trying again');
        await pause(RETRY_ms, undefined, { signal: stopped.signal }).catch(() => undefined);
      }
    }
  }

  async function followEvents(): Promise<void> {
    await ready;
    let told = recentAfter;
    while (!stopped.signal.aborted) {
      try {
        for await (const batch of store.subscribeAll({ after: told, types: LIVE_EVENT_TYPES, signal: stopped.signal })) {
          const last = batch.at(-1)?.position ?? told;
          await progress.waitFor('ad_cards', last, WAIT_FOR_LISTS_ms, stopped.signal);
          for (const recorded of batch) {
            const message = messageOf(recorded);
            if (message !== null) tell(recorded.position, message);
          }
          told = last;
        }
      } catch (error) {
        log.warn({ err: error }, 'live channel lost the event store, trying again');
      }
      await pause(RETRY_ms, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  }

  /** An event this build cannot read is no reason to stop telling of the others. */
  function messageOf(recorded: RecordedEvent): string | null {
    try {
      const message = toLiveMessage(recorded);
      return message && JSON.stringify(message);
    } catch (error) {
      log.error({ err: error, position: recorded.position, type: recorded.type }, 'event not told: it cannot be read');
      return null;
    }
  }

  function tell(position: Position, message: string): void {
    recent.push({ position, message });
    if (recent.length > REPLAY_LIMIT) recentAfter = recent.shift()?.position ?? recentAfter;
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

  async function welcome(socket: WebSocket, token: string | null, since: string | null): Promise<void> {
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
    await ready;
    if (since === null) listen(socket, recent.at(-1)?.position ?? recentAfter);
    else if (isPosition(since) && since <= (await store.head())) await resume(socket, since);
    else socket.close(LIVE_CLOSE.tooOld, 'reload and connect without since');
  }

  /** Sends what was told after `since`: from the store up to where memory begins, then from memory, without a pause before listening. */
  async function resume(socket: WebSocket, since: Position): Promise<void> {
    let sent = since;
    let count = 0;
    while (sent < recentAfter) {
      const until = recentAfter;
      const page = await store.readAll({ after: sent, types: LIVE_EVENT_TYPES, limit: REPLAY_LIMIT });
      const due = page.filter(({ position }) => position <= until);
      count += due.length;
      if (count >= REPLAY_LIMIT) {
        socket.close(LIVE_CLOSE.tooOld, 'reload and connect without since');
        return;
      }
      for (const recorded of due) {
        const message = messageOf(recorded);
        if (message !== null) send(socket, message);
      }
      sent = until;
    }
    for (const { position, message } of recent) if (position > sent) send(socket, message);
    listen(socket, sent);
  }

  function listen(socket: WebSocket, seen: Position): void {
    const last = recent.at(-1)?.position ?? seen;
    if (socket.readyState === socket.OPEN) listening.set(socket, last > seen ? last : seen);
  }

  return {
    upgrade(req, socket, head) {
      // The request target is the client's text: no URL parser that may throw on it.
      const [pathname, search = ''] = (req.url ?? '').split('?', 2);
      if (pathname !== PATH) return false;
      const parameters = new URLSearchParams(search);
      const since = parameters.get('since') || null;
      const token = parameters.get('token') || null;
      server.handleUpgrade(req, socket, head, (client) => {
        welcome(client, token, since).catch((error: unknown) => {
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
