import {
  account,
  article,
  createArticleSlug,
  findPost,
  countPosts,
  START_POSITION,
  thread,
  toDomainEvent,
  type DomainEvent,
  type EventStore,
  type RecordedEvent,
} from '@alpenglow/domain';
import {
  closeAccount,
  discardArticle,
  draftArticle,
  hidePost,
  lockThread,
  pinThread,
  withdrawArticle,
} from '@alpenglow/domain/deciders';
import { createCommandHandler, type CommandHandler } from '@alpenglow/infra';
import { v5 as uuidv5 } from 'uuid';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readInitialArticles } from '../seed/initial-articles.ts';
import { demoAds } from '../seed/demo-ads.ts';
import { demoThreads } from '../seed/demo-threads.ts';
import { seedArticles } from '../seed/seed-articles.ts';
import { seedCommunity } from '../seed/seed-community.ts';
import { seedDemo } from '../seed/seed-demo.ts';
import { createAccountId, createSeedDependencies } from './seed-dependencies.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';

const DAY_ms = 24 * 60 * 60_000;
const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const threads = demoThreads();
const ads = demoAds();
const posterIdOf = (number: number) => createAccountId(ads[number]?.email ?? '');

let store: EventStore;
let commands: CommandHandler;
let deps: Awaited<ReturnType<typeof createSeedDependencies>>;
beforeEach(async () => {
  store = createMemoryEventStore();
  commands = createCommandHandler(store);
  deps = await createSeedDependencies(commands);
});
afterEach(() => deps.remove());

async function readAllEvents(): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let after = START_POSITION; ; ) {
    const page = await store.readAll({ after, limit: 1000 });
    events.push(...page);
    const last = page.at(-1);
    if (!last) return events;
    after = last.position;
  }
}
const eventsOfType = <Type extends DomainEvent['type']>(events: readonly RecordedEvent[], type: Type) =>
  events.flatMap((candidate) => {
    const event = toDomainEvent(candidate);
    return event?.type === type
      ? [{ at: candidate.meta.at, data: event.data as Extract<DomainEvent, { type: Type }>['data'] }]
      : [];
  });

describe('seeding the initial articles of the blog', () => {
  test('publishes each in the past, with a stock picture', async () => {
    const starters = await readInitialArticles();
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
  test('again changes nothing, even if the articles were changed', async () => {
    const [first, second] = await readInitialArticles();
    const draft = {
      title: 'Mine',
      summary: 'Mine.',
      body: 'Mine',
      language: 'en' as const,
      state: null,
      city: null,
      tags: [],
      cover: null,
    };
    // The second article was drafted and discarded before the initial articles were first published. It must therefore
    // be skipped.
    await commands.execute(
      article,
      second?.slug ?? '',
      draftArticle,
      { articleId: second?.slug ?? '', fields: draft },
      origin,
    );
    await commands.execute(article, second?.slug ?? '', discardArticle, {}, origin);
    await seedArticles({ commands });
    await commands.execute(article, first?.slug ?? '', withdrawArticle, { reason: null }, origin);
    const before = await store.readHead();
    await seedArticles({ commands: createCommandHandler(store) });
    expect(await store.readHead()).toBe(before);
    expect((await commands.load(article, second?.slug ?? '')).state).toBeNull();
  });
  test('has titles that result in an address', async () => {
    for (const { title } of await readInitialArticles()) expect(createArticleSlug(title)).not.toBe('');
  });
});

describe('seeding the demo threads', () => {
  const seed = () => seedCommunity({ commands: createCommandHandler(store), createAccountId });

  test('starts every thread with its replies, quotes, marks and pins, each at its time', async () => {
    await seedDemo(deps);
    const now_ms = Date.now();
    await seed();
    const events = await readAllEvents();
    const opened = eventsOfType(events, 'ThreadStarted');
    const replies = eventsOfType(events, 'ReplyPosted');
    expect(opened.map(({ data }) => data.title).sort()).toEqual(threads.map(({ title }) => title).sort());
    expect(replies).toHaveLength(threads.flatMap((one) => one.replies).length);
    expect(eventsOfType(events, 'ThreadPinned')).toHaveLength(threads.filter(({ isPinned }) => isPinned).length);
    expect(eventsOfType(events, 'PostMarkedHelpful')).toHaveLength(
      threads.flatMap((one) => one.replies.flatMap(({ helpfulBy }) => helpfulBy)).length,
    );
    for (const one of threads) {
      const found = opened.find(({ data }) => data.title === one.title && data.body === one.body);
      expect(found?.data).toMatchObject({
        accountId: posterIdOf(one.author),
        country: one.country,
        state: one.state,
        city: one.city,
        body: one.body,
      });
      expect(Math.abs(now_ms - one.age_ms - Date.parse(found?.at ?? ''))).toBeLessThan(60_000);
      const ownReplies = replies.filter(({ data }) => data.threadId === found?.data.threadId);
      expect(ownReplies.map(({ data }) => [data.number, data.accountId, data.body, data.quotedNumber])).toEqual(
        one.replies.map((reply, index) => [
          index + 1,
          posterIdOf(reply.author),
          reply.body,
          reply.quotes === null ? null : reply.quotes + 1,
        ]),
      );
      expect(
        ownReplies.every(
          ({ at }, index) => Math.abs(now_ms - (one.replies[index]?.age_ms ?? 0) - Date.parse(at)) < 60_000,
        ),
      ).toBe(true);
    }
  });
  test('adds them to an older installation, except those of closed accounts', async () => {
    await seedDemo(deps);
    const [first] = threads;
    await commands.execute(account, posterIdOf(first?.author ?? 0), closeAccount, { reason: null }, origin);
    await seed();
    const events = await readAllEvents();
    const closedAccountId = posterIdOf(first?.author ?? 0);
    const ownThreads = threads.filter(({ author }) => posterIdOf(author) === closedAccountId);
    expect(ownThreads).not.toEqual([]);
    expect(eventsOfType(events, 'ThreadStarted')).toHaveLength(threads.length - ownThreads.length);
    expect(eventsOfType(events, 'ReplyPosted').filter(({ data }) => data.accountId === closedAccountId)).toEqual([]);
    expect(eventsOfType(events, 'PostMarkedHelpful').filter(({ data }) => data.accountId === closedAccountId)).toEqual(
      [],
    );
  });
  test('again changes nothing, whatever moderators and members have changed', async () => {
    await seedDemo(deps);
    await seed();
    const [opened] = eventsOfType(await readAllEvents(), 'ThreadPinned');
    const threadId = opened?.data.threadId ?? '';
    await commands.execute(thread, threadId, hidePost, { number: 0, by: 'moderator', reason: null }, origin);
    await commands.execute(thread, threadId, lockThread, { isLocked: true }, origin);
    await commands.execute(thread, threadId, pinThread, { isPinned: false }, origin);
    const before = await store.readHead();
    await seed();
    expect(await store.readHead()).toBe(before);
  });
  test('resumes after an interruption, also in a thread that was locked and has new replies', async () => {
    await seedDemo(deps);
    const long = threads.find(({ replies }) => replies.some(({ quotes }) => quotes !== null && quotes > 0));
    const interruption = new Error('interrupted');
    let posted = 0;
    const failing: CommandHandler = {
      ...commands,
      handle: (...args) => {
        if (args[0].name === 'thread' && (posted += 1) > 60) throw interruption;
        return commands.handle(...args);
      },
    };
    await expect(seedCommunity({ commands: failing, createAccountId })).rejects.toBe(interruption);
    const threadId =
      eventsOfType(await readAllEvents(), 'ThreadStarted').find(({ data }) => data.body === long?.body)?.data
        .threadId ?? '';
    const { state: half } = await commands.load(thread, threadId);
    expect(half && countPosts(half.posts)).toBeLessThanOrEqual(long?.replies.length ?? 0);
    const other = {
      threadId,
      number: countPosts(half?.posts ?? []),
      accountId: 'robin',
      admissionId: 'other',
      body: 'Mine',
      fingerprint: 'mine',
      quotedNumber: null,
    };
    await commands.handle(thread, threadId, () => [{ type: 'ReplyPosted', data: other }], origin);
    await commands.execute(thread, threadId, lockThread, { isLocked: true }, origin);
    await seed();
    const events = await readAllEvents();
    const replies = eventsOfType(events, 'ReplyPosted');
    expect(eventsOfType(events, 'ThreadStarted')).toHaveLength(threads.length);
    expect(replies).toHaveLength(threads.flatMap((one) => one.replies).length + 1);
    expect(eventsOfType(events, 'PostMarkedHelpful')).toHaveLength(
      threads.flatMap((one) => one.replies.flatMap(({ helpfulBy }) => helpfulBy)).length,
    );
    const { state } = await commands.load(thread, threadId);
    for (const [index, { quotes }] of (long?.replies ?? []).entries()) {
      if (quotes === null) continue;
      const quoting = replies.find(
        ({ data }) => data.threadId === threadId && data.body === long?.replies[index]?.body,
      );
      const quoted = findPost(state?.posts ?? [], quoting?.data.quotedNumber ?? -1);
      expect(quoted?.admissionId).toBe(uuidv5(String(quotes), threadId));
    }
  });
});
