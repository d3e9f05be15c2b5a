import type { Duplex } from 'node:stream';
import type { Position } from '@alpenglow/domain';
import { limitByNetwork } from '@alpenglow/infra';

/** The maximum number of clients of a process, and of handshakes that wait. */
export const MAX_CLIENTS = 10_000;
/**
 * The maximum number of connections of one network address. Many people may share an address. A /48 network of
 * IPv6 may have four times as many.
 */
const MAX_CLIENTS_PER_ADDRESS = 200;

/**
 * Creates the limit on the connections of one network address. It owns the number of open connections and handshakes by
 * network address. The returned function counts a connection until it closes. It returns false if the network has too
 * many, unless `isLimited` is false.
 */
export function createConnectionLimit(isLimited: boolean) {
  const countByNetwork = new Map<string, number>();
  const countOf = (network: string) => countByNetwork.get(network) ?? 0;
  return (address: string | undefined, socket: Duplex): boolean => {
    const networks = limitByNetwork(address, MAX_CLIENTS_PER_ADDRESS);
    if (isLimited && networks.some(({ network, max }) => countOf(network) >= max)) return false;
    for (const { network } of networks) countByNetwork.set(network, countOf(network) + 1);
    socket.once('close', () => {
      for (const { network } of networks) {
        const left = countOf(network) - 1;
        if (left > 0) countByNetwork.set(network, left);
        else countByNetwork.delete(network);
      }
    });
    return true;
  };
}

interface WaitingHandshakesOptions {
  /** Returns the position up to which messages are published. Null until the feed has started. */
  readonly head: () => Position | null;
  /** The maximum time that a WebSocket handshake waits until the feed of messages has started. */
  readonly timeout_ms: number;
}

export type WaitingHandshakes = ReturnType<typeof createWaitingHandshakes>;

/**
 * Owns the WebSocket handshakes that wait for the start of the feed. They wait, because a client must receive every
 * message after its connection is open.
 */
export function createWaitingHandshakes({ head, timeout_ms }: WaitingHandshakesOptions) {
  const waiting = new Set<() => void>();
  return {
    /**
     * Calls `open` with the position of the feed when it has started. Responds with 503 if it does not start in time.
     */
    whenStarted(socket: Duplex, open: (position: Position) => void): void {
      const position = head();
      if (position !== null) {
        open(position);
        return;
      }
      const settle = () => {
        clearTimeout(timer);
        waiting.delete(settle);
        socket.off('close', settle);
        const started = head();
        if (started !== null) open(started);
        else if (!socket.destroyed)
          socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\r\n', () =>
            socket.destroy(),
          );
      };
      const timer = setTimeout(settle, waiting.size < MAX_CLIENTS ? timeout_ms : 0);
      waiting.add(settle);
      socket.on('close', settle);
    },
    /** Continues all handshakes, because the feed has started. If it has not, they are rejected. */
    settle(): void {
      for (const settle of waiting) settle();
    },
  };
}
