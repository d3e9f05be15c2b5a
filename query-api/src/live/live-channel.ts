import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as yieldToEventLoop, setTimeout as pause } from 'node:timers/promises';
import {
  isAdMessage,
  isPosition,
  isThreadMessage,
  LIVE_CLOSE_CODES,
  LIVE_EVENT_TYPES,
  START_POSITION,
  toLiveMessage,
  type LiveBatch,
  type LiveMessage,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import { createSlots, isTransient } from '@alpenglow/infra';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Dependencies } from '../dependencies.ts';

/** The dependencies of the live channel. Messages that are not in memory are read from the event store. */
interface LiveDependencies extends Dependencies<'feed' | 'store' | 'progress' | 'authentication' | 'log'> {
  /** The maximum time that a WebSocket handshake waits until the feed of messages has started. */
  readonly feedTimeout_ms?: number;
}

export type LiveChannel = ReturnType<typeof createLiveChannel>;

const PATH = '/api/live';
const HEARTBEAT_ms = 30_000;
/**
 * The maximum size of the data that waits to be sent to a client. A slower client is disconnected. It then connects
 * again and resumes with the parameter `since`.
 */
const MAX_BUFFERED_bytes = 1024 * 1024;
const MAX_CLIENTS = 10_000;
const REPLAY_LIMIT = 1_000;
/** The projections that must contain the change of an ad before the message about this change is sent. */
const LISTS_OF_ADS = ['ad_cards'];
/** The projections that must contain the change of a thread before the message about this change is sent. */
const LISTS_OF_THREADS = ['community_threads', 'community_posts'];
const WAIT_FOR_LISTS_ms = 2_000;
const WAIT_FOR_FEED_ms = 5_000;
const RETRY_ms = 1_000;
/**
 * The maximum number of concurrent reads of the event store. The number is limited, because any client can cause a read
 * by connecting again.
 */
const MAX_STORE_READS = 4;
const MAX_WAITING_READS = 200;
const WAIT_FOR_STORE_ms = 5_000;
/**
 * The limits on sends and on messages in one turn of the event loop. When a limit is reached, the process handles other
 * work before it continues sending.
 */
const SENDS_PER_TURN = 5_000;
const MESSAGES_PER_TURN = 100;

/** WebSocket close codes after which a client connects again. `FAILED` reports an error of the server. */
const RESUME = 1012;
const FAILED = 1011;

/**
 * The option that sends a buffer as a text message. A message is encoded once, and all clients receive the same buffer.
 */
const AS_TEXT = { binary: false } as const;

/**
 * Creates the live channel, a WebSocket that sends one JSON message per change to all clients. A message
 * is sent only after the read models contain the change. A client that then reloads a list therefore receives the new
 * state. With the position `since`, a client resumes without a gap, even on another process. Visitors need no token,
 * because all messages are public (decision 0006).
 */
export function createLiveChannel({
  feed,
  store,
  progress,
  authentication,
  log,
  feedTimeout_ms = WAIT_FOR_FEED_ms,
}: LiveDependencies) {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1024, clientTracking: true });
  const stopped = new AbortController();
  /** Clients that have received all published messages. */
  const listening = new Set<WebSocket>();
  /**
   * Clients that have already received newer messages from another process. The value is the position of the last
   * message that the client has received.
   */
  const aheadClients = new Map<WebSocket, Position>();
  const aliveClients = new WeakSet<WebSocket>();
  /**
   * The last messages, the oldest first. The list contains all messages after the position `recentAfter` up to the
   * position `publishedUpTo`.
   */
  const recent: { readonly position: Position; readonly message: Buffer }[] = [];
  let recentAfter: Position = START_POSITION;
  /** The position in the event log up to which messages are published. Null until the feed has started. */
  let publishedUpTo: Position | null = null;
  /**
   * The used fraction of the sends that are allowed in one turn of the event loop. At 1, the process handles other
   * work.
   */
  let usedShare = 0;
  /** The WebSocket handshakes that wait for the start of the feed. */
  const waiting = new Set<() => void>();
  const running = followFeed();

  async function followFeed(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        for await (const batch of feed.follow({ signal: stopped.signal })) await publishBatch(batch);
      } catch (error) {
        log.error({ err: error }, 'live channel lost its feed, retrying');
      }
      await pause(RETRY_ms, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  }

  async function publishBatch({ after, messages, through }: LiveBatch): Promise<void> {
    if (publishedUpTo === null || after > publishedUpTo) restartAt(after);
    await waitForLists(messages);
    for (const message of messages) {
      publish(message);
      usedShare += Math.max(listening.size / SENDS_PER_TURN, 1 / MESSAGES_PER_TURN);
      if (usedShare < 1) continue;
      usedShare = 0;
      await yieldToEventLoop();
    }
    publishedUpTo = through;
    for (const settle of waiting) settle();
  }

  /** Resolves when the read models contain the changes of the messages, or when the time limit is reached. */
  async function waitForLists(messages: readonly LiveMessage[]): Promise<void> {
    const wait = (lists: readonly string[], last: LiveMessage | undefined) =>
      last ? lists.map((name) => progress.waitFor(name, last.seq as Position, stopped.signal, WAIT_FOR_LISTS_ms)) : [];
    await Promise.all([
      ...wait(LISTS_OF_ADS, messages.findLast(isAdMessage)),
      ...wait(LISTS_OF_THREADS, messages.findLast(isThreadMessage)),
    ]);
  }

  /**
   * Closes all connections after a gap in the feed. The clients connect again and receive the missing messages from the
   * event store.
   */
  function restartAt(after: Position): void {
    recent.length = 0;
    recentAfter = publishedUpTo = after;
    for (const socket of [...listening, ...aheadClients.keys()]) socket.close(RESUME, 'resume with since');
    listening.clear();
    aheadClients.clear();
  }

  function publish(live: LiveMessage): void {
    const position = live.seq as Position;
    if (publishedUpTo !== null && position <= publishedUpTo) return;
    const message = encode(live);
    recent.push({ position, message });
    if (recent.length > REPLAY_LIMIT) recentAfter = recent.shift()?.position ?? recentAfter;
    publishedUpTo = position;
    for (const socket of listening) send(socket, message);
    for (const [socket, received] of aheadClients) {
      if (position < received) continue;
      aheadClients.delete(socket);
      listening.add(socket);
      if (position > received) send(socket, message);
    }
  }

  function send(socket: WebSocket, message: Buffer): void {
    if (socket.bufferedAmount > MAX_BUFFERED_bytes) {
      forget(socket);
      socket.close(LIVE_CLOSE_CODES.tooSlow, 'too slow');
      return;
    }
    socket.send(message, AS_TEXT);
  }

  function forget(socket: WebSocket): void {
    listening.delete(socket);
    aheadClients.delete(socket);
  }

  const heartbeat = setInterval(() => {
    for (const socket of server.clients) {
      if (!aliveClients.has(socket)) {
        socket.terminate();
        continue;
      }
      aliveClients.delete(socket);
      socket.ping();
    }
  }, HEARTBEAT_ms);
  heartbeat.unref();

  // All clients share these listeners, because separate functions for thousands of clients use much memory.
  function onActivity(this: WebSocket): void {
    aliveClients.add(this);
  }
  function onClose(this: WebSocket): void {
    forget(this);
  }
  function onError(this: WebSocket): void {
    this.terminate();
  }

  /**
   * Delays a WebSocket handshake until the feed has started, because a client must receive every message after its
   * connection is open. Responds with 503 if the feed does not start in time.
   */
  function whenStarted(socket: Duplex, open: (position: Position) => void): void {
    if (publishedUpTo !== null) {
      open(publishedUpTo);
      return;
    }
    const settle = () => {
      clearTimeout(timer);
      waiting.delete(settle);
      socket.off('close', settle);
      if (publishedUpTo !== null) open(publishedUpTo);
      else if (!socket.destroyed)
        socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\r\n', () =>
          socket.destroy(),
        );
    };
    const timer = setTimeout(settle, waiting.size < MAX_CLIENTS ? feedTimeout_ms : 0);
    waiting.add(settle);
    socket.on('close', settle);
  }

  /**
   * Validates a new client and starts sending messages to it. A client without `since` starts at `positionAtOpen`, the
   * position at which its connection was opened. The client therefore also receives messages that are published while
   * its token is checked.
   */
  async function acceptClient(
    socket: WebSocket,
    token: string | null,
    since: string | null,
    positionAtOpen: Position,
  ): Promise<void> {
    aliveClients.add(socket);
    socket.on('pong', onActivity);
    socket.on('message', onActivity);
    socket.on('close', onClose);
    socket.on('error', onError);
    if (server.clients.size > MAX_CLIENTS) {
      socket.close(LIVE_CLOSE_CODES.full, 'full');
      return;
    }
    if (token !== null && !(await authentication.findByToken(token))) {
      socket.close(LIVE_CLOSE_CODES.invalidToken, 'Authentication required');
      return;
    }
    if (since !== null && !isPosition(since)) {
      socket.close(LIVE_CLOSE_CODES.tooOld, 'reload and connect without since');
      return;
    }
    const received = since ?? positionAtOpen;
    if (received <= (publishedUpTo ?? positionAtOpen)) await resume(socket, received);
    else {
      listen(socket, received);
      await closeBeyondHead(socket, received);
    }
  }

  /**
   * Sends the messages after the position `since`. Older messages are read from the event store, and newer messages
   * from memory. The client is registered for new messages right after the last of these messages. No other code runs
   * in between, so the client misses no message.
   */
  async function resume(socket: WebSocket, since: Position): Promise<void> {
    let sent = since;
    let count = 0;
    while (sent < recentAfter) {
      const until = recentAfter;
      const page = await readShared(sent);
      // The client may have disconnected while the events were read.
      if (socket.readyState !== socket.OPEN) return;
      if (page === 'busy') {
        socket.close(RESUME, 'resume with since');
        return;
      }
      const due = page?.filter(({ position }) => position <= until) ?? [];
      count += due.length;
      if (page === null || count >= REPLAY_LIMIT) {
        socket.close(LIVE_CLOSE_CODES.tooOld, 'reload and connect without since');
        return;
      }
      for (const recorded of due) {
        const message = createMessage(recorded);
        if (message !== null) send(socket, message);
      }
      sent = until;
    }
    for (const { position, message } of recent) if (position > sent) send(socket, message);
    listen(socket, publishedUpTo ?? sent);
  }

  /**
   * The running reads of the event store by start position. After a gap, thousands of clients connect again, most of
   * them with the same position. These clients share one read.
   */
  const reading = new Map<Position, Promise<readonly RecordedEvent[] | null | 'busy'>>();
  const readers = createSlots({
    max: MAX_STORE_READS,
    maxWaiting: MAX_WAITING_READS,
    wait_ms: WAIT_FOR_STORE_ms,
  });
  function readShared(after: Position): Promise<readonly RecordedEvent[] | null | 'busy'> {
    const pendingRead = reading.get(after);
    if (pendingRead) return pendingRead;
    const read = readers
      .take(stopped.signal)
      .then(async (slot) => (slot ? readStore(after).finally(() => slot.release()) : ('busy' as const)))
      .finally(() => reading.delete(after));
    reading.set(after, read);
    return read;
  }

  /**
   * Reads a page of events after a position. Returns null if the position is invalid or belongs to another
   * event store.
   */
  async function readStore(after: Position): Promise<readonly RecordedEvent[] | null> {
    try {
      return await store.readAll({ after, types: LIVE_EVENT_TYPES, limit: REPLAY_LIMIT });
    } catch (error) {
      if (isTransient(error)) throw error;
      log.warn({ err: error }, 'live client sent a position that the event store cannot read from');
      return null;
    }
  }

  /**
   * Converts an event to a message of the live channel. Returns null for an event that cannot be read, so that the
   * other events are still sent.
   */
  function createMessage(recorded: RecordedEvent): Buffer | null {
    try {
      const message = toLiveMessage(recorded);
      return message && encode(message);
    } catch (error) {
      log.error(
        { err: error, position: recorded.position, type: recorded.type },
        'event skipped because it cannot be read',
      );
      return null;
    }
  }

  function listen(socket: WebSocket, received: Position): void {
    if (socket.readyState !== socket.OPEN) return;
    if (publishedUpTo !== null && received > publishedUpTo) aheadClients.set(socket, received);
    else listening.add(socket);
  }

  /**
   * Closes the connection of a client whose position is after the end of the event log. No message can follow this
   * position.
   */
  async function closeBeyondHead(socket: WebSocket, since: Position): Promise<void> {
    try {
      // The shared result may be out of date, because the client may have received a later message from another
      // process. The check is therefore repeated with a new result.
      if (since <= (await readSharedHead()) || since <= (await store.readHead())) return;
    } catch (error) {
      // While the event store is unavailable, the position cannot be checked. The client remains connected and receives
      // later messages.
      if (isTransient(error)) return;
      throw error;
    }
    forget(socket);
    socket.close(LIVE_CLOSE_CODES.tooOld, 'reload and connect without since');
  }

  /**
   * The running read of the position at the end of the event log. Clients share this read, because thousands of clients
   * may connect at once.
   */
  let headRead: Promise<Position> | null = null;
  function readSharedHead(): Promise<Position> {
    headRead ??= store.readHead().finally(() => {
      headRead = null;
    });
    return headRead;
  }

  return {
    /** Accepts the WebSocket upgrade of a request to `/api/live`. Returns false for any other path. */
    upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): boolean {
      // The request target is not trusted, and `new URL` throws for invalid text, so the target is split here.
      const [pathname, search = ''] = (req.url ?? '').split('?', 2);
      if (pathname !== PATH) return false;
      const parameters = new URLSearchParams(search);
      const since = parameters.get('since') || null;
      const token = parameters.get('token') || null;
      whenStarted(socket, (positionAtOpen) =>
        server.handleUpgrade(req, socket, head, (client) => {
          acceptClient(client, token, since, positionAtOpen).catch((error: unknown) => {
            log.warn({ err: error }, 'live client could not be accepted');
            client.close(FAILED, 'try again');
          });
        }),
      );
      return true;
    },
    countClients: (): number => server.clients.size,
    /** Closes every connection with the WebSocket code 1001 and stops the live channel. */
    async stop(): Promise<void> {
      clearInterval(heartbeat);
      stopped.abort();
      for (const settle of waiting) settle();
      for (const socket of server.clients) socket.close(1001, 'restarting');
      await running;
      await pause(50);
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}

function encode(message: LiveMessage): Buffer {
  return Buffer.from(JSON.stringify(message));
}
