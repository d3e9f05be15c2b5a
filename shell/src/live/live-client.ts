import {
  AD_LIVE_TYPES,
  LIVE_CLOSE,
  LIVE_RECONNECT_ms,
  THREAD_LIVE_TYPES,
  type LiveMessage,
} from '@alpenglow/domain/contracts';

/** As much of a WebSocket as is used here. */
export type LiveSocket = Pick<WebSocket, 'onopen' | 'onmessage' | 'onclose' | 'close'>;

export interface LiveClientDependencies {
  /** Opens `/api/live` with this query. */
  readonly open: (query: string) => LiveSocket;
  readonly onMessage: (message: LiveMessage) => void;
  /** The position of what the page came with; null when that is not known. */
  readonly since?: string | null;
  /** Changes may have been missed: what is shown must be asked for again. `isStart`: since the page began, not since a connection broke. */
  readonly onGap: (gap: { readonly isStart: boolean }) => void;
  /** The token is no longer good. */
  readonly onBadToken: () => void;
  /** Whether messages arrive. False only after a connection broke or could not be made. */
  readonly onConnected: (connected: boolean) => void;
  readonly reconnect_ms?: number;
}

/**
 * The live channel (specification, section 4): for everybody, with or without a token. It comes back 5 s after it broke and goes on
 * where it was, at first where the page came from; where that cannot be done, it says so.
 */
export class LiveClient {
  readonly #dependencies: LiveClientDependencies;
  #socket: LiveSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #token: string | null = null;
  #since: string | null;
  #hasBeenOpen = false;

  constructor(dependencies: LiveClientDependencies) {
    this.#dependencies = dependencies;
    this.#since = dependencies.since ?? null;
  }

  /** Connects, or connects anew as somebody else. */
  connect(token: string | null): void {
    this.disconnect();
    this.#token = token;
    const search = new URLSearchParams();
    if (token !== null) search.set('token', token);
    if (this.#since !== null) search.set('since', this.#since);

    const socket = this.#dependencies.open(search.toString());
    this.#socket = socket;
    socket.onopen = () => {
      // Nothing to go on from: there is no telling what happened before.
      if (this.#since === null) this.#dependencies.onGap({ isStart: !this.#hasBeenOpen });
      this.#hasBeenOpen = true;
      this.#dependencies.onConnected(true);
    };
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code }) => this.#closed(code);
  }

  disconnect(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (!this.#socket) return;
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close();
    this.#socket = null;
  }

  #receive(data: unknown): void {
    const message = parseMessage(data);
    if (!message) return;
    // Positions are ordered as text. One at or below the last has been told.
    if (this.#since !== null && message.seq <= this.#since) return;
    this.#since = message.seq;
    if (isKnown(message)) this.#dependencies.onMessage(message);
  }

  #closed(code: number): void {
    this.#socket = null;
    this.#dependencies.onConnected(false);
    if (code === LIVE_CLOSE.badToken) {
      this.#token = null;
      this.#dependencies.onBadToken();
    }
    if (code === LIVE_CLOSE.tooOld) this.#since = null;
    this.#timer ??= setTimeout(() => this.connect(this.#token), this.#dependencies.reconnect_ms ?? LIVE_RECONNECT_ms);
  }
}

function parseMessage(data: unknown): (Omit<LiveMessage, 'type'> & { readonly type: string }) | null {
  if (typeof data !== 'string') return null;
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' &&
      value !== null &&
      'seq' in value &&
      typeof value.seq === 'string' &&
      'type' in value &&
      typeof value.type === 'string'
      ? (value as LiveMessage)
      : null;
  } catch {
    return null;
  }
}

const KNOWN_TYPES: readonly string[] = [...AD_LIVE_TYPES, ...THREAD_LIVE_TYPES];

/** Unknown events are ignored (specification, section 4). */
const isKnown = (message: { readonly type: string }): message is LiveMessage => KNOWN_TYPES.includes(message.type);
