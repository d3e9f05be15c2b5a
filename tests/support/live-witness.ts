import type { LiveMessage } from '@alpenglow/domain';
import { WebSocket } from 'ws';

/** A client of the live channel that comes back whenever it is cut off, from where it was. */
export interface LiveWitness {
  /** Everything it was told, over all its connections. */
  readonly messages: readonly LiveMessage[];
  readonly connections: number;
  /** Everything but a connection that was cut off or a word to come back: close codes, answers to the handshake, faults of the protocol. */
  readonly refusals: readonly (number | string)[];
  stop(): void;
}

const COME_BACK_ms = 100;
/** Cut off, going away, come back, and come back since something failed. */
const COME_BACK = new Set([1001, 1006, 1011, 1012]);
const UNAVAILABLE = 'Unexpected server response: 503';
/** What the client says of a handshake that was answered otherwise, and of bytes that are no frames. */
const FAULT = /^(?:Unexpected server response|Invalid WebSocket frame|Invalid Sec-WebSocket|Server sent)/u;

/** Connects to the live channel at `url` after `since` (now, without one), and stays. Resolves once it is connected for the first time. */
export async function witnessLive(url: string, since: string | null = null): Promise<LiveWitness> {
  const messages: LiveMessage[] = [];
  const refusals: (number | string)[] = [];
  let connections = 0;
  let socket: WebSocket;
  let isStopped = false;

  function connect(onOpen: () => void): void {
    const last = messages.at(-1)?.seq ?? since;
    socket = new WebSocket(
      `${url.replace('http', 'ws')}/api/live${last === null ? '' : `?since=${encodeURIComponent(last)}`}`,
      { handshakeTimeout: 5_000 },
    );
    socket.once('open', () => {
      connections += 1;
      onOpen();
    });
    socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString('utf8')) as LiveMessage));
    socket.on('error', ({ message }) => {
      if (FAULT.test(message) && message !== UNAVAILABLE) refusals.push(message);
    });
    socket.once('close', (code) => {
      if (!COME_BACK.has(code) && !isStopped) refusals.push(code);
      if (!isStopped) setTimeout(() => connect(onOpen), COME_BACK_ms);
    });
  }
  await new Promise<void>(connect);
  return {
    messages,
    refusals,
    get connections() {
      return connections;
    },
    stop() {
      isStopped = true;
      socket.terminate();
    },
  };
}
