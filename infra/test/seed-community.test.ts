import {
  account,
  article,
  articleSlugOf,
  closeAccount,
  discardArticle,
  draftArticle,
  hidePost,
  lockThread,
  pinThread,
  postAt,
  postCount,
  START,
  thread,
  toDomainEvent,
  withdrawArticle,
  type DomainEvent,
  type EventStore,
  type RecordedEvent,
} from '@alpenglow/domain';
import { createCommandHandler, createMemoryEventStore, type CommandHandler } from '@alpenglow/infra';
import { v5 as uuidv5 } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { starterArticles } from '../embedded/seed/articles.ts';
import { demoAds } from '../embedded/seed/demo-ads.ts';
import { demoThreads } from '../embedded/seed/demo-threads.ts';
import { seedArticles } from '../embedded/seed/seed-articles.ts';
import { seedCommunity } from '../embedded/seed/seed-community.ts';
import { seedDemo } from '../embedded/seed/seed.ts';

const DAY_ms = 24 * 60 * 60_000;
const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const accountIdOf = (email: string) => email.replaceAll(/\W/gu, '-');
const threads = demoThreads();
const ads = demoAds();
const posterOf = (number: number) => accountIdOf(ads[number]?.email ?? '');

let store: EventStore;
let commands: CommandHandler;
beforeEach(() => {
  store = createMemoryEventStore();
  commands = createCommandHandler(store);
});

async function recorded(): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let after = START; ; ) {
    const page = await store.readAll({ after, limit: 1000 });
    events.push(...page);
    const last = page.at(-1);
    if (!last) return events;
    after = last.position;
  }
}
const ofType = <Type extends DomainEvent['type']>(events: readonly RecordedEvent[], type: Type) =>
  events.flatMap((one) => {
    const event = toDomainEvent(one);
    return event?.type === type
      ? [{ at: one.meta.at, data: event.data as Extract<DomainEvent, { type: Type }>['data'] }]
      : [];
  });

describe('seeding the articles the blog begins with', () => {
  test('publishes each in the past, under a picture of the house', async () => {
    const starters = await starterArticles();
    const before_ms = Date.now();
    await seedArticles({ commands });
    const covers = new Set<string | null>();
    for (const { slug, title, body, publishedDaysAgo } of starters) {
      const { state } = await commands.load(article, slug);
      expect(state).toMatchObject({ status: 'published', title, body });
      expect(Math.abs(before_ms - publishedDaysAgo * DAY_ms - Date.parse(state?.publishedAt ?? ''))).toBeLessThan(
        60_000,
      );
      covers.add(state?.cover ?? null);
    }
    expect([...covers].every((cover) => cover?.startsWith('demo-'))).toBe(true);
    expect(covers.size).toBe(Math.min(12, starters.length));
  });
  test('again changes nothing, whatever became of them', async () => {
    const [first, second] = await starterArticles();
    const draft = { title: 'Mine', summary: 'Mine.', body: 'Mine', state: null, city: null, tags: [], cover: null };
    // A draft at an address of ours that was thrown away before the product had articles of its own.
    await commands.handle(
      article,
      second?.slug ?? '',
      (state) => draftArticle({ articleId: second?.slug ?? '', fields: draft }, state),
      origin,
    );
    await commands.handle(article, second?.slug ?? '', discardArticle, origin);
    await seedArticles({ commands });
    await commands.handle(article, first?.slug ?? '', (state) => withdrawArticle(null, state), origin);
    const before = await store.head();
    await seedArticles({ commands: createCommandHandler(store) });
    expect(await store.head()).toBe(before);
    expect((await commands.load(article, second?.slug ?? '')).state).toBeNull();
  });
  test('their titles make addresses', async () => {
    for (const { title } of await starterArticles()) expect(articleSlugOf(title)).not.toBe('');
  });
});

describe('seeding the demo threads', () => {
  const seed = () => seedCommunity({ commands: createCommandHandler(store), accountIdOf });

  test('starts every thread with its replies, quotes, marks and pins, each at its time', async () => {
    await seedDemo({ commands, accountIdOf });
    const now_ms = Date.now();
    await seed();
    const events = await recorded();
    const opened = ofType(events, 'ThreadStarted');
    const replies = ofType(events, 'ReplyPosted');
    expect(opened.map(({ data }) => data.title).sort()).toEqual(threads.map(({ title }) => title).sort());
    expect(replies).toHaveLength(threads.flatMap((one) => one.replies).length);
    expect(ofType(events, 'ThreadPinned')).toHaveLength(threads.filter(({ isPinned }) => isPinned).length);
    expect(ofType(events, 'PostMarkedHelpful')).toHaveLength(
      threads.flatMap((one) => one.replies.flatMap(({ helpfulBy }) => helpfulBy)).length,
    );
    for (const one of threads) {
      const found = opened.find(({ data }) => data.title === one.title && data.body === one.body);
      expect(found?.data).toMatchObject({
        accountId: posterOf(one.author),
        country: one.country,
        state: one.state,
        city: one.city,
        body: one.body,
      });
      expect(Math.abs(now_ms - one.age_ms - Date.parse(found?.at ?? ''))).toBeLessThan(60_000);
      const own = replies.filter(({ data }) => data.threadId === found?.data.threadId);
      expect(own.map(({ data }) => [data.number, data.accountId, data.body, data.quotedNumber])).toEqual(
        one.replies.map((reply, index) => [
          index + 1,
          posterOf(reply.author),
          reply.body,
          reply.quotes === null ? null : reply.quotes + 1,
        ]),
      );
      expect(
        own.every(({ at }, index) => Math.abs(now_ms - (one.replies[index]?.age_ms ?? 0) - Date.parse(at)) < 60_000),
      ).toBe(true);
    }
  });
  test('an installation from before gets them, without those whose posters have left', async () => {
    await seedDemo({ commands, accountIdOf });
    const [first] = threads;
    await commands.handle(account, posterOf(first?.author ?? 0), (state) => closeAccount(null, state), origin);
    await seed();
    const events = await recorded();
    const left = posterOf(first?.author ?? 0);
    const theirs = threads.filter(({ author }) => posterOf(author) === left);
    expect(theirs).not.toEqual([]);
    expect(ofType(events, 'ThreadStarted')).toHaveLength(threads.length - theirs.length);
    expect(ofType(events, 'ReplyPosted').filter(({ data }) => data.accountId === left)).toEqual([]);
    expect(ofType(events, 'PostMarkedHelpful').filter(({ data }) => data.accountId === left)).toEqual([]);
  });
  test('again changes nothing, whatever moderators and members have done since', async () => {
    await seedDemo({ commands, accountIdOf });
    await seed();
    const [opened] = ofType(await recorded(), 'ThreadPinned');
    const threadId = opened?.data.threadId ?? '';
    await commands.handle(
      thread,
      threadId,
      (state) => hidePost({ number: 0, by: 'moderator', reason: null }, state),
      origin,
    );
    await commands.handle(thread, threadId, (state) => lockThread(true, state), origin);
    await commands.handle(thread, threadId, (state) => pinThread(false, state), origin);
    const before = await store.head();
    await seed();
    expect(await store.head()).toBe(before);
  });
  test('cut off half-way goes on, in a thread that was locked and has other replies meanwhile as well', async () => {
    await seedDemo({ commands, accountIdOf });
    const long = threads.find(({ replies }) => replies.some(({ quotes }) => quotes !== null && quotes > 0));
    const cutOff = new Error('cut off');
    let posted = 0;
    const failing: CommandHandler = {
      ...commands,
      handle: (...args) => {
        if (args[0].name === 'thread' && (posted += 1) > 60) throw cutOff;
        return commands.handle(...args);
      },
    };
    await expect(seedCommunity({ commands: failing, accountIdOf })).rejects.toBe(cutOff);
    const threadId =
      ofType(await recorded(), 'ThreadStarted').find(({ data }) => data.body === long?.body)?.data.threadId ?? '';
    const { state: half } = await commands.load(thread, threadId);
    expect(half && postCount(half.posts)).toBeLessThanOrEqual(long?.replies.length ?? 0);
    const other = {
      threadId,
      number: postCount(half?.posts ?? []),
      accountId: 'robin',
      admissionId: 'other',
      body: 'Mine',
      fingerprint: 'mine',
      quotedNumber: null,
    };
    await commands.handle(thread, threadId, () => [{ type: 'ReplyPosted', data: other }], origin);
    await commands.handle(thread, threadId, (state) => lockThread(true, state), origin);
    await seed();
    const events = await recorded();
    const replies = ofType(events, 'ReplyPosted');
    expect(ofType(events, 'ThreadStarted')).toHaveLength(threads.length);
    expect(replies).toHaveLength(threads.flatMap((one) => one.replies).length + 1);
    expect(ofType(events, 'PostMarkedHelpful')).toHaveLength(
      threads.flatMap((one) => one.replies.flatMap(({ helpfulBy }) => helpfulBy)).length,
    );
    const { state } = await commands.load(thread, threadId);
    for (const [index, { quotes }] of (long?.replies ?? []).entries()) {
      if (quotes === null) continue;
      const quoting = replies.find(
        ({ data }) => data.threadId === threadId && data.body === long?.replies[index]?.body,
      );
      const quoted = postAt(state?.posts ?? [], quoting?.data.quotedNumber ?? -1);
      expect(quoted?.admissionId).toBe(uuidv5(String(quotes), threadId));
    }
  });
});
