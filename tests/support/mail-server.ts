import { once } from 'node:events';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedLetter {
  readonly from: string;
  readonly to: readonly string[];
  /** Decoded header values, by lower-case header name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface MailServer {
  readonly port: number;
  readonly received: readonly ReceivedLetter[];
  /** Returns the number of connections that were opened so far. */
  connections(): number;
  /** Closes every connection from the server side, as mail servers do with idle connections. */
  closeConnections(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a local SMTP server that stores all received mails and passes each to `onLetter`. By default, it supports
 * neither TLS nor login.
 */
export async function startMailServer({
  onLetter,
  ...options
}: SMTPServerOptions & { readonly onLetter?: (letter: ReceivedLetter) => void } = {}): Promise<MailServer> {
  const received: ReceivedLetter[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onConnect: (_session, done) => {
      connections += 1;
      done();
    },
    onData: (stream, { envelope }, done) => {
      buffer(stream).then(
        (bytes) => {
          const letter = {
            from: envelope.mailFrom ? envelope.mailFrom.address : '',
            to: envelope.rcptTo.map(({ address }) => address),
            ...parse(bytes.toString('utf8')),
          };
          received.push(letter);
          onLetter?.(letter);
          done(null, 'queued as ABC123');
        },
        (error: Error) => done(error),
      );
    },
    ...options,
  });
  // The server emits an error event if a client disconnects during a session, so it needs a listener.
  server.on('error', () => undefined);
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('The mail server has no port');
  return {
    port: address.port,
    received,
    connections: () => connections,
    async closeConnections() {
      await Promise.all(
        [...sockets].map(async (socket) => {
          const closed = once(socket, 'close');
          socket.end();
          await closed;
        }),
      );
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function parse(message: string): { readonly headers: Record<string, string>; readonly text: string } {
  const end = message.indexOf('\r\n\r\n');
  const lines = message
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/gu, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      decodeWords(line.slice(line.indexOf(':') + 1).trim()),
    ]),
  );
  const body = message.slice(end + 4);
  return {
    headers,
    text: decodeBody(body, headers['content-transfer-encoding'] ?? '7bit')
      .replaceAll('\r\n', '\n')
      .trimEnd(),
  };
}

/** Decodes a header value that contains encoded words (RFC 2047). */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/gu, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/giu, (_, encoding: string, word: string) =>
      encoding.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : fromQuotedPrintable(word.replaceAll('_', ' ')),
    );
}

function decodeBody(body: string, encoding: string): string {
  switch (encoding.toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64').toString('utf8');
    case 'quoted-printable':
      return fromQuotedPrintable(body.replaceAll('=\r\n', ''));
    default:
      return body;
  }
}

function fromQuotedPrintable(text: string): string {
  return Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
}
