import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';
import {
  isAdMessage,
  isPosition,
  isThreadMessage,
  LIVE_CLOSE,
  LIVE_EVENT_TYPES,
  START,
  toLiveMessage,
  type EventStore,
  type LiveBatch,
  type LiveFeed,
  type LiveMessage,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import { createSlots, isPassing, type Authentication, type Logger, type ReadModelProgress } from '@alpenglow/infra';
import { WebSocketServer, type WebSocket } from 'ws';

export interface LiveDependencies {
  readonly feed: LiveFeed;
  /** Asked only for what lies before the memory of this process. */
  readonly store: EventStore;
  readonly progress: ReadModelProgress;
  readonly authentication: Authentication;
  readonly log: Logger;
  /** How long a handshake waits for a feed that has not begun to tell yet. */
  readonly waitForFeed_ms?: number;
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
/** Projections that must have come to a message before it is told. */
const LISTS_OF_ADS = ['ad_cards'];
const LISTS_OF_THREADS = ['community_threads', 'community_posts'];
const WAIT_FOR_LISTS_ms = 2_000;
const WAIT_FOR_FEED_ms = 5_000;
const RETRY_ms = 1_000;
/** Reads of the store for clients that come back: anybody may ask for one. */
const STORE_READS_AT_ONCE = 4;
const STORE_READS_WAITING = 200;
const WAIT_FOR_STORE_ms = 5_000;
/** After so many sends in a row, or messages to each client, everything else in this process has its turn. */
const SENDS_AT_A_TIME = 5_000;
const MESSAGES_AT_A_TIME = 100;

/** Standard close codes: come back at once; come back, something failed. */
const RESUME = 1012;
const FAILED = 1011;

/** The messages are text, although they are handed over as the bytes all clients share. */
const AS_TEXT = { binary: false } as const;

/**
 * The live channel (architecture, "Live channel"): one JSON message per change, to everybody. A change is told only once the lists
 * show it, so that a client that reloads on a message never reads the state before it. `since` resumes without a gap, at this
 * process or another. Visitors may listen without a token: everything here is public (decision 0006).
 */
export function createLiveChannel({
  feed,
  store,
  progress,
  authentication,
  log,
  waitForFeed_ms = WAIT_FOR_FEED_ms,
}: LiveDependencies): LiveChannel {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1024, clientTracking: true });
  const stopped = new AbortController();
  /** Clients that have seen everything that was told. */
  const listening = new Set<WebSocket>();
  /** Clients to whom another process has told more than this one has told yet, with what they have seen. */
  const ahead = new Map<WebSocket, Position>();
  const alive = new WeakSet<WebSocket>();
  /** The messages told last, oldest first: all of those after `recentAfter`, up to `told`. */
  const recent: { readonly position: Position; readonly message: Buffer }[] = [];
  let recentAfter: Position = START;
  /** Null until the feed has begun to tell. */
  let told: Position | null = null;
  /** How much of its turn telling has used up; it ends at 1. */
  let turn = 0;
  /** Handshakes that wait for that. */
  const waiting = new Set<() => void>();
  const running = followFeed();

  async function followFeed(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        for await (const batch of feed.follow({ signal: stopped.signal })) await tellBatch(batch);
      } catch (error) {
        log.error({ err: error }, 'live channel lost its feed, trying again');
      }
      await pause(RETRY_ms, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  }

  async function tellBatch({ after, messages, through }: LiveBatch): Promise<void> {
    if (told === null || after > told) beginAt(after);
    await untilShown(messages);
    for (const message of messages) {
      tell(message);
      turn += Math.max(listening.size / SENDS_AT_A_TIME, 1 / MESSAGES_AT_A_TIME);
      if (turn < 1) continue;
      turn = 0;
      await breathe();
    }
    told = through;
    for (const begin of waiting) begin();
  }

  /** Resolves once the lists show what the messages tell of, or when that takes too long. */
  async function untilShown(messages: readonly LiveMessage[]): Promise<void> {
    const wait = (lists: readonly string[], last: LiveMessage | undefined) =>
      last ? lists.map((name) => progress.waitFor(name, last.seq as Position, stopped.signal, WAIT_FOR_LISTS_ms)) : [];
    await Promise.all([
      ...wait(LISTS_OF_ADS, messages.findLast(isAdMessage)),
      ...wait(LISTS_OF_THREADS, messages.findLast(isThreadMessage)),
    ]);
  }

  /** What was told before does not lead up to here: whoever listens has to come back, and is told the rest from the store. */
  function beginAt(after: Position): void {
    recent.length = 0;
    recentAfter = told = after;
    for (const socket of [...listening, ...ahead.keys()]) socket.close(RESUME, 'resume with since');
    listening.clear();
    ahead.clear();
  }

  function tell(live: LiveMessage): void {
    const position = live.seq as Position;
    if (told !== null && position <= told) return;
    const message = encode(live);
    recent.push({ position, message });
    if (recent.length > REPLAY_LIMIT) recentAfter = recent.shift()?.position ?? recentAfter;
    told = position;
    for (const socket of listening) send(socket, message);
    for (const [socket, seen] of ahead) {
      if (position < seen) continue;
      ahead.delete(socket);
      listening.add(socket);
      if (position > seen) send(socket, message);
    }
  }

  function send(socket: WebSocket, message: Buffer): void {
    if (socket.bufferedAmount > MAX_BUFFERED_bytes) {
      forget(socket);
      socket.close(LIVE_CLOSE.tooSlow, 'too slow');
      return;
    }
    socket.send(message, AS_TEXT);
  }

  function forget(socket: WebSocket): void {
    listening.delete(socket);
    ahead.delete(socket);
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

  // One function each for all clients: there are thousands.
  function heard(this: WebSocket): void {
    alive.add(this);
  }
  function gone(this: WebSocket): void {
    forget(this);
  }
  function broken(this: WebSocket): void {
    this.terminate();
  }

  /** Lets a handshake wait until the feed has begun: a client whose connection is open counts on hearing everything. Answers 503 when that takes long. */
  function whenBegun(socket: Duplex, open: (told: Position) => void): void {
    if (told !== null) {
      open(told);
      return;
    }
    const settle = () => {
      clearTimeout(timer);
      waiting.delete(settle);
      socket.off('close', settle);
      if (told !== null) open(told);
      else if (!socket.destroyed)
        socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\r\n', () =>
          socket.destroy(),
        );
    };
    const timer = setTimeout(settle, waiting.size < MAX_CLIENTS ? waitForFeed_ms : 0);
    waiting.add(settle);
    socket.on('close', settle);
  }

  /** `toldAtOpen` is where a client without `since` begins: what is told while its token is looked up is for it, too. */
  async function welcome(
    socket: WebSocket,
    token: string | null,
    since: string | null,
    toldAtOpen: Position,
  ): Promise<void> {
    alive.add(socket);
    socket.on('pong', heard);
    socket.on('message', heard);
    socket.on('close', gone);
    socket.on('error', broken);
    if (server.clients.size > MAX_CLIENTS) {
      socket.close(LIVE_CLOSE.full, 'full');
      return;
    }
    if (token !== null && !(await authentication.byToken(token))) {
      socket.close(LIVE_CLOSE.badToken, 'Authentication required');
      return;
    }
    if (since !== null && !isPosition(since)) {
      socket.close(LIVE_CLOSE.tooOld, 'reload and connect without since');
      return;
    }
    const seen = since ?? toldAtOpen;
    if (seen <= (told ?? toldAtOpen)) await resume(socket, seen);
    else {
      listen(socket, seen);
      await refuseBeyondHead(socket, seen);
    }
  }

  /** Sends what was told after `since`: from the store up to where memory begins, then from memory, without a pause before listening. */
  async function resume(socket: WebSocket, since: Position): Promise<void> {
    let sent = since;
    let count = 0;
    while (sent < recentAfter) {
      const until = recentAfter;
      const page = await readShared(sent);
      // Gone meanwhile: nobody waits for the rest.
      if (socket.readyState !== socket.OPEN) return;
      if (page === 'busy') {
        socket.close(RESUME, 'resume with since');
        return;
      }
      const due = page?.filter(({ position }) => position <= until) ?? [];
      count += due.length;
      if (page === null || count >= REPLAY_LIMIT) {
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
    listen(socket, told ?? sent);
  }

  /** After a gap clients come back in thousands, most of them from the same position: those share one read, and few read at a time. */
  const reading = new Map<Position, Promise<readonly RecordedEvent[] | null | 'busy'>>();
  const readers = createSlots({
    max: STORE_READS_AT_ONCE,
    maxWaiting: STORE_READS_WAITING,
    wait_ms: WAIT_FOR_STORE_ms,
  });
  function readShared(after: Position): Promise<readonly RecordedEvent[] | null | 'busy'> {
    const underWay = reading.get(after);
    if (underWay) return underWay;
    const read = readers
      .take(stopped.signal)
      .then(async (slot) => (slot ? readStore(after).finally(() => slot.release()) : ('busy' as const)))
      .finally(() => reading.delete(after));
    reading.set(after, read);
    return read;
  }

  /** A page of events after a position. Null when this store has no such position: one of an earlier store, or made up. */
  async function readStore(after: Position): Promise<readonly RecordedEvent[] | null> {
    try {
      return await store.readAll({ after, types: LIVE_EVENT_TYPES, limit: REPLAY_LIMIT });
    } catch (error) {
      if (isPassing(error)) throw error;
      log.warn({ err: error }, 'live client came with a position the event store cannot read from');
      return null;
    }
  }

  /** An event this build cannot read is no reason to stop telling of the others. */
  function messageOf(recorded: RecordedEvent): Buffer | null {
    try {
      const message = toLiveMessage(recorded);
      return message && encode(message);
    } catch (error) {
      log.error({ err: error, position: recorded.position, type: recorded.type }, 'event not told: it cannot be read');
      return null;
    }
  }

  function listen(socket: WebSocket, seen: Position): void {
    if (socket.readyState !== socket.OPEN) return;
    if (told !== null && seen > told) ahead.set(socket, seen);
    else listening.add(socket);
  }

  /** A position nobody can have told yet would leave its client without a message for ever. */
  async function refuseBeyondHead(socket: WebSocket, since: Position): Promise<void> {
    try {
      // The shared answer may be older than what the client was told elsewhere.
      if (since <= (await sharedHead()) || since <= (await store.head())) return;
    } catch (error) {
      // While the store is away nobody can say; the client hears of what comes after its position all the same.
      if (isPassing(error)) return;
      throw error;
    }
    forget(socket);
    socket.close(LIVE_CLOSE.tooOld, 'reload and connect without since');
  }

  /** Clients come back in thousands: they share one question. */
  let asking: Promise<Position> | null = null;
  function sharedHead(): Promise<Position> {
    asking ??= store.head().finally(() => {
      asking = null;
    });
    return asking;
  }

  return {
    upgrade(req, socket, head) {
      // The request target is the client's text: no URL parser that may throw on it.
      const [pathname, search = ''] = (req.url ?? '').split('?', 2);
      if (pathname !== PATH) return false;
      const parameters = new URLSearchParams(search);
      const since = parameters.get('since') || null;
      const token = parameters.get('token') || null;
      whenBegun(socket, (toldAtOpen) =>
        server.handleUpgrade(req, socket, head, (client) => {
          welcome(client, token, since, toldAtOpen).catch((error: unknown) => {
            log.warn({ err: error }, 'live client could not be welcomed');
            client.close(FAILED, 'try again');
          });
        }),
      );
      return true;
    },
    clients: () => server.clients.size,
    async stop() {
      clearInterval(heartbeat);
      stopped.abort();
      for (const giveUp of waiting) giveUp();
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
