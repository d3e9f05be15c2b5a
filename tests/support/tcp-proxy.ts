import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Forwards connections to a server until the test cuts them. */
export interface TcpProxy {
  readonly port: number;
  /** Closes every connection and accepts no new ones. */
  cut(): Promise<void>;
  /** Forwards connections again, on the same port. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function openTcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;

  function forward(client: Socket): void {
    const upstream = connect(target);
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          peer.destroy();
        });
      socket.pipe(peer);
    }
  }

  async function listen(at: number): Promise<Server> {
    const listening = createServer(forward).listen(at, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  }

  async function cut(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  return {
    port,
    cut,
    async restore() {
      if (!server.listening) server = await listen(port);
    },
    close: cut,
  };
}
