import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as yieldToEventLoop, setTimeout as pause } from 'node:timers/promises';
import {
  isAdMessage,
  comparePositions,
  isThreadMessage,
  LIVE_CLOSE_CODES,
  LIVE_EVENT_TYPES,
  LogRewound,
  START_POSITION,
  liveTopicKeyOf,
  parseLiveSubscribe,
  toFeedMessage,
  type FeedMessage,
  type LiveBatch,
  type LiveMessage,
  type LivePosition,
  type LiveRejected,
  type LiveSubscribe,
  type LiveSubscribed,
  type LogMark,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import { createSlots, findClientAddress, isTransient, limitByNetwork, rejectUpgrade } from '@alpenglow/infra';
import { LRUCache } from 'lru-cache';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import type { Dependencies } from '../dependencies.ts';
import { CARD_READ_MODELS } from '../ads/card-view.ts';
import type { LiveKeys, LiveSubjects } from './live-subjects.ts';
import { createTopicIndex, createTopicPositions } from './topic-index.ts';

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

/** A connection of a client. */
interface Client {
  readonly socket: WebSocket;
  /** The keys of the topics of the client. Null for a client that receives all messages. */
  keys: ReadonlySet<string> | null;
  /** The account of the signed-in user, or null. */
  accountId: string | null;
  /** `opening` while the client is checked or receives earlier messages, `waiting` until it sends its first topics. */
  state: 'opening' | 'waiting' | 'open';
  /** The client receives the messages after this position. */
  since: Position;
  /** A subscription that arrived while the client was `opening`. A newer one replaces it. */
  pending: LiveSubscribe | null;
  /** The last position that a client with topics has received. A heartbeat sends the position only if it is newer. */
  knownUpTo: Position;
  /** The number of messages that the client may send now, and the time at which it was computed. */
  allowance: number;
  allowanceAt_ms: number;
}

/** A message that is encoded once for all clients. */
interface Encoded {
  readonly position: Position;
  readonly id: string | null;
  readonly message: Buffer;
  readonly keys: LiveKeys;
}

/** The messages of a range of positions, and the number of their events. Unreadable events have no message. */
interface Page {
  readonly count: number;
  readonly messages: readonly Encoded[];
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
/**
 * The maximum number of connections of one network address. Many people may share an address. A /48 network of
 * IPv6 may have four times as many.
 */
const MAX_CLIENTS_PER_ADDRESS = 200;
/** The interval at which the sessions of the connected clients are checked. */
const SESSION_CHECK_ms = 5_000;
/** The maximum size of a message of a client: the maximum number of topics, each with the longest texts. */
const MAX_MESSAGE_bytes = 32 * 1024;
/** A client may send this many messages at once, and this many a second later on. */
const MESSAGE_BURST = 30;
const MESSAGES_PER_s = 5;
const REPLAY_LIMIT = 1_000;
/** The projections that must contain the change of an ad before the message about this change is sent. */
const LISTS_OF_ADS = CARD_READ_MODELS;
/** The projections that must contain the change of a thread before the message about this change is sent. */
const LISTS_OF_THREADS = ['community_threads', 'community_posts'];
const WAIT_FOR_FEED_ms = 5_000;
const RETRY_ms = 1_000;
/**
 * The maximum number of concurrent reads of the event store. The number is limited, because any client can cause a read
 * by connecting again.
 */
const MAX_STORE_READS = 4;
/**
 * The maximum number of concurrent reads of event ids. They have separate slots, because a read that confirms a lost
 * event waits up to 2 s, and must not delay the clients that read messages.
 */
const MAX_ID_READS = 20;
const MAX_WAITING_READS = 200;
/** The maximum number of pages in memory, each with at most `REPLAY_LIMIT` messages, and their lifetime. */
const MAX_PAGES = 10;
const PAGE_LIFETIME_ms = 60_000;
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
/** The close code for a client that sends too many messages. */
const POLICY_VIOLATION = 1008;

/**
 * The option that sends a buffer as a text message. A message is encoded once, and all clients receive the same buffer.
 */
const AS_TEXT = { binary: false } as const;

/**
 * Creates the live channel, a WebSocket that sends one JSON message per change. A client receives all
 * messages, or those of the topics to which it subscribes (decision 0078). A message is sent only after the read models
 * contain the change. A client that then reloads a list therefore receives the new state. With the encrypted position
 * `since`, a client resumes without a gap, even on another process. If the event log has lost the event at this
 * position, the client must load its data again (decision 0070). Visitors need no token, because all messages are
 * public (decision 0006).
 */
export function createLiveChannel({
  feed,
  store,
  progress,
  authentication,
  positionTokens,
  subjects,
  log,
  feedTimeout_ms = WAIT_FOR_FEED_ms,
  heartbeat_ms = HEARTBEAT_ms,
  trustedProxies,
  rateLimits,
}: LiveDependencies) {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_bytes, clientTracking: true });
  const stopped = new AbortController();
  // Each waiting read and each wait for a read model listens to this signal. Their number is limited below, so a
  // warning of Node would be wrong.
  setMaxListeners(0, stopped.signal);
  const clients = new Map<WebSocket, Client>();
  /** Clients of all messages that have received all published messages. */
  const listening = new Set<Client>();
  /** Clients with topics that have received all published messages of their topics. */
  const topics = createTopicIndex<Client>();
  const topicPositions = createTopicPositions(START_POSITION);
  /**
   * Clients that have already received newer messages from another process. The value is the position of the last
   * message that the client has received.
   */
  const aheadClients = new Map<Client, Position>();
  const aliveClients = new WeakSet<WebSocket>();
  /** The sessions of the clients that are signed in. */
  const sessions = new Map<WebSocket, { readonly sessionId: string; readonly isStaff: boolean }>();
  /** The number of open connections and handshakes by network address. */
  const countByNetwork = new Map<string, number>();
  /**
   * The last messages, the oldest first. The list contains all messages after the position `recentAfter` up to the
   * position `publishedUpTo`.
   */
  const recent: Encoded[] = [];
  let recentAfter: Position = START_POSITION;
  /** The position in the event log up to which messages are published. Null until the feed has started. */
  let publishedUpTo: Position | null = null;
  /** The last event up to which messages are published and whose id is known. */
  let lastEvent: LogMark | null = null;
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
        if (error instanceof LogRewound) startInReplacedLog();
        else log.error({ err: error }, 'live channel lost its feed, retrying');
      }
      await pause(RETRY_ms, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  }

  async function publishBatch({ after, messages, through, throughId = null, isLogReplaced }: LiveBatch): Promise<void> {
    if (isLogReplaced) startInReplacedLog();
    // The feed has started again, and the log may have been replaced in the meantime.
    else if (publishedUpTo !== null && after < publishedUpTo && !(await isInLog(lastEvent))) startInReplacedLog();
    if (publishedUpTo === null || after > publishedUpTo) restartAt(after);
    const [keys] = await Promise.all([
      subjects.findKeys(messages, { isReplay: false, signal: stopped.signal }),
      waitForLists(messages),
    ]);
    for (const [index, message] of messages.entries()) {
      const sends = publish(message, keys[index] ?? null);
      usedShare += Math.max(sends / SENDS_PER_TURN, 1 / MESSAGES_PER_TURN);
      if (usedShare < 1) continue;
      usedShare = 0;
      await yieldToEventLoop();
    }
    if (publishedUpTo === null || through > publishedUpTo) publishedUpTo = through;
    if (throughId !== null && through === publishedUpTo) lastEvent = { position: through, id: throughId };
    for (const settle of waiting) settle();
  }

  /** Returns true if the event log still contains this event. */
  async function isInLog(event: LogMark | null): Promise<boolean> {
    return event !== null && (await store.findEventId(event.position, event.id)) === event.id;
  }

  /**
   * Closes all connections after the event log was replaced by an older state, e.g. after a failover. The clients may
   * show data of lost events, so they load their data again. The feed then starts again.
   */
  function startInReplacedLog(): void {
    log.warn({ position: publishedUpTo }, 'the event log was replaced by an older state, live clients must reload');
    recent.length = 0;
    recentAfter = START_POSITION;
    publishedUpTo = lastEvent = null;
    for (const socket of server.clients) socket.close(LIVE_CLOSE_CODES.tooOld, 'reload and connect without since');
    stopSending();
  }

  /** Resolves when the read models contain the changes of the messages, or after `WAIT_POSITION_MS`. */
  async function waitForLists(messages: readonly LiveMessage[]): Promise<void> {
    const wait = (lists: readonly string[], last: LiveMessage | undefined) =>
      last ? lists.map((name) => progress.waitFor(name, last.seq as Position, stopped.signal)) : [];
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
    for (const { socket } of [...listening, ...topics.clients(), ...aheadClients.keys()])
      socket.close(RESUME, 'resume with since');
    stopSending();
    topicPositions.restartAt(after);
  }

  function stopSending(): void {
    pages.clear();
    reading.clear();
    listening.clear();
    topics.clear();
    aheadClients.clear();
    subjects.clear();
    topicPositions.restartAt(START_POSITION);
  }

  /** Sends a message to the clients that it concerns. Returns the number of these clients. */
  function publish(live: FeedMessage, keys: LiveKeys): number {
    const position = live.seq as Position;
    if (publishedUpTo !== null && position <= publishedUpTo) return 0;
    const message = encode(live);
    recent.push({ position, id: live.eventId ?? null, message, keys });
    if (recent.length > REPLAY_LIMIT) recentAfter = recent.shift()?.position ?? recentAfter;
    topicPositions.record(keys, position);
    publishedUpTo = position;
    for (const client of listening) send(client, message);
    const concerned = topics.find(keys);
    for (const client of concerned) send(client, message, position);
    for (const [client, received] of aheadClients) {
      if (position < received) continue;
      aheadClients.delete(client);
      listen(client, position);
      if (position > received && isConcerned(client, keys)) send(client, message, position);
    }
    return listening.size + concerned.size;
  }

  /** Returns true if a message concerns a client. A client without topics, e.g. a hidden tab, receives no message. */
  function isConcerned({ keys: own }: Client, keys: LiveKeys): boolean {
    return own === null || (keys === null ? own.size > 0 : keys.some((key) => own.has(key)));
  }

  function send(client: Client, message: Buffer, position = START_POSITION): void {
    const { socket } = client;
    if (socket.bufferedAmount > MAX_BUFFERED_bytes) {
      forget(client);
      socket.close(LIVE_CLOSE_CODES.tooSlow, 'too slow');
      return;
    }
    if (position > client.knownUpTo) client.knownUpTo = position;
    socket.send(message, AS_TEXT);
  }

  function forget(client: Client): void {
    listening.delete(client);
    topics.remove(client);
    aheadClients.delete(client);
    sessions.delete(client.socket);
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
    sendPosition();
  }, heartbeat_ms);
  heartbeat.unref();

  /**
   * Sends the current position to clients with topics. A client whose topics are quiet can then resume without reading
   * many messages that do not concern it. A hidden tab has no topics and receives nothing.
   */
  function sendPosition(): void {
    if (publishedUpTo === null) return;
    let message: Buffer | null = null;
    for (const client of topics.clients()) {
      if (client.keys?.size === 0 || client.knownUpTo >= publishedUpTo) continue;
      message ??= Buffer.from(JSON.stringify({ type: 'position', seq: sealHead() } satisfies LivePosition));
      send(client, message, publishedUpTo);
    }
  }

  /** The last token of `sealHead`, and its position. Thousands of clients that connect at once share it. */
  let sealed: LogMark & { readonly token: string } = { position: START_POSITION, id: null, token: '' };
  /** Returns a token of the position up to which messages are published, with the id of its event if it is known. */
  function sealHead(): string {
    const position = publishedUpTo ?? START_POSITION;
    const id = lastEvent?.position === position ? lastEvent.id : findRecentId(position);
    if (sealed.position !== position || sealed.id !== id)
      sealed = { position, id, token: positionTokens.seal(position, id) };
    return sealed.token;
  }

  /** Returns the id of a message in memory. Returns null if it is unknown. */
  function findRecentId(position: Position): string | null {
    const entry = recent.findLast((one) => one.position <= position);
    return entry?.position === position ? entry.id : null;
  }

  /** Closes the connections whose sessions have ended. A failed check is repeated after the interval. */
  async function closeEndedSessions(): Promise<void> {
    if (sessions.size === 0) return;
    const checked = [...sessions];
    const valid = await authentication.findValidSessionIds(checked.map(([, session]) => session));
    for (const [socket, { sessionId }] of checked) {
      if (valid.has(sessionId)) continue;
      const client = clients.get(socket);
      if (client) forget(client);
      socket.close(LIVE_CLOSE_CODES.invalidToken, 'Authentication required');
    }
  }
  let sessionCheck: Promise<void> = Promise.resolve();
  let isCheckingSessions = false;
  const sessionTimer = setInterval(() => {
    if (isCheckingSessions) return;
    isCheckingSessions = true;
    sessionCheck = closeEndedSessions()
      .catch((error: unknown) => log.warn({ err: error }, 'sessions of live clients could not be checked'))
      .finally(() => (isCheckingSessions = false));
  }, SESSION_CHECK_ms);
  sessionTimer.unref();

  /** Counts a connection of a network address until it closes. Returns false if its network has too many. */
  function countConnection(address: string | undefined, socket: Duplex): boolean {
    const networks = limitByNetwork(address, MAX_CLIENTS_PER_ADDRESS);
    const countOf = (network: string) => countByNetwork.get(network) ?? 0;
    if (rateLimits && networks.some(({ network, max }) => countOf(network) >= max)) return false;
    for (const { network } of networks) countByNetwork.set(network, countOf(network) + 1);
    socket.once('close', () => {
      for (const { network } of networks) {
        const left = countOf(network) - 1;
        if (left > 0) countByNetwork.set(network, left);
        else countByNetwork.delete(network);
      }
    });
    return true;
  }

  // All clients share these listeners, because separate functions for thousands of clients use much memory.
  function onActivity(this: WebSocket): void {
    aliveClients.add(this);
  }
  function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
    aliveClients.add(this);
    const client = clients.get(this);
    if (client) receive(client, isBinary ? '' : (data as Buffer).toString('utf8'));
  }
  function onClose(this: WebSocket): void {
    const client = clients.get(this);
    if (client) forget(client);
    clients.delete(this);
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
   * its token or ticket is checked. With `hasTopics`, the client receives nothing until it sends its topics.
   */
  async function acceptClient(
    socket: WebSocket,
    { token, ticket }: { readonly token: string | null; readonly ticket: string | null },
    { since, hasTopics }: { readonly since: string | null; readonly hasTopics: boolean },
    positionAtOpen: Position,
  ): Promise<void> {
    const client: Client = {
      socket,
      keys: hasTopics ? new Set() : null,
      accountId: null,
      state: 'opening',
      since: positionAtOpen,
      pending: null,
      knownUpTo: START_POSITION,
      allowance: MESSAGE_BURST,
      allowanceAt_ms: performance.now(),
    };
    clients.set(socket, client);
    aliveClients.add(socket);
    socket.on('pong', onActivity);
    socket.on('message', onMessage);
    socket.on('close', onClose);
    socket.on('error', onError);
    if (server.clients.size > MAX_CLIENTS) {
      socket.close(LIVE_CLOSE_CODES.full, 'full');
      return;
    }
    if (token !== null || ticket !== null) {
      const principal = await (ticket === null
        ? authentication.findByToken(token ?? '')
        : authentication.findByLiveTicket(ticket));
      if (!principal) {
        socket.close(LIVE_CLOSE_CODES.invalidToken, 'Authentication required');
        return;
      }
      const isStaff = principal.user.isModerator || principal.isRoleWithheld;
      if (socket.readyState === socket.OPEN) sessions.set(socket, { sessionId: principal.sessionId, isStaff });
      client.accountId = principal.user.id;
    }
    const marks = since === null ? [{ position: positionAtOpen, id: null }] : positionTokens.openMarks(since);
    const state = await checkLog(marks);
    // The client may have disconnected while the log was checked.
    if (socket.readyState !== socket.OPEN) return;
    if (state === 'busy') {
      socket.close(RESUME, 'resume with since');
      return;
    }
    // A page with several embedded responses sends the positions of all of them.
    const sincePosition = marks.map(({ position }) => position).toSorted(comparePositions)[0];
    if (sincePosition === undefined || state === 'lost') {
      socket.close(LIVE_CLOSE_CODES.tooOld, 'reload and connect without since');
      return;
    }
    client.since = client.knownUpTo = sincePosition;
    if (hasTopics) {
      client.state = 'waiting';
      if (client.pending) await startWithTopics(client, client.pending);
    } else if ((await start(client, positionAtOpen)) && client.pending) changeTopics(client, client.pending);
  }

  /**
   * Sends the messages after the position at which a client resumes, and then new messages. Returns false if the
   * connection was closed.
   */
  async function start(client: Client, positionAtOpen: Position): Promise<boolean> {
    const { socket, since } = client;
    if (since <= (publishedUpTo ?? positionAtOpen)) await resume(client, since);
    else {
      listen(client, since);
      await closeBeyondHead(client, since);
    }
    client.state = 'open';
    return socket.readyState === socket.OPEN;
  }

  /** Handles a message of a client. */
  function receive(client: Client, text: string): void {
    const { socket } = client;
    if (socket.readyState !== socket.OPEN) return;
    const now_ms = performance.now();
    const regained = ((now_ms - client.allowanceAt_ms) / 1_000) * MESSAGES_PER_s;
    client.allowance = Math.min(MESSAGE_BURST, client.allowance + regained) - 1;
    client.allowanceAt_ms = now_ms;
    if (client.allowance < 0) {
      forget(client);
      socket.close(POLICY_VIOLATION, 'too many messages');
      return;
    }
    const { message, id } = parseLiveSubscribe(text);
    if (!message) reply(client, { type: 'rejected', id, reason: 'invalid' });
    else if (client.state === 'opening') client.pending = message;
    else if (client.state === 'open') changeTopics(client, message);
    else
      startWithTopics(client, message).catch((error: unknown) => {
        log.warn({ err: error }, 'live client could not resume');
        socket.close(FAILED, 'try again');
      });
  }

  /**
   * Subscribes a client that has sent its first topics. It then resumes at the position of its connection. If the
   * topics are rejected, the client still waits for its first topics.
   */
  async function startWithTopics(client: Client, request: LiveSubscribe): Promise<void> {
    client.pending = null;
    const keys = acceptTopics(client, request);
    if (keys === null) return;
    client.keys = new Set(keys);
    client.state = 'opening';
    if (!(await start(client, client.since))) return;
    // A newer subscription, which arrived meanwhile, replaces this one.
    if (client.pending) changeTopics(client, client.pending);
    else replySubscribed(client, request, keys);
  }

  /** Replaces the topics of a client. The topics that it already had continue without a gap. */
  function changeTopics(client: Client, request: LiveSubscribe): void {
    client.pending = null;
    const keys = acceptTopics(client, request);
    if (keys === null) return;
    client.keys = new Set(keys);
    // A client that is ahead of this process is added to the topics later, by `listen`.
    if (listening.delete(client) || !aheadClients.has(client)) topics.set(client, client.keys);
    replySubscribed(client, request, keys);
  }

  /** Returns the keys of the topics, in their order. Returns null after a rejection. */
  function acceptTopics(client: Client, { id, topics: wanted }: LiveSubscribe): readonly string[] | null {
    const keys = wanted.map((topic) => liveTopicKeyOf(topic, client.accountId));
    if (keys.every((key) => key !== null)) return keys;
    reply(client, { type: 'rejected', id, reason: 'sign_in' });
    return null;
  }

  function replySubscribed(client: Client, { id, since }: LiveSubscribe, keys: readonly string[]): void {
    const ahead = aheadClients.get(client);
    const isAhead = ahead !== undefined;
    const first = since == null ? undefined : positionTokens.openAll(since).toSorted(comparePositions)[0];
    // A client that is ahead receives all messages after its last one (`ahead`) when this process publishes them. This
    // process has not published the messages between `first` and `ahead`, so their topics are unknown.
    const isUnknown = first === undefined || (isAhead && comparePositions(first, ahead) < 0);
    const hasMissed = (key: string) => isUnknown || topicPositions.hasChanged(key, first);
    const missed = since == null ? [] : [...keys.keys()].filter((index) => hasMissed(keys[index] ?? ''));
    reply(client, { type: 'subscribed', id, seq: isAhead ? null : sealHead(), missed });
    if (!isAhead && publishedUpTo !== null) client.knownUpTo = publishedUpTo;
  }

  function reply({ socket }: Client, message: LiveSubscribed | LiveRejected): void {
    socket.send(JSON.stringify(message));
  }

  /**
   * Checks whether the event log still contains the events at which a client resumes. Events without an id are not
   * checked, because tokens of earlier builds and of writes contain no id. Rejects if the event store is unavailable.
   */
  async function checkLog(marks: readonly LogMark[]): Promise<'same' | 'lost' | 'busy'> {
    for (const mark of marks) {
      if (mark.id === null || isPublished(mark)) continue;
      const id = await readSharedId(mark);
      if (id === 'busy') return 'busy';
      if (id !== mark.id) return 'lost';
    }
    return 'same';
  }

  /** Returns true if this process has published the event, so that the event store need not be read. */
  function isPublished({ position, id }: LogMark): boolean {
    if (lastEvent?.position === position) return lastEvent.id === id;
    const entry = recent.findLast((one) => one.position <= position);
    return entry?.position === position && entry.id === id;
  }

  /** Encodes a message for clients. They receive its position only as an encrypted token. */
  function encode({ eventId, ...message }: FeedMessage): Buffer {
    return Buffer.from(JSON.stringify({ ...message, seq: positionTokens.seal(message.seq as Position, eventId) }));
  }

  /**
   * Sends the messages after the position `since`. Older messages are read from the event store, and newer messages
   * from memory. The client is registered for new messages right after the last of these messages. No other code runs
   * in between, so the client misses no message.
   */
  async function resume(client: Client, since: Position): Promise<void> {
    const { socket, keys } = client;
    // A client without topics misses nothing, so no message is read for it.
    if (keys?.size === 0) {
      listen(client, publishedUpTo ?? since);
      return;
    }
    let sent = since;
    let count = 0;
    while (sent < recentAfter) {
      const until = recentAfter;
      const page = await readShared(sent, until);
      // The client may have disconnected while the events were read.
      if (socket.readyState !== socket.OPEN) return;
      if (page === 'busy') {
        socket.close(RESUME, 'resume with since');
        return;
      }
      count += page?.count ?? 0;
      if (page === null || count >= REPLAY_LIMIT) {
        socket.close(LIVE_CLOSE_CODES.tooOld, 'reload and connect without since');
        return;
      }
      for (const { position, message, keys: concerned } of page.messages)
        if (isConcerned(client, concerned)) send(client, message, position);
      sent = until;
    }
    for (const { position, message, keys: concerned } of recent)
      if (position > sent && isConcerned(client, concerned)) send(client, message, position);
    listen(client, publishedUpTo ?? sent);
  }

  /**
   * The running reads of the event store. After a gap, thousands of clients connect again, most of them with the same
   * position. These clients share one read. A read is only shared while `until` is the same, because a read that has
   * begun before may lack the messages that have left the memory since then.
   */
  const reading = new Map<string, Promise<Page | null | 'busy'>>();
  /**
   * The last pages that were read, by the same key. The messages of a range never change, so the clients that connect
   * after a restart share them even if they do not connect at the same time.
   */
  const pages = new LRUCache<string, Page>({ max: MAX_PAGES, ttl: PAGE_LIFETIME_ms });
  const readers = createSlots({
    max: MAX_STORE_READS,
    maxWaiting: MAX_WAITING_READS,
    wait_ms: WAIT_FOR_STORE_ms,
  });
  function readShared(after: Position, until: Position): Promise<Page | null | 'busy'> {
    const key = `${after} ${until}`;
    const page = pages.get(key);
    if (page) return Promise.resolve(page);
    const pendingRead = reading.get(key);
    if (pendingRead) return pendingRead;
    const read = readers
      .take(stopped.signal)
      .then(async (slot) => (slot ? readStore(after, until).finally(() => slot.release()) : ('busy' as const)))
      .then((result) => {
        // The log may have been replaced meanwhile.
        if (result !== null && result !== 'busy' && reading.get(key) === read) pages.set(key, result);
        return result;
      })
      .finally(() => {
        if (reading.get(key) === read) reading.delete(key);
      });
    reading.set(key, read);
    return read;
  }

  /**
   * The running reads of event ids. Clients that resume at the same event share one read. Clients with different events
   * at one position do not, because the store confirms a difference from the event that the client expects.
   */
  const readingIds = new Map<string, Promise<string | null>>();
  const idReaders = createSlots({ max: MAX_ID_READS, maxWaiting: MAX_WAITING_READS, wait_ms: WAIT_FOR_STORE_ms });
  /**
   * Returns the id of the event at the position of `mark`, null if there is no such event, or `busy` if too many reads
   * wait.
   */
  function readSharedId(mark: LogMark): Promise<string | null> {
    const key = `${mark.position} ${mark.id}`;
    const pendingRead = readingIds.get(key);
    if (pendingRead) return pendingRead;
    const read = idReaders
      .take(stopped.signal)
      .then(async (slot) => (slot ? readId(mark).finally(() => slot.release()) : 'busy'))
      .finally(() => readingIds.delete(key));
    readingIds.set(key, read);
    return read;
  }

  async function readId({ position, id }: LogMark): Promise<string | null> {
    try {
      return await store.findEventId(position, id);
    } catch (error) {
      // The position belongs to another kind of event store.
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /**
   * Reads a page of events after a position, up to `until`. Returns null if the position is invalid or belongs to
   * another event store.
   */
  async function readStore(after: Position, until: Position): Promise<Page | null> {
    let events: readonly RecordedEvent[];
    try {
      events = await store.readAll({ after, types: LIVE_EVENT_TYPES, limit: REPLAY_LIMIT });
    } catch (error) {
      if (isTransient(error)) throw error;
      log.warn({ err: error }, 'live client sent a position that the event store cannot read from');
      return null;
    }
    const due = events.filter(({ position }) => position <= until);
    const messages = due.map(createMessage).filter((message) => message !== null);
    const keys = await subjects.findKeys(messages, { isReplay: true, signal: stopped.signal });
    return {
      count: due.length,
      messages: messages.map((message, index) => ({
        position: message.seq as Position,
        id: message.eventId ?? null,
        message: encode(message),
        keys: keys[index] ?? null,
      })),
    };
  }

  /**
   * Converts an event to a message of the live channel. Returns null for an event that cannot be read, so that the
   * other events are still sent.
   */
  function createMessage(recorded: RecordedEvent): FeedMessage | null {
    try {
      return toFeedMessage(recorded);
    } catch (error) {
      log.error(
        { err: error, position: recorded.position, type: recorded.type },
        'event skipped because it cannot be read',
      );
      return null;
    }
  }

  function listen(client: Client, received: Position): void {
    if (client.socket.readyState !== client.socket.OPEN) return;
    if (publishedUpTo !== null && received > publishedUpTo) aheadClients.set(client, received);
    else if (client.keys === null) listening.add(client);
    else topics.set(client, client.keys);
  }

  /**
   * Closes the connection of a client whose position is after the end of the event log. No message can follow this
   * position.
   */
  async function closeBeyondHead(client: Client, since: Position): Promise<void> {
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
    forget(client);
    client.socket.close(LIVE_CLOSE_CODES.tooOld, 'reload and connect without since');
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
    upgrade(req: IncomingMessage, socket: Socket, head: Buffer, onAccepted: () => void): boolean {
      // The request target is not trusted, and `new URL` throws for invalid text, so the target is split here.
      const [pathname, search = ''] = (req.url ?? '').split('?', 2);
      if (pathname !== PATH) return false;
      if (!countConnection(findClientAddress(req, trustedProxies), socket)) {
        rejectUpgrade(socket, '429 Too Many Requests');
        return true;
      }
      const parameters = new URLSearchParams(search);
      const since = parameters.get('since') || null;
      // The value `none` means that the client starts without topics. Other clients receive all messages.
      const hasTopics = parameters.get('topics') === 'none';
      const caller = { token: parameters.get('token') || null, ticket: parameters.get('ticket') || null };
      whenStarted(socket, (positionAtOpen) =>
        server.handleUpgrade(req, socket, head, (client) => {
          acceptClient(client, caller, { since, hasTopics }, positionAtOpen)
            .catch((error: unknown) => {
              log.warn({ err: error }, 'live client could not be accepted');
              client.close(FAILED, 'try again');
            })
            .finally(onAccepted);
        }),
      );
      return true;
    },
    countClients: (): number => server.clients.size,
    /** Closes every connection with the WebSocket code 1001 and stops the live channel. */
    async stop(): Promise<void> {
      clearInterval(heartbeat);
      clearInterval(sessionTimer);
      stopped.abort();
      for (const settle of waiting) settle();
      for (const socket of server.clients) socket.close(1001, 'restarting');
      await Promise.all([running, sessionCheck]);
      await pause(50);
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}
