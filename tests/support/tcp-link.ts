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
  /** Calls `isChosen` once for each open connection, and resets the connection if it returns true. */
  resetSome(isChosen: () => boolean): void;
  /** From now on, delays all data from the server. */
  delayData(delay_ms: number): void;
  /** Resets every open connection. New connections lead to another port. */
  redirect(port: number): void;
  /** Ends `discardData`, `resetConnections` and `delayData`. */
  restore(): void;
  /** Closes every connection and the port, so that no new connection is accepted. */
  cut(): Promise<void>;
  /** Opens the port again after `cut`. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** The path of a longer request is cut off. */
const MAX_REQUEST_LINE_bytes = 1_024;

/**
 * Opens a link that forwards connections to `targetPort` of `host`. Clients connect to the `port` of the link.
 */
export async function openTcpLink(targetPort: number, host = '127.0.0.1'): Promise<TcpLink> {
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
    const target = connect(currentPort, host);
    open.add(socket);
    socket.on('close', () => {
      open.delete(socket);
      target.destroy();
    });
    target.on('close', () => socket.destroy());
    for (const end of [socket, target]) {
      end.on('error', () => undefined);
      // Without this, small messages wait for acknowledgements of earlier ones.
      end.setNoDelay(true);
    }
    socket.on('data', (chunk) => {
      const line = /^(?:GET|HEAD|PUT|POST|DELETE) \S+/u.exec(chunk.toString('latin1', 0, MAX_REQUEST_LINE_bytes));
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
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port: ownPort } = server.address() as AddressInfo;
  const resetAll = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  const cut = async () => {
    if (!server.listening) return;
    resetAll();
    server.close();
    await once(server, 'close');
  };
  return {
    port: ownPort,
    connections: () => open.size,
    requests: () => requests,
    discardData: () => (mode = 'silent'),
    resetConnections() {
      mode = 'broken';
      resetAll();
    },
    resetSome(isChosen) {
      for (const socket of open) if (isChosen()) socket.resetAndDestroy();
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
    cut,
    async reopen() {
      if (!server.listening) await listen(ownPort);
    },
    close: cut,
  };
}

/** Combines links. Each method acts on all of them. The port is that of the first link. */
export function joinLinks(first: TcpLink, others: () => readonly TcpLink[]): TcpLink {
  const each = (action: (link: TcpLink) => unknown) => {
    for (const link of [first, ...others()]) action(link);
  };
  const all = async (action: (link: TcpLink) => Promise<void>) => {
    await Promise.all([first, ...others()].map(action));
  };
  return {
    port: first.port,
    connections: () => [first, ...others()].reduce((sum, link) => sum + link.connections(), 0),
    requests: () => [first, ...others()].flatMap((link) => link.requests()),
    discardData: () => each((link) => link.discardData()),
    resetConnections: () => each((link) => link.resetConnections()),
    resetSome: (isChosen) => each((link) => link.resetSome(isChosen)),
    delayData: (by_ms) => each((link) => link.delayData(by_ms)),
    redirect: (port) => each((link) => link.redirect(port)),
    restore: () => each((link) => link.restore()),
    cut: () => all((link) => link.cut()),
    reopen: () => all((link) => link.reopen()),
    close: () => all((link) => link.close()),
  };
}
