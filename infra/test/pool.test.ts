import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createPool } from '../src/adapters/postgres/pool.ts';

/** A message of the Postgres protocol: its letter, its length, what it says. */
function message(letter: string, said: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(4 + said.length, 1);
  return Buffer.concat([head, said]);
}
const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const ENDED = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));

let server: Server;
afterEach(() => void server.close());

test('a connection that is ended in the packet in which it becomes free is an error of what is asked of it, and of nothing else', async () => {
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
