import net from 'node:net';

/** Below those the system gives to connections, and to whoever asks for any port: nobody takes one of these between its choice and its use. */
const LEAST = 20_000;
const MOST = 32_000;

/** A port of this machine for a program that has to be told which. */
export async function chosenPort(): Promise<number> {
  for (;;) {
    const port = LEAST + Math.floor(Math.random() * (MOST - LEAST));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
