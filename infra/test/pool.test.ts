import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createPool } from '../src/adapters/postgres/pool.ts';

/** Returns a message of the Postgres protocol, which consists of its letter, its length and its content. */
function message(letter: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(4 + content.length, 1);
  return Buffer.concat([head, content]);
}
const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const ENDED = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));

let server: Server;
afterEach(() => void server.close());

test('a connection that ends in the packet in which it becomes ready fails only its next query', async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, ENDED])));
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  );
  const pool = createPool({
    connectionString: `postgres://someone@127.0.0.1:${port}/any`,
    max: 1,
    applicationName: 'test',
  });
  const client = await pool.connect();
  await expect(client.query('select 1')).rejects.toThrow();
  client.release();
  expect(pool.totalCount).toBe(0);
  await pool.end();
});

test('the end of a pool waits until the server has closed the connections', async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(Buffer.concat([AUTHENTICATED, READY]));
      socket.once('data', () => server.emit('terminate', socket));
    });
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  );
  const pool = createPool({
    connectionString: `postgres://someone@127.0.0.1:${port}/any`,
    max: 1,
    applicationName: 'test',
  });
  (await pool.connect()).release();
  const terminated = once(server, 'terminate');
  let hasEnded = false;
  const ended = pool.end().then(() => (hasEnded = true));
  const [socket] = (await terminated) as [Socket];
  expect(hasEnded).toBe(false);
  socket.end();
  await ended;
});
