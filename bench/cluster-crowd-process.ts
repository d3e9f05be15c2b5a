/**
 * Runs many WebSocket clients in a separate process. The clients only parse frames, so that the measured server gets
 * most of the processor time.
 */
import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { forEachInParallel } from './closed-loop.ts';

export type CrowdCommand =
  | { readonly do: 'connect'; readonly port: number; readonly path: string; readonly count: number }
  /**
   * Starts to count messages, until each client has received `messages` messages. The command `await` waits for this
   * state.
   */
  | { readonly do: 'expect'; readonly messages: number }
  /** Starts to count messages, until all clients together have received `total` messages. */
  | { readonly do: 'expectTotal'; readonly total: number }
  /** Subscribes the clients to places, the same number to each, and waits for all replies. */
  | { readonly do: 'subscribe'; readonly places: number }
  | { readonly do: 'await' };

export interface Arrival {
  /** Time between the first message that any client receives and the last message that any client receives. */
  readonly spread_ms: number;
}

export type CrowdResponse = { readonly ok: Arrival | null } | { readonly error: string };

interface CrowdClient {
  readonly socket: Socket;
  rest: Buffer | null;
  received: number;
}

const PARALLEL_CONNECTIONS = 100;
const TEXT = 1;
const PING = 9;
/** An empty pong frame. Clients must mask their frames, and a mask of zeros leaves the content unchanged. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const clients: CrowdClient[] = [];
/** Messages that every client must receive. The first client that receives a message adds it here. */
let texts: Buffer[] = [];
let expected = 0;
const SUBSCRIBED = '"subscribed"';
/** True while only replies to subscriptions are counted, and not the messages that a client has missed. */
let isSubscribing = false;
/** True if all clients receive the same messages. */
let isBroadcast = true;
let arrived = 0;
let first_ms = 0;
let finish: (arrival: Arrival) => void = () => undefined;
let fail: (error: Error) => void = () => undefined;
let arrival = expectArrival();

function expectArrival(): Promise<Arrival> {
  const promise = new Promise<Arrival>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  promise.catch(() => undefined);
  return promise;
}

function open(port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const key = randomBytes(16).toString('base64');
    const accepted = createHash('sha1')
      .update(key + ACCEPT_SUFFIX)
      .digest('base64');
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const client: CrowdClient = { socket, rest: null, received: 0 };
    socket.once('error', reject);
    socket.once('connect', () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
      ),
    );
    let head = '';
    socket.on('data', function readHandshake(chunk: Buffer) {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      if (!head.startsWith('HTTP/1.1 101') || !head.includes(accepted)) {
        reject(new Error(`The handshake failed: ${head.slice(0, end)}`));
        return;
      }
      socket.off('data', readHandshake);
      socket.off('error', reject);
      socket.on('error', (error) => fail(error));
      socket.once('close', () => fail(new Error(`A client was disconnected after ${arrived} messages`)));
      socket.on('data', (data: Buffer) => readFrames(client, data));
      clients.push(client);
      const firstFrames = Buffer.from(head.slice(end + 4), 'latin1');
      if (firstFrames.length > 0) readFrames(client, firstFrames);
      resolve();
    });
  });
}

function readFrames(client: CrowdClient, chunk: Buffer): void {
  const data = client.rest === null ? chunk : Buffer.concat([client.rest, chunk]);
  let at = 0;
  while (data.length - at >= 2) {
    const opcode = (data[at] ?? 0) & 0x0f;
    const short = data[at + 1] ?? 0;
    const header = short === 126 ? 4 : 2;
    if (short > 126) throw new Error('The frame is too long');
    if (data.length - at < header) break;
    const length = short === 126 ? data.readUInt16BE(at + 2) : short;
    if (data.length - at < header + length) break;
    if (opcode === TEXT) receive(client, data.subarray(at + header, at + header + length));
    else if (opcode === PING) client.socket.write(PONG);
    else fail(new Error(`Unexpected opcode ${opcode}`));
    at += header + length;
  }
  client.rest = at === data.length ? null : data.subarray(at);
}

function receive(client: CrowdClient, text: Buffer): void {
  if (isSubscribing && !text.includes(SUBSCRIBED)) return;
  if (arrived === 0) first_ms = performance.now();
  const known = texts[isBroadcast ? client.received : 0];
  if (known === undefined) texts.push(Buffer.from(text));
  else if (isBroadcast && !known.equals(text)) fail(new Error('Clients received different messages'));
  client.received += 1;
  arrived += 1;
  if (arrived === expected) finish({ spread_ms: performance.now() - first_ms });
}

function startCount(total: number, isSame: boolean): void {
  for (const client of clients) client.received = 0;
  texts = [];
  arrived = 0;
  expected = total;
  isBroadcast = isSame;
  isSubscribing = false;
  arrival = expectArrival();
}

/** Returns the frame of a subscription to a place. Its mask of zeros leaves the content unchanged. */
function subscribeFrame(place: number): Buffer {
  const topics = [{ kind: 'ads', state: 'NV', city: `City ${place}` }];
  const text = Buffer.from(JSON.stringify({ type: 'subscribe', id: 1, topics }));
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]);
}

async function runCommand(command: CrowdCommand): Promise<Arrival | null> {
  switch (command.do) {
    case 'connect':
      await forEachInParallel(Array.from({ length: command.count }), PARALLEL_CONNECTIONS, () =>
        open(command.port, command.path),
      );
      return null;
    case 'expect':
      startCount(command.messages * clients.length, true);
      return null;
    case 'expectTotal':
      startCount(command.total, false);
      return null;
    case 'subscribe':
      startCount(clients.length, false);
      isSubscribing = true;
      for (const [index, { socket }] of clients.entries()) socket.write(subscribeFrame(index % command.places));
      return arrival;
    case 'await':
      return arrival;
  }
}

process.on('message', (command: CrowdCommand) => {
  runCommand(command).then(
    (ok) => process.send?.({ ok } satisfies CrowdResponse),
    (error: unknown) => process.send?.({ error: String(error) } satisfies CrowdResponse),
  );
});
process.once('disconnect', () => process.exit(0));
