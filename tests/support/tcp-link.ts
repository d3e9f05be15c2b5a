import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A connection to a server that can fail in the ways networks do. */
export interface TcpLink {
  readonly port: number;
  /** Connections open now. */
  connections(): number;
  /** Method and path of the HTTP requests that were sent. */
  requests(): readonly string[];
  /** From now on takes what it is sent, and nothing comes back. */
  fallSilent(): void;
  /** Breaks every connection, and each new one. */
  breakOff(): void;
  /** From now on what comes back takes this much longer. */
  slowDown(delay_ms: number): void;
  mend(): void;
  close(): Promise<void>;
}

/** Opens a link to a port of this machine. */
export async function openTcpLink(targetPort: number): Promise<TcpLink> {
  let mode: 'works' | 'silent' | 'broken' = 'works';
  let delay_ms = 0;
  const open = new Set<Socket>();
  const requests: string[] = [];
  const server = createServer((socket) => {
    if (mode === 'broken') {
      socket.resetAndDestroy();
      return;
    }
    const target = connect(targetPort, '127.0.0.1');
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
  const breakAll = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => open.size,
    requests: () => requests,
    fallSilent: () => (mode = 'silent'),
    breakOff() {
      mode = 'broken';
      breakAll();
    },
    slowDown: (by_ms) => (delay_ms = by_ms),
    mend() {
      // What was swallowed would be missing in what follows, and what is late would come after it.
      if (mode === 'silent' || delay_ms > 0) breakAll();
      delay_ms = 0;
      mode = 'works';
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
