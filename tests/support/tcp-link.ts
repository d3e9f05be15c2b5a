import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Forwards connections to a server and can simulate network failures. */
export interface TcpLink {
  readonly port: number;
  /** Returns the number of open connections of clients. */
  connections(): number;
  /** Returns the method and path of each HTTP request so far. */
  requests(): readonly string[];
  /** From now on, discards all data. Connections stay open. */
  discardData(): void;
  /** Resets every open connection. From now on, also resets every new connection. */
  resetConnections(): void;
  /** From now on, delays all data from the server. */
  delayData(delay_ms: number): void;
  /** Resets every open connection. New connections lead to another port. */
  redirect(port: number): void;
  restore(): void;
  close(): Promise<void>;
}

/**
 * Opens a link that forwards connections to `targetPort` of this machine. Clients connect to the `port` of the link.
 */
export async function openTcpLink(targetPort: number): Promise<TcpLink> {
  let currentPort = targetPort;
  let mode: 'works' | 'silent' | 'broken' = 'works';
  let delay_ms = 0;
  const open = new Set<Socket>();
  const requests: string[] = [];
  const server = createServer((socket) => {
    if (mode === 'broken') {
      socket.resetAndDestroy();
      return;
    }
    const target = connect(currentPort, '127.0.0.1');
    open.add(socket);
    socket.on('close', () => {
      open.delete(socket);
      target.destroy();
    });
    target.on('close', () => socket.destroy());
    for (const end of [socket, target]) end.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const line = /^(?:GET|HEAD|PUT|POST|DELETE) \S+/u.exec(chunk.toString('latin1'));
      if (line) requests.push(line[0]);
      if (mode === 'works' && !target.write(chunk)) {
        socket.pause();
        target.once('drain', () => socket.resume());
      }
    });
    target.on('data', (chunk) => {
      if (delay_ms > 0) setTimeout(() => mode === 'works' && socket.write(chunk), delay_ms);
      else if (mode === 'works' && !socket.write(chunk)) {
        target.pause();
        socket.once('drain', () => target.resume());
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const resetAll = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => open.size,
    requests: () => requests,
    discardData: () => (mode = 'silent'),
    resetConnections() {
      mode = 'broken';
      resetAll();
    },
    delayData: (by_ms) => (delay_ms = by_ms),
    redirect(port) {
      currentPort = port;
      resetAll();
    },
    restore() {
      // Discarded data is missing on open connections, and delayed data may arrive out of order. All connections are
      // therefore reset.
      if (mode === 'silent' || delay_ms > 0) resetAll();
      delay_ms = 0;
      mode = 'works';
    },
    async close() {
      resetAll();
      server.close();
      await once(server, 'close');
    },
  };
}
