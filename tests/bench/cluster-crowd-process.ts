/**
 * Many WebSocket clients in a process of their own. They are sockets that read frames, and nothing else, so that the machine's time goes
 * to the server that is measured.
 */
import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

export type CrowdCommand =
  | { readonly do: 'connect'; readonly port: number; readonly path: string; readonly count: number }
  /** From now on, wait for so many messages to each client. */
  | { readonly do: 'expect'; readonly messages: number }
  | { readonly do: 'await' };

export interface Arrival {
  /** From the first message at any client to the last at the last. */
  readonly spread_ms: number;
  /** The first of the messages. */
  readonly text: string;
}

export type CrowdAnswer = { readonly ok: Arrival | null } | { readonly fault: string };

interface CrowdClient {
  readonly socket: Socket;
  rest: Buffer | null;
  received: number;
}

const AT_A_TIME = 100;
const TEXT = 1;
const PING = 9;
/** Empty, and masked with zeros, as a client must mask. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const clients: CrowdClient[] = [];
/** What every client is to be told, as the first that was told it says. */
let texts: Buffer[] = [];
let expected = 0;
let arrived = 0;
let first_ms = 0;
let finish: (arrival: Arrival) => void = () => undefined;
let fail: (error: Error) => void = () => undefined;
let arrival = newArrival();

function newArrival(): Promise<Arrival> {
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
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
      ),
    );
    let head = '';
    socket.on('data', function greet(chunk: Buffer) {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      if (!head.startsWith('HTTP/1.1 101') || !head.includes(accepted)) {
        reject(new Error(`Not taken: ${head.slice(0, end)}`));
        return;
      }
      socket.off('data', greet);
      socket.off('error', reject);
      socket.on('error', (error) => fail(error));
      socket.once('close', () => fail(new Error(`A client was cut off; ${arrived} messages had arrived`)));
      socket.on('data', (data: Buffer) => readFrames(client, data));
      clients.push(client);
      const begun = Buffer.from(head.slice(end + 4), 'latin1');
      if (begun.length > 0) readFrames(client, begun);
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
    if (short > 126) throw new Error('A frame longer than any of ours');
    if (data.length - at < header) break;
    const length = short === 126 ? data.readUInt16BE(at + 2) : short;
    if (data.length - at < header + length) break;
    if (opcode === TEXT) receive(client, data.subarray(at + header, at + header + length));
    else if (opcode === PING) client.socket.write(PONG);
    else fail(new Error(`A frame of kind ${opcode}`));
    at += header + length;
  }
  client.rest = at === data.length ? null : data.subarray(at);
}

function receive(client: CrowdClient, text: Buffer): void {
  if (arrived === 0) first_ms = performance.now();
  const known = texts[client.received];
  if (known === undefined) texts.push(Buffer.from(text));
  else if (!known.equals(text)) fail(new Error('Clients were told different things'));
  client.received += 1;
  arrived += 1;
  if (arrived === expected) finish({ spread_ms: performance.now() - first_ms, text: texts[0]?.toString('utf8') ?? '' });
}

async function obey(command: CrowdCommand): Promise<Arrival | null> {
  switch (command.do) {
    case 'connect': {
      let left = command.count;
      const worker = async () => {
        while (left > 0) {
          left -= 1;
          await open(command.port, command.path);
        }
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, worker));
      return null;
    }
    case 'expect':
      for (const client of clients) client.received = 0;
      texts = [];
      arrived = 0;
      expected = command.messages * clients.length;
      arrival = newArrival();
      return null;
    case 'await':
      return arrival;
  }
}

process.on('message', (command: CrowdCommand) => {
  obey(command).then(
    (ok) => process.send?.({ ok } satisfies CrowdAnswer),
    (error: unknown) => process.send?.({ fault: String(error) } satisfies CrowdAnswer),
  );
});
process.once('disconnect', () => process.exit(0));
