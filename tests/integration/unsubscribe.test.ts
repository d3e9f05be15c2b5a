import { follows, type FollowMail } from '@alpenglow/domain';
import { createUnsubscribeTokens, loadSecrets } from '@alpenglow/infra';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { apiClient, type Answer, type Person } from '../support/api.ts';
import { startMailServer, type MailServer } from '../support/mail-server.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording, type Recording } from '../support/recording.ts';

/** From a reply to the mail about it, and out of it again, on the whole product beside a mail server. */

const SITE = 'https://alpenglow.example';
const ONE_CLICK = {
  body: 'List-Unsubscribe=One-Click',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
};

let server: MailServer;
let product: TestProduct;
let api: ReturnType<typeof apiClient>;
let recording: Recording;
let tokens: ReturnType<typeof createUnsubscribeTokens>;
let author: Person;
let reader: Person;
let threadId: string;

beforeAll(async () => {
  server = await startMailServer();
  product = await startTestProduct({
    siteUrl: SITE,
    mail: { kind: 'smtp', url: `smtp://127.0.0.1:${server.port}`, from: 'Alpenglow <no-reply@alpenglow.example>' },
  });
  api = apiClient(product.url);
  recording = await openRecording(product);
  tokens = createUnsubscribeTokens((await loadSecrets(product.dataDir)).accountIds);
});
afterAll(async () => {
  await recording?.close();
  await product?.stop();
  await server?.close();
});

let made = 0;
async function startThread(): Promise<string> {
  made += 1;
  const answer = await api.call('POST', '/api/community/threads', {
    token: author.token,
    body: {
      country: 'us',
      state: 'NV',
      city: 'Las Vegas',
      title: `Tea rooms of quarter ${made}`,
      body: `Which one is calm? ${made}`,
    },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return (answer.body['data'] as { id: string }).id;
}
beforeEach(async () => {
  [author, reader] = await Promise.all([recording.member(), recording.member()]);
  threadId = await startThread();
});

async function follow(person: Person, thread: string, mail: FollowMail): Promise<void> {
  expect(
    (await api.call('PUT', `/api/community/threads/${thread}/follow`, { token: person.token, body: { mail } })).status,
  ).toBe(200);
}
const tokenFor = (person: Person, thread: string | null) =>
  tokens.issue({ accountId: person.user.id, threadId: thread });
const mailOf = async (person: Person, thread: string) =>
  (await recording.commands.load(follows, person.user.id)).state.threads[thread];
const end = (token: string) => api.call('POST', '/api/community/unsubscribe', { body: { token } });
const endByProgram = (token: string, options: Parameters<typeof api.call>[2] = ONE_CLICK) =>
  api.call('POST', `/api/community/unsubscribe/${token}`, options);
const refused = { status: 400, body: { code: 'UNSUBSCRIBE_FAILED' } };

test('a reply is mailed to whoever follows, with an address that a mail program ends such mails at by one click', async () => {
  await follow(reader, threadId, 'instant');
  await follow(author, threadId, 'instant');
  expect(
    (
      await api.call('POST', `/api/community/threads/${threadId}/replies`, {
        token: author.token,
        body: { body: 'Whisper of the tall grass' },
      })
    ).status,
  ).toBe(201);
  const received = () => server.received.filter(({ to }) => to.includes(reader.email));
  await expect.poll(() => received().length).toBe(1);
  const [letter] = received();
  expect(letter?.headers['subject']).toBe(`New reply in “Tea rooms of quarter ${made}”`);
  expect(JSON.stringify(letter)).not.toContain('Whisper');
  expect(letter?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
  const [, address = ''] =
    /^<https:\/\/alpenglow\.example(.+)>$/u.exec(letter?.headers['list-unsubscribe'] ?? '') ?? [];
  expect(address).toBe(`/api/community/unsubscribe/${tokenFor(reader, threadId)}`);
  expect(letter?.text).toContain(`${SITE}/community/unsubscribe#${tokenFor(reader, threadId)}\n`);
  const [, thread = ''] = /^https:\/\/alpenglow\.example(\S+)\?post=1#post-1$/mu.exec(letter?.text ?? '') ?? [];
  expect(
    (await api.call('GET', `/api/community/threads/${thread.split('/').at(-1) ?? ''}`)).body['data'],
  ).toMatchObject({ id: threadId });

  expect(await api.call('POST', address, ONE_CLICK)).toMatchObject({ status: 200, body: { success: true } });
  expect(await mailOf(reader, threadId)).toBe('off');
  expect(await mailOf(author, threadId)).toBe('instant');
});

test.each<[string, (token: string) => Promise<Answer>]>([
  ['the page a link leads to', end],
  ['a mail program that sends a form', (token) => endByProgram(token)],
  [
    'one that sends the form in parts',
    (token) =>
      endByProgram(token, {
        body: '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      }),
  ],
  ['one that sends nothing', (token) => endByProgram(token, {})],
])('mails of one thread end by %s; it is still followed, others are mailed of on', async (_, ends) => {
  const other = await startThread();
  await follow(reader, threadId, 'instant');
  await follow(reader, other, 'daily');
  const token = tokenFor(reader, threadId);
  const answer = await ends(token);
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  expect(answer.headers.get('x-position')).not.toBeNull();
  expect([await mailOf(reader, threadId), await mailOf(reader, other)]).toEqual(['off', 'daily']);
  expect((await ends(token)).status).toBe(200);
  await follow(reader, threadId, 'instant');
  expect((await ends(token)).status).toBe(200);
  expect(await mailOf(reader, threadId)).toBe('off');
});

test('a token for all ends the mails of every thread, of that person alone', async () => {
  const other = await startThread();
  for (const person of [reader, author]) {
    await follow(person, threadId, 'instant');
    await follow(person, other, 'daily');
  }
  expect((await end(tokenFor(reader, null))).status).toBe(200);
  expect([await mailOf(reader, threadId), await mailOf(reader, other)]).toEqual(['off', 'off']);
  expect([await mailOf(author, threadId), await mailOf(author, other)]).toEqual(['instant', 'daily']);
});

test('looking at the address, as scanners of mails do, ends nothing; it leads to the page that does', async () => {
  await follow(reader, threadId, 'instant');
  const token = tokenFor(reader, threadId);
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await api.call(method, `/api/community/unsubscribe/${token}`);
    expect([status, headers.get('location')]).toEqual([303, `/community/unsubscribe#${token}`]);
  }
  await fetch(`${product.url}/community/unsubscribe`);
  expect(await mailOf(reader, threadId)).toBe('instant');
  expect((await endByProgram(token)).status).toBe(200);
});

test.each(['//evil.example/', 'https:%2f%2fevil.example', 'a%0d%0aSet-Cookie:x', '%22%3E%3Cscript%3E'])(
  'the address leads to no other page, whatever stands in for the token: %s',
  async (token) => {
    const { status, headers } = await api.call('GET', `/api/community/unsubscribe/${token.replaceAll('/', '%2f')}`);
    expect(status).toBe(303);
    expect(new URL(headers.get('location') ?? '', product.url)).toMatchObject({
      origin: product.url,
      pathname: '/community/unsubscribe',
    });
    expect(headers.get('set-cookie')).toBeNull();
  },
);

test('a token that was changed, made up or put together from two ends nothing', async () => {
  await follow(reader, threadId, 'instant');
  await follow(author, threadId, 'instant');
  const [, , seal = ''] = tokenFor(author, threadId).split('.');
  const forged = [
    `${reader.user.id}.${threadId}.${seal}`,
    `${reader.user.id}.all.${seal}`,
    tokenFor(reader, threadId).slice(0, -1),
    createUnsubscribeTokens('00'.repeat(32)).issue({ accountId: reader.user.id, threadId }),
    reader.user.id,
    'x',
  ];
  for (const token of forged) {
    expect(await end(token), token).toMatchObject(refused);
    expect(await endByProgram(token), token).toMatchObject(refused);
  }
  expect([await mailOf(reader, threadId), await mailOf(author, threadId)]).toEqual(['instant', 'instant']);
});

test('a body without a token is refused by field', async () => {
  expect(await api.call('POST', '/api/community/unsubscribe', { body: {} })).toMatchObject({
    status: 400,
    body: { fields: { token: 'The link is not complete' } },
  });
});

test('once the account is closed, the link of an old mail still says that no more will come', async () => {
  await follow(reader, threadId, 'instant');
  const admin = await recording.member({ email: 'admin@example.com' });
  expect((await api.call('DELETE', `/api/admin/users/${reader.user.id}`, { token: admin.token })).status).toBe(200);
  expect((await end(tokenFor(reader, threadId))).status).toBe(200);
});
