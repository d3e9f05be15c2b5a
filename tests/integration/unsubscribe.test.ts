import { follows, type FollowMailMode } from '@alpenglow/domain';
import { createUnsubscribeTokens, loadSecrets } from '@alpenglow/infra';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { after, apiClient, type ApiResponse, type Person } from '../support/api.ts';
import { startMailServer, type MailServer } from '../support/mail-server.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording, type Recording } from '../support/recording.ts';

/** Tests the mail about a reply and its unsubscribe link, on the whole product with a mail server. */

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

let threadCount = 0;
async function startThread(): Promise<string> {
  threadCount += 1;
  const response = await api.call('POST', '/api/community/threads', {
    token: author.token,
    body: {
      country: 'us',
      state: 'NV',
      city: 'Las Vegas',
      title: `Tea rooms of quarter ${threadCount}`,
      body: `Which one is calm? ${threadCount}`,
    },
  });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return (response.body['data'] as { id: string }).id;
}
beforeEach(async () => {
  [author, reader] = await Promise.all([recording.member(), recording.member()]);
  threadId = await startThread();
});

async function follow(person: Person, thread: string, mail: FollowMailMode): Promise<void> {
  expect(
    (await api.call('PUT', `/api/community/threads/${thread}/follow`, { token: person.token, body: { mail } })).status,
  ).toBe(200);
}
const tokenFor = (person: Person, thread: string | null) =>
  tokens.issue({ accountId: person.user.id, threadId: thread });
const readMailSetting = async (person: Person, thread: string) =>
  (await recording.commands.load(follows, person.user.id)).state.threads[thread];
const unsubscribe = (token: string) => api.call('POST', '/api/community/unsubscribe', { body: { token } });
const unsubscribeByMailProgram = (token: string, options: Parameters<typeof api.call>[2] = ONE_CLICK) =>
  api.call('POST', `/api/community/unsubscribe/${token}`, options);
const failedResponse = { status: 400, body: { code: 'UNSUBSCRIBE_FAILED' } };

test('a reply is mailed to followers, with an address for unsubscribing with one click', async () => {
  await follow(reader, threadId, 'instant');
  await follow(author, threadId, 'instant');
  const replied = await api.call('POST', `/api/community/threads/${threadId}/replies`, {
    token: author.token,
    body: { body: 'Whisper of the tall grass' },
  });
  expect(replied.status).toBe(201);
  const received = () => server.received.filter(({ to }) => to.includes(reader.email));
  await expect.poll(() => received().length).toBe(1);
  const [letter] = received();
  expect(letter?.headers['subject']).toBe(`New reply in “Tea rooms of quarter ${threadCount}”`);
  expect(JSON.stringify(letter)).not.toContain('Whisper');
  expect(letter?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
  const [, address = ''] =
    /^<https:\/\/alpenglow\.example(.+)>$/u.exec(letter?.headers['list-unsubscribe'] ?? '') ?? [];
  expect(address).toBe(`/api/community/unsubscribe/${tokenFor(reader, threadId)}`);
  expect(letter?.text).toContain(`${SITE}/community/unsubscribe#${tokenFor(reader, threadId)}\n`);
  const [, thread = ''] = /^https:\/\/alpenglow\.example(\S+)\?post=1#post-1$/mu.exec(letter?.text ?? '') ?? [];
  const linked = await api.call('GET', `/api/community/threads/${thread.split('/').at(-1) ?? ''}`, {
    headers: after(replied),
  });
  expect(linked.body['data']).toMatchObject({ id: threadId });

  expect(await api.call('POST', address, ONE_CLICK)).toMatchObject({ status: 200, body: { success: true } });
  expect(await readMailSetting(reader, threadId)).toBe('off');
  expect(await readMailSetting(author, threadId)).toBe('instant');
});

test.each<[string, (token: string) => Promise<ApiResponse>]>([
  ['the page of the link', unsubscribe],
  ['a mail program that sends a form', (token) => unsubscribeByMailProgram(token)],
  [
    'a mail program that sends a multipart form',
    (token) =>
      unsubscribeByMailProgram(token, {
        body: '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
      }),
  ],
  ['a mail program that sends no body', (token) => unsubscribeByMailProgram(token, {})],
])(
  '%s ends the mails of one thread, which is still followed, and not those of other threads',
  async (_, unsubscribeWith) => {
    const other = await startThread();
    await follow(reader, threadId, 'instant');
    await follow(reader, other, 'daily');
    const token = tokenFor(reader, threadId);
    const response = await unsubscribeWith(token);
    expect(response).toMatchObject({ status: 200, body: { success: true } });
    expect(response.headers.get('x-position')).not.toBeNull();
    expect([await readMailSetting(reader, threadId), await readMailSetting(reader, other)]).toEqual(['off', 'daily']);
    expect((await unsubscribeWith(token)).status).toBe(200);
    await follow(reader, threadId, 'instant');
    expect((await unsubscribeWith(token)).status).toBe(200);
    expect(await readMailSetting(reader, threadId)).toBe('off');
  },
);

test('a token for all threads ends all mails of its account only', async () => {
  const other = await startThread();
  for (const person of [reader, author]) {
    await follow(person, threadId, 'instant');
    await follow(person, other, 'daily');
  }
  expect((await unsubscribe(tokenFor(reader, null))).status).toBe(200);
  expect([await readMailSetting(reader, threadId), await readMailSetting(reader, other)]).toEqual(['off', 'off']);
  expect([await readMailSetting(author, threadId), await readMailSetting(author, other)]).toEqual(['instant', 'daily']);
});

test('GET and HEAD, which mail scanners send, end no mails and redirect to the page for unsubscribing', async () => {
  await follow(reader, threadId, 'instant');
  const token = tokenFor(reader, threadId);
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await api.call(method, `/api/community/unsubscribe/${token}`);
    expect([status, headers.get('location')]).toEqual([303, `/community/unsubscribe#${token}`]);
  }
  await fetch(`${product.url}/community/unsubscribe`);
  expect(await readMailSetting(reader, threadId)).toBe('instant');
  expect((await unsubscribeByMailProgram(token)).status).toBe(200);
});

test.each(['//evil.example/', 'https:%2f%2fevil.example', 'a%0d%0aSet-Cookie:x', '%22%3E%3Cscript%3E'])(
  'the redirect leads to the page for unsubscribing with any token: %s',
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

test('a token that was changed, invented or combined from two tokens has no effect', async () => {
  await follow(reader, threadId, 'instant');
  await follow(author, threadId, 'instant');
  const [, , signature = ''] = tokenFor(author, threadId).split('.');
  const forged = [
    `${reader.user.id}.${threadId}.${signature}`,
    `${reader.user.id}.all.${signature}`,
    tokenFor(reader, threadId).slice(0, -1),
    createUnsubscribeTokens('00'.repeat(32)).issue({ accountId: reader.user.id, threadId }),
    reader.user.id,
    'x',
  ];
  for (const token of forged) {
    expect(await unsubscribe(token), token).toMatchObject(failedResponse);
    expect(await unsubscribeByMailProgram(token), token).toMatchObject(failedResponse);
  }
  expect([await readMailSetting(reader, threadId), await readMailSetting(author, threadId)]).toEqual([
    'instant',
    'instant',
  ]);
});

test('a body without a token is rejected by field', async () => {
  expect(await api.call('POST', '/api/community/unsubscribe', { body: {} })).toMatchObject({
    status: 400,
    body: { fields: { token: 'The link is incomplete' } },
  });
});

test('the link of an old mail still responds with success after the account is closed', async () => {
  await follow(reader, threadId, 'instant');
  const admin = await recording.member({ email: 'admin@example.com' });
  expect(
    (
      await api.call('DELETE', `/api/admin/users/${reader.user.id}`, {
        token: admin.token,
        body: { reason: 'As asked.' },
      })
    ).status,
  ).toBe(200);
  expect((await unsubscribe(tokenFor(reader, threadId))).status).toBe(200);
});
