import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import PostalMime, { decodeWords } from 'postal-mime';
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
      parse(stream).then(
        (parsed) => {
          const letter = {
            from: envelope.mailFrom ? envelope.mailFrom.address : '',
            to: envelope.rcptTo.map(({ address }) => address),
            ...parsed,
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

/** Decodes the headers, which may contain encoded words (RFC 2047), and the text of a mail. */
async function parse(message: Readable): Promise<Pick<ReceivedLetter, 'headers' | 'text'>> {
  const { headers, text = '' } = await PostalMime.parse(await buffer(message));
  return {
    headers: Object.fromEntries(headers.map(({ key, value }) => [key, decodeWords(value)])),
    text: text.trimEnd(),
  };
}
