import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { MailRejected, MailUnavailable, type MailTransport } from '@alpenglow/domain';
import { openMailTransport } from '@alpenglow/infra';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, expect, test, vi } from 'vitest';
import { describeMailTransport } from '../contract/mail.ts';
import { startMailServer, type MailServer } from '../support/mail-server.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';

/** Time limit for servers that respond. It is long enough for a busy machine. */
const LIMIT_ms = MAX_WAIT_ms;
/** Time limit for a server that does not complete its response. */
const SHORT_LIMIT_ms = 1_500;
const FROM = 'Alpenglow <no-reply@alpenglow.example>';
const mail = {
  id: 'verification-1',
  to: 'anna@example.com',
  subject: 'Your Alpenglow code',
  text: 'your code is 123456.',
  unsubscribeUrl: null,
};

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function openTransport(
  port: number,
  { login = '', query = '', scheme = 'smtp', sendLimit_ms = LIMIT_ms } = {},
): Promise<MailTransport> {
  const transport = await openMailTransport(
    { kind: 'smtp', url: `${scheme}://${login}127.0.0.1:${port}${query}`, from: FROM },
    { sendLimit_ms },
  );
  if (!transport) throw new Error('No transport was opened');
  closers.push(() => transport.close());
  return transport;
}

async function startServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options);
  closers.push(() => server.close());
  return server;
}

/** Starts a server that violates SMTP. `speak` handles each connection. */
async function startRawServer(speak: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    speak(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}

const failure = (transport: MailTransport) =>
  transport.send(mail).then(
    () => null,
    (error: unknown) => error as Error,
  );
const smtpError = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

describeMailTransport(
  'SMTP',
  async () => {
    const server = await startMailServer();
    const transport = await openTransport(server.port);
    return {
      transport,
      acceptedMails: () =>
        Promise.resolve(
          server.received.map(({ to, headers, text }) => ({
            id: /^<(.+)@alpenglow\.example>$/u.exec(headers['message-id'] ?? '')?.[1] ?? '',
            to: to.join(),
            subject: headers['subject'] ?? '',
            text,
          })),
        ),
      async close() {
        await transport.close();
        await server.close();
      },
    };
  },
  async () => {
    const server = await startMailServer();
    await server.close();
    return openTransport(server.port);
  },
);

test('a mail contains its sender, its message id, and a header for automatic mails', async () => {
  const server = await startServer();
  expect(await (await openTransport(server.port)).send(mail)).toEqual({
    serverResponse: expect.stringContaining('queued as ABC123'),
  });
  expect(server.received).toMatchObject([
    {
      from: 'no-reply@alpenglow.example',
      to: ['anna@example.com'],
      headers: {
        from: FROM,
        to: 'anna@example.com',
        'message-id': '<verification-1@alpenglow.example>',
        'auto-submitted': 'auto-generated',
      },
    },
  ]);
});

test('an optional mail has headers for one-click unsubscribe, a required mail has none', async () => {
  const server = await startServer();
  const transport = await openTransport(server.port);
  const unsubscribeUrl = `https://alpenglow.example/api/community/unsubscribe/${'a'.repeat(32)}.all.${'B'.repeat(43)}`;
  await transport.send({ ...mail, unsubscribeUrl });
  await transport.send(mail);
  const [ended, needed] = server.received.map(({ headers }) => headers);
  expect(ended).toMatchObject({
    'list-unsubscribe': `<${unsubscribeUrl}>`,
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
  });
  expect(Object.keys(needed ?? {}).filter((name) => name.startsWith('list-'))).toEqual([]);
});

test('consecutive mails share a connection, and a closed connection is replaced', async () => {
  const server = await startServer();
  const transport = await openTransport(server.port);
  for (const id of ['a', 'b', 'c']) await transport.send({ ...mail, id });
  expect(server.connections()).toBe(1);
  await server.closeConnections();
  await transport.send({ ...mail, id: 'd' });
  expect(server.received).toHaveLength(4);
  expect(server.connections()).toBe(2);
});

test('a permanently rejected recipient is reported without the address', async () => {
  const server = await startServer({
    onRcptTo: ({ address }, _session, done) =>
      done(smtpError(550, `5.1.1 <${address}>: Recipient address rejected; code 123456`)),
  });
  const error = await failure(await openTransport(server.port));
  expect(error).toBeInstanceOf(MailRejected);
  expect(error?.message).toBe(
    'The mail server rejected the mail (RCPT TO): 550 5.1.1 <[address]>: Recipient address rejected; code [digits]',
  );
  expect(error?.stack).not.toContain('anna');
  expect(server.received).toEqual([]);
});

test('a permanently rejected message is reported', async () => {
  const server = await startServer({
    onData: (stream, _session, done) => {
      stream.resume();
      stream.on('end', () => done(smtpError(554, '5.7.1 This looks like spam')));
    },
  });
  const error = await failure(await openTransport(server.port));
  expect(error).toBeInstanceOf(MailRejected);
  expect(error?.message).toBe('The mail server rejected the mail (DATA): 554 5.7.1 This looks like spam');
});

test('a temporarily rejected recipient may be tried again over the same connection', async () => {
  let attempts = 0;
  const server = await startServer({
    onRcptTo: (_address, _session, done) => {
      attempts += 1;
      done(attempts === 1 ? smtpError(450, '4.2.0 Greylisted, try again later') : null);
    },
  });
  const transport = await openTransport(server.port);
  expect(await failure(transport)).toEqual(
    new MailUnavailable('The mail server did not accept the mail (RCPT TO): 450 4.2.0 Greylisted, try again later'),
  );
  await transport.send(mail);
  expect(server.received).toHaveLength(1);
});

test('a wrong password is reported without the password and the user name', async () => {
  const server = await startServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(smtpError(535, '5.7.8 Authentication failed')),
  });
  const error = await failure(await openTransport(server.port, { login: 'mailer:hunter2@' }));
  expect(error).toBeInstanceOf(MailRejected);
  expect(`${error?.stack ?? ''}${JSON.stringify(error)}`).not.toMatch(/hunter2|mailer/u);
  expect(error?.message).toContain('535');
});

test('a login may contain percent signs and other special characters', async () => {
  const server = await startServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'mailer@alpenglow.example' && password === 'p@ss:w%rd/1'
        ? done(null, { user: 'mailer' })
        : done(smtpError(535, '5.7.8 Authentication failed')),
  });
  await (
    await openTransport(server.port, {
      login: `${encodeURIComponent('mailer@alpenglow.example')}:${encodeURIComponent('p@ss:w%rd/1')}@`,
    })
  ).send(mail);
  expect(server.received).toHaveLength(1);
});

test('a server without the required TLS receives neither the login nor the mail', async () => {
  let logins = 0;
  const server = await startServer({
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => {
      logins += 1;
      done(null, { user: 'mailer' });
    },
  });
  const error = await failure(await openTransport(server.port, { login: 'mailer:hunter2@', query: '?tls=required' }));
  expect(error).toBeInstanceOf(Error);
  expect([logins, server.received]).toEqual([0, []]);
  await (await openTransport(server.port, { login: 'mailer:hunter2@', query: '?tls=off' })).send(mail);
  expect([logins, server.received.length]).toEqual([1, 1]);
});

test.each([
  ['smtp', '?tls=required', {}],
  ['smtps', '', { secure: true }],
])('a server with an untrusted certificate receives no mail over %s', async (scheme, query, options) => {
  // Hides the warning of Node about the certificate, which is untrusted on purpose.
  vi.spyOn(console, 'error').mockReturnValue();
  const server = await startServer({ disabledCommands: [], ...options });
  expect(await failure(await openTransport(server.port, { scheme, query }))).toBeInstanceOf(MailUnavailable);
  expect(server.received).toEqual([]);
});

test.each<[string, (socket: Socket) => void]>([
  ['hangs up at once', (socket) => socket.destroy()],
  ['sends nothing', () => undefined],
  ['speaks another protocol', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  [
    'hangs up in the middle',
    (socket) => void socket.write('220 ready\r\n', () => socket.once('data', () => socket.destroy())),
  ],
  ['is shutting down', (socket) => socket.end('421 4.3.2 Service shutting down\r\n')],
  [
    'sends its response slowly',
    (socket) => {
      socket.write('220-');
      const timer = setInterval(() => socket.write('.'), 100);
      socket.on('close', () => clearInterval(timer));
    },
  ],
])('a server that %s takes no longer than the limit', async (_, speak) => {
  const transport = await openTransport(await startRawServer(speak), { sendLimit_ms: SHORT_LIMIT_ms });
  // The server may never complete its response, so the transport must stop after its time limit.
  expect(await failure(transport)).toBeInstanceOf(MailUnavailable);
});
