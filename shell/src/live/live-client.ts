import {
  AD_LIVE_TYPES,
  LIVE_CLOSE_CODES,
  LIVE_RECONNECT_ms,
  LIVE_RECONNECT_SPREAD_ms,
  THREAD_LIVE_TYPES,
  type LiveMessage,
  type LivePosition,
  type LiveRejected,
  type LiveSubscribe,
  type LiveSubscribed,
} from '@alpenglow/domain/contracts';
import { isApiError, parseObject } from '@alpenglow/ui';

/** The WebSocket close code of a connection that could not be opened. */
const NO_CONNECTION = 1006;

/** The members of `WebSocket` that the client uses. */
export type LiveSocket = Pick<WebSocket, 'onopen' | 'onmessage' | 'onclose' | 'close' | 'send'>;

/** A reply to a subscription. */
export type LiveReply = LiveSubscribed | LiveRejected;

/**
 * A position in the event log, as an encrypted token. The client cannot compare tokens, so `order` counts the positions
 * that it has received. The token is null if the position is unknown.
 */
export interface Mark {
  readonly order: number;
  readonly token: string | null;
}

export interface LiveClientDependencies {
  readonly open: (query: string) => LiveSocket;
  /**
   * Returns a ticket that opens one connection for the user of `token`. The URL contains the ticket, because a token in
   * a URL could reach the log of a proxy. Rejects with an `ApiError`.
   */
  readonly getTicket: (token: string) => Promise<string>;
  readonly onMessage: (message: LiveMessage) => void;
  readonly onReply: (reply: LiveReply) => void;
  /**
   * Called with each position that the client receives, before the message with this position is processed. Data that
   * is loaded later must be at least as new, because it counts as current up to this position.
   */
  readonly onPosition: (token: string) => void;
  /** Called when a connection is open. The server sends no messages until the client has sent its topics. */
  readonly onOpen: () => void;
  readonly since?: string | null;
  /**
   * Called if the client may have missed live messages, because visible data must then be fetched again. `isStart` is
   * true if the missed messages are from the time before the first connection, and false after a disconnection.
   */
  readonly onGap: (gap: { readonly isStart: boolean }) => void;
  readonly onBadToken: () => void;
  /** Called with the connection state. False means that a connection was lost or could not be opened. */
  readonly onConnected: (connected: boolean) => void;
  readonly reconnect_ms?: number;
  /** Returns a random number from 0 to 1. */
  readonly random?: () => number;
}

/**
 * The client of the live channel, which sends changes to the browser. The user does not have to be
 * signed in. The client starts at the event log position of the data on the page. After a disconnection it waits 5 to
 * 10 s, connects again and continues after the last position that it received. It calls `onGap` if the server no longer
 * has the messages after this position.
 */
export class LiveClient {
  readonly #dependencies: LiveClientDependencies;
  #socket: LiveSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #token: string | null = null;
  #position: Mark;
  #isOpen = false;
  #hasBeenOpen = false;
  /** The number of connections and disconnections so far. A ticket of an earlier attempt is not used. */
  #attempt = 0;

  constructor(dependencies: LiveClientDependencies) {
    this.#dependencies = dependencies;
    this.#position = { order: 0, token: dependencies.since ?? null };
  }

  /** The last position that the client has received. */
  get position(): Mark {
    return this.#position;
  }

  /** Sends the topics of the page. Without a connection, nothing is sent. */
  send(message: LiveSubscribe): void {
    if (this.#isOpen) this.#socket?.send(JSON.stringify(message));
  }

  /** Connects the user of `token`, or a visitor. Closes an existing connection first. */
  connect(token: string | null): void {
    this.disconnect();
    this.#token = token;
    if (token === null) {
      this.#open(null);
      return;
    }
    const attempt = this.#attempt;
    this.#dependencies.getTicket(token).then(
      (ticket) => {
        if (attempt === this.#attempt) this.#open(ticket);
      },
      (error: unknown) => {
        if (attempt !== this.#attempt) return;
        this.#closed(isApiError(error) && error.status === 401 ? LIVE_CLOSE_CODES.invalidToken : NO_CONNECTION);
      },
    );
  }

  #open(ticket: string | null): void {
    const search = new URLSearchParams();
    if (ticket !== null) search.set('ticket', ticket);
    if (this.#position.token !== null) search.set('since', this.#position.token);
    // The topics follow in a message. A server of an earlier build ignores this parameter and sends all messages.
    search.set('topics', 'none');

    const socket = this.#dependencies.open(search.toString());
    this.#socket = socket;
    socket.onopen = () => {
      // The client has no position in the event log from which it can continue, so it may have missed earlier messages.
      if (this.#position.token === null) this.#dependencies.onGap({ isStart: !this.#hasBeenOpen });
      this.#hasBeenOpen = this.#isOpen = true;
      this.#dependencies.onOpen();
      this.#dependencies.onConnected(true);
    };
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code }) => this.#closed(code);
  }

  /** Closes an open connection, because the page becomes hidden for an unknown time. */
  suspend(): void {
    // Browsers report an error if a connection that is still being opened is closed.
    if (this.#isOpen) this.disconnect();
  }

  disconnect(): void {
    this.#attempt += 1;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#isOpen = false;
    if (!this.#socket) return;
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close();
    this.#socket = null;
  }

  #receive(data: unknown): void {
    const message = parseMessage(data);
    if (!message) return;
    if ('seq' in message && message.seq !== null) {
      this.#moveTo(message.seq);
      this.#dependencies.onPosition(message.seq);
    }
    if (isReply(message)) this.#dependencies.onReply(message);
    else if (isKnown(message)) this.#dependencies.onMessage(message);
  }

  #moveTo(token: string | null): void {
    this.#position = { order: this.#position.order + 1, token };
  }

  #closed(code: number): void {
    this.#socket = null;
    this.#isOpen = false;
    this.#dependencies.onConnected(false);
    if (code === LIVE_CLOSE_CODES.invalidToken) {
      this.#token = null;
      this.#dependencies.onBadToken();
    }
    if (code === LIVE_CLOSE_CODES.tooOld) this.#moveTo(null);
    const { reconnect_ms = LIVE_RECONNECT_ms, random = Math.random } = this.#dependencies;
    this.#timer ??= setTimeout(() => this.connect(this.#token), reconnect_ms + random() * LIVE_RECONNECT_SPREAD_ms);
  }
}

type Received = (LiveMessage | LiveReply | LivePosition) & { readonly type: string };

function parseMessage(data: unknown): Received | null {
  const message = typeof data === 'string' ? parseObject(data) : null;
  if (typeof message?.['type'] !== 'string') return null;
  const isMessage = typeof message['seq'] === 'string' || REPLY_TYPES.includes(message['type']);
  return isMessage ? (message as unknown as Received) : null;
}

const KNOWN_TYPES: readonly string[] = [...AD_LIVE_TYPES, ...THREAD_LIVE_TYPES];
const REPLY_TYPES: readonly string[] = ['subscribed', 'rejected'] satisfies LiveReply['type'][];

const isReply = (message: Received): message is LiveReply => REPLY_TYPES.includes(message.type);
/** Checks whether this client knows the type of a message. Messages of other types are ignored. */
const isKnown = (message: Received): message is LiveMessage => KNOWN_TYPES.includes(message.type);
