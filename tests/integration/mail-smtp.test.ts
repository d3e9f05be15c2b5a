import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { MailRefused, MailUnavailable, type MailTransport } from '@alpenglow/domain';
import { openMailTransport } from '@alpenglow/infra';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, expect, test, vi } from 'vitest';
import { mailTransportContract } from '../contract/mail.ts';
import { startMailServer, type MailServer } from '../support/mail-server.ts';
import { PATIENCE_ms } from '../support/patience.ts';

/** For servers that answer, however busy the machine is. */
const LIMIT_ms = PATIENCE_ms;
/** For servers that never get to the point. */
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

async function transportTo(
  port: number,
  { login = '', query = '', scheme = 'smtp', sendLimit_ms = LIMIT_ms } = {},
): Promise<MailTransport> {
  const transport = await openMailTransport(
    { kind: 'smtp', url: `${scheme}://${login}127.0.0.1:${port}${query}`, from: FROM },
    { sendLimit_ms },
  );
  if (!transport) throw new Error('There is a transport');
  closers.push(() => transport.close());
  return transport;
}

async function serverWith(options: SMTPServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options);
  closers.push(() => server.close());
  return server;
}

/** A server that speaks as it is told, which is not SMTP. */
async function oddServer(speak: (socket: Socket) => void): Promise<number> {
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
const answer = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

mailTransportContract(
  'SMTP',
  async () => {
    const server = await startMailServer();
    const transport = await transportTo(server.port);
    return {
      transport,
      taken: () =>
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
    return transportTo(server.port);
  },
);

test('a mail says who it is from, that a machine sent it, and what it goes on under', async () => {
  const server = await serverWith();
  expect(await (await transportTo(server.port)).send(mail)).toEqual({
    answer: expect.stringContaining('queued as ABC123'),
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

test('a mail one may end says where, for one click in a mail program; one that one has to get does not', async () => {
  const server = await serverWith();
  const transport = await transportTo(server.port);
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

test('mails one after the other share a connection; one the server has closed is replaced', async () => {
  const server = await serverWith();
  const transport = await transportTo(server.port);
  for (const id of ['a', 'b', 'c']) await transport.send({ ...mail, id });
  expect(server.connections()).toBe(1);
  await server.hangUp();
  await transport.send({ ...mail, id: 'd' });
  expect(server.received).toHaveLength(4);
  expect(server.connections()).toBe(2);
});

test('a recipient who is refused for good is told in words without the address', async () => {
  const server = await serverWith({
    onRcptTo: ({ address }, _session, done) =>
      done(answer(550, `5.1.1 <${address}>: Recipient address rejected; code 123456`)),
  });
  const error = await failure(await transportTo(server.port));
  expect(error).toBeInstanceOf(MailRefused);
  expect(error?.message).toBe(
    'The mail server refused the mail (RCPT TO): 550 5.1.1 <[address]>: Recipient address rejected; code [digits]',
  );
  expect(error?.stack).not.toContain('anna');
  expect(server.received).toEqual([]);
});

test('so is a message', async () => {
  const server = await serverWith({
    onData: (stream, _session, done) => {
      stream.resume();
      stream.on('end', () => done(answer(554, '5.7.1 This looks like spam')));
    },
  });
  const error = await failure(await transportTo(server.port));
  expect(error).toBeInstanceOf(MailRefused);
  expect(error?.message).toBe('The mail server refused the mail (DATA): 554 5.7.1 This looks like spam');
});

test('a recipient who is put off may be tried again, over the same connection', async () => {
  let asked = 0;
  const server = await serverWith({
    onRcptTo: (_address, _session, done) => {
      asked += 1;
      done(asked === 1 ? answer(450, '4.2.0 Greylisted, try again later') : null);
    },
  });
  const transport = await transportTo(server.port);
  expect(await failure(transport)).toEqual(
    new MailUnavailable('The mail server did not take the mail (RCPT TO): 450 4.2.0 Greylisted, try again later'),
  );
  await transport.send(mail);
  expect(server.received).toHaveLength(1);
});

test('a wrong password is a refusal that repeats neither the password nor the name', async () => {
  const server = await serverWith({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(answer(535, '5.7.8 Authentication failed')),
  });
  const error = await failure(await transportTo(server.port, { login: 'mailer:hunter2@' }));
  expect(error).toBeInstanceOf(MailRefused);
  expect(`${error?.stack ?? ''}${JSON.stringify(error)}`).not.toMatch(/hunter2|mailer/u);
  expect(error?.message).toContain('535');
});

test('the right one opens the door, percent signs and all', async () => {
  const server = await serverWith({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'mailer@alpenglow.example' && password === 'p@ss:w%rd/1'
        ? done(null, { user: 'mailer' })
        : done(answer(535, '5.7.8 Authentication failed')),
  });
  await (
    await transportTo(server.port, {
      login: `${encodeURIComponent('mailer@alpenglow.example')}:${encodeURIComponent('p@ss:w%rd/1')}@`,
    })
  ).send(mail);
  expect(server.received).toHaveLength(1);
});

test('where TLS is required, a server without it gets neither the login nor the mail', async () => {
  let logins = 0;
  const server = await serverWith({
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => {
      logins += 1;
      done(null, { user: 'mailer' });
    },
  });
  const error = await failure(await transportTo(server.port, { login: 'mailer:hunter2@', query: '?tls=required' }));
  expect(error).toBeInstanceOf(Error);
  expect([logins, server.received]).toEqual([0, []]);
  await (await transportTo(server.port, { login: 'mailer:hunter2@', query: '?tls=off' })).send(mail);
  expect([logins, server.received.length]).toEqual([1, 1]);
});

test.each([
  ['smtp', '?tls=required', {}],
  ['smtps', '', { secure: true }],
])('a server whose certificate nobody vouches for gets no mail over %s', async (scheme, query, options) => {
  // It warns of the certificate it comes with, which is the very thing that is wanted.
  vi.spyOn(console, 'error').mockReturnValue();
  const server = await serverWith({ disabledCommands: [], ...options });
  expect(await failure(await transportTo(server.port, { scheme, query }))).toBeInstanceOf(MailUnavailable);
  expect(server.received).toEqual([]);
});

test.each<[string, (socket: Socket) => void]>([
  ['hangs up at once', (socket) => socket.destroy()],
  ['says nothing', () => undefined],
  ['speaks another protocol', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  [
    'hangs up in the middle',
    (socket) => void socket.write('220 ready\r\n', () => socket.once('data', () => socket.destroy())),
  ],
  ['is shutting down', (socket) => socket.end('421 4.3.2 Service shutting down\r\n')],
  [
    'trickles its answers',
    (socket) => {
      socket.write('220-');
      const timer = setInterval(() => socket.write('.'), 100);
      socket.on('close', () => clearInterval(timer));
    },
  ],
])('a server that %s costs no more than the limit', async (_, speak) => {
  const transport = await transportTo(await oddServer(speak), { sendLimit_ms: SHORT_LIMIT_ms });
  // Without the limit, a server that never gets to the point would be waited for without end.
  expect(await failure(transport)).toBeInstanceOf(MailUnavailable);
});
