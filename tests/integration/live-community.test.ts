import { randomUUID } from 'node:crypto';
import { isThreadMessage, type LiveTopic, type ThreadLiveMessage } from '@alpenglow/domain';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../support/api.ts';
import { connectLive, type LiveClient } from '../support/live.ts';
import { openRecording } from '../support/recording.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

const product = testProduct();
const api = testApi(product);
let anna: Person;
let ben: Person;
let admin: Person;
beforeAll(async () => {
  const recording = await openRecording(product);
  [anna, ben, admin] = await Promise.all([
    recording.member({ displayName: 'Anna Winter' }),
    recording.member({ displayName: 'Ben Summer' }),
    recording.member({ email: 'admin@example.com' }),
  ]);
  await recording.close();
});

const PLACE = { country: 'us', state: 'NV', city: 'Las Vegas' };
async function call(
  method: string,
  path: string,
  { token }: Person,
  body?: unknown,
): Promise<{ id: string; number: number }> {
  const response = await api.call(method, `/api${path}`, { token, ...(body !== undefined && { body }) });
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  return response.body['data'] as { id: string; number: number };
}
const start = (person: Person) =>
  call('POST', '/community/threads', person, {
    ...PLACE,
    title: 'Quiet places to meet',
    body: `Where is it calm? ${randomUUID()}`,
  });
const reply = (person: Person, threadId: string, text: string = randomUUID()) =>
  call('POST', `/community/threads/${threadId}/replies`, person, { body: `At the tea room. ${text}` });
/**
 * Waits for a matching live message about a thread, and then reads the thread as a visitor. Returns the message and the
 * response.
 */
async function nextMessage(client: LiveClient, threadId: string, matches: (message: ThreadLiveMessage) => boolean) {
  const message = await client.next(
    (candidate) => isThreadMessage(candidate) && candidate.threadId === threadId && matches(candidate),
  );
  const { status, body } = await api.call('GET', `/api/community/threads/${threadId}`);
  return {
    message,
    status,
    thread: body['data'] as {
      title: string;
      replyCount: number;
      replies: { number: number; status: string; html: string | null }[];
    },
  };
}
const hasType = (type: ThreadLiveMessage['type'], number: number | null) => (message: ThreadLiveMessage) =>
  message.type === type && message.number === number;

describe('community messages of the live channel', () => {
  test('announce a reply to every window after the thread contains the reply', async () => {
    const { id } = await start(anna);
    const windows = [await connectLive(product.url), await connectLive(product.url, { token: anna.token })];
    for (let number = 1; number <= 5; number += 1) {
      const posting = reply(ben, id, `Text ${number}.`);
      for (const window of windows) {
        const { message, thread } = await nextMessage(window, id, hasType('reply_posted', number));
        expect(message).toEqual({
          seq: expect.any(String) as string,
          type: 'reply_posted',
          threadId: id,
          number,
          threadPlace: null,
          at: expect.any(String) as string,
        });
        expect(thread.replyCount).toBe(number);
        expect(thread.replies.at(-1)?.html).toContain(`Text ${number}.`);
      }
      await posting;
    }
    for (const window of windows) window.close();
  });

  test('announce a new thread with its place and later changes, with public data only', async () => {
    const window = await connectLive(product.url);
    const { id } = await start(anna);
    expect((await nextMessage(window, id, hasType('thread_started', 0))).message).toMatchObject({ threadPlace: PLACE });
    expect((await api.call('GET', '/api/community/threads?city=Las+Vegas&state=NV&country=us')).body['data']).toEqual(
      expect.arrayContaining([expect.objectContaining({ id })]),
    );
    await reply(ben, id);
    await call('PUT', `/admin/community/threads/${id}/posts/1/hidden`, admin, { hidden: true, reason: 'Not kind.' });
    const hidden = await nextMessage(window, id, hasType('thread_changed', 1));
    expect([hidden.thread.replies[0]?.status, hidden.thread.replies[0]?.html]).toEqual(['hidden', null]);
    await call('PUT', `/admin/community/threads/${id}/place`, admin, { ...PLACE, city: 'Reno' });
    expect((await nextMessage(window, id, hasType('thread_changed', null))).message).toMatchObject({
      threadPlace: { ...PLACE, city: 'Reno' },
    });
    await call('PUT', `/admin/community/threads/${id}/posts/0/hidden`, admin, { hidden: true, reason: 'Not kind.' });
    expect((await nextMessage(window, id, hasType('thread_changed', 0))).status).toBe(404);
    expect(JSON.stringify(window.messages)).not.toMatch(/Anna|Ben|calm|tea room|Not kind|@example/u);
    window.close();
  });

  test('reach the clients that display the place, the thread or their own threads', async () => {
    const connect = async (topics: readonly LiveTopic[], token?: string) => {
      const client = await connectLive(product.url, { topics: 'none', ...(token !== undefined && { token }) });
      expect(await client.ask({ type: 'subscribe', id: 1, topics })).toMatchObject({ type: 'subscribed' });
      return client;
    };
    const everything = await connectLive(product.url);
    const concerned = [
      await connect([{ kind: 'threads', country: 'us', state: 'NV', city: 'Las Vegas' }]),
      await connect([{ kind: 'threads' }]),
      await connect([{ kind: 'own' }], anna.token),
    ];
    const inReno = await connect([{ kind: 'threads', country: 'us', state: 'NV', city: 'Reno' }]);
    const stranger = await connect([{ kind: 'own' }, { kind: 'ads' }], ben.token);
    const { id } = await start(anna);
    await reply(ben, id);
    await everything.next(isReply(id, 1));
    const page = await connect([{ kind: 'thread', threadId: id }]);
    await call('PUT', `/admin/community/threads/${id}/place`, admin, { ...PLACE, city: 'Reno' });
    await reply(ben, id);
    for (const client of [...concerned, everything]) await client.next(isReply(id, 1));
    for (const client of [page, inReno]) {
      await client.next(isReply(id, 2));
      expect(numbersOf(client, id)).toEqual([null, 2]);
    }
    // All clients with topics learn about a moved thread, because its earlier place is unknown.
    await stranger.next((message) => isThreadMessage(message) && message.threadId === id);
    expect(numbersOf(stranger, id)).toEqual([null]);
    for (const client of [...concerned, inReno, stranger, page, everything]) client.close();
  });

  test('deliver messages about threads and ads once and in order to a client that resumes', async () => {
    const before = await connectLive(product.url);
    const { id } = await start(anna);
    const { message } = await nextMessage(before, id, hasType('thread_started', 0));
    before.close();
    await reply(ben, id);
    const { id: adId } = await api.postAd((await api.signUp('provider')).token);
    await reply(anna, id);
    const after = await connectLive(product.url, { since: message.seq });
    await after.next(isReply(id, 2));
    expect(
      after.messages.map((message) =>
        isThreadMessage(message) ? `${message.type} ${message.number}` : `${message.type} ${message.adId}`,
      ),
    ).toEqual(['reply_posted 1', `ad_created ${adId}`, 'reply_posted 2']);
    after.close();
  });
});

const isReply = (threadId: string, number: number) => (message: LiveClient['messages'][number]) =>
  isThreadMessage(message) && message.threadId === threadId && message.number === number;

const numbersOf = (client: LiveClient, id: string) =>
  client.messages.flatMap((message) => (isThreadMessage(message) && message.threadId === id ? [message.number] : []));
