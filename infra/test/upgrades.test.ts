import { createServer, request, type ClientRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFairQueue } from '../src/http/fair-queue.ts';
import { acceptUpgrades } from '../src/http/upgrades.ts';

const FLOOD = '192.0.2.1';
const OTHER = '192.0.2.2';

let server: Server;
/** The handshakes that are being accepted, with the function that ends each. */
let running: { readonly address: string; readonly end: () => void }[];
const sockets = new Set<Socket>();
const requests = new Set<ClientRequest>();
/** A socket that waits is not read, so it does not notice that its client has disconnected. */
const connections = new Set<Socket>();

beforeEach(async () => {
  running = [];
  server = createServer();
  acceptUpgrades(server, {
    upgrade(req, socket, _head, onAccepted) {
      if (req.url !== '/live') return false;
      sockets.add(socket);
      running.push({ address: String(req.headers['x-forwarded-for']), end: onAccepted });
      return true;
    },
    admission: { queue: createFairQueue({ cores: 2 }), trustedProxies: 1 },
  });
  server.on('connection', (socket) => void connections.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  for (const each of [...sockets, ...requests, ...connections]) each.destroy();
  sockets.clear();
  requests.clear();
  connections.clear();
  return new Promise((resolve) => server.close(resolve));
});

function open(address: string, path = '/live') {
  const sent = request({
    port: (server.address() as AddressInfo).port,
    path,
    agent: false,
    headers: { connection: 'Upgrade', upgrade: 'websocket', 'x-forwarded-for': address },
  });
  const response = new Promise<IncomingMessage>((resolve) => void sent.once('response', resolve));
  sent.on('error', () => undefined);
  sent.end();
  requests.add(sent);
  return response;
}

const countOf = (address: string) => running.filter((handshake) => handshake.address === address).length;

test('handshakes of one network wait for their turn, and those of others do not', async () => {
  void open(OTHER);
  await expect.poll(() => countOf(OTHER)).toBe(1);
  for (let index = 0; index < 20; index += 1) void open(FLOOD);
  await expect.poll(() => countOf(FLOOD)).toBe(4);
  void open(OTHER);
  await expect.poll(() => countOf(OTHER)).toBe(2);
  expect(countOf(FLOOD)).toBe(4);

  running.find(({ address }) => address === FLOOD)?.end();
  await expect.poll(() => countOf(FLOOD)).toBe(5);
});

test('a handshake that ends before it is accepted ends its turn', async () => {
  for (let index = 0; index < 5; index += 1) void open(FLOOD);
  await expect.poll(() => countOf(FLOOD)).toBe(4);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => countOf(FLOOD)).toBe(5);
});

test('too many waiting handshakes are rejected', async () => {
  const handshakes = Array.from({ length: 1_010 }, () => open(FLOOD));
  const first = await Promise.race(handshakes);
  expect(first.statusCode).toBe(503);
});

test('a WebSocket on another path is rejected in its turn', async () => {
  for (let index = 0; index < 6; index += 1) expect((await open(FLOOD, '/other')).statusCode).toBe(404);
});
