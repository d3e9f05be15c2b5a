import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import type { Projection, Row } from '../src/projection.ts';
import { communityPosts } from '../src/projections/community-posts.ts';
import { communityThreads } from '../src/projections/community-threads.ts';
import { helpfulMarks } from '../src/projections/helpful-marks.ts';
import { threadFollows } from '../src/projections/thread-follows.ts';
import { minutesLater, project } from './given.ts';

const threads = communityThreads as unknown as Projection;
const posts = communityPosts as unknown as Projection;
const T = '0193a1b2-0000-7000-8000-000000000001';
const OTHER = '0193a1b2-0000-7000-8000-000000000002';

const started = (threadId = T, title = 'Quiet places to meet'): DomainEvent => ({
  type: 'ThreadStarted',
  data: {
    threadId,
    accountId: 'anna',
    admissionId: 'a0',
    country: 'us',
    state: 'NV',
    city: 'Las Vegas',
    title,
    body: 'Where do you *like* to go?',
    fingerprint: 'f0',
  },
});
const reply = (number: number, body = 'The tea room by the park.', accountId = 'ben'): DomainEvent => ({
  type: 'ReplyPosted',
  data: {
    threadId: T,
    number,
    accountId,
    admissionId: `a${number}`,
    body,
    fingerprint: `f${number}`,
    quotedNumber: number > 1 ? 1 : 0,
  },
});
const post = (number: number) => ({ threadId: T, number, accountId: number === 0 ? 'anna' : 'ben' });
const edited = (number: number, body: string, title?: string): DomainEvent => ({
  type: 'PostEdited',
  data: { ...post(number), body, fingerprint: 'fe', ...(title !== undefined && { title }) },
});
const deleted = (number: number): DomainEvent => ({ type: 'PostDeleted', data: post(number) });
const hidden = (number: number): DomainEvent => ({
  type: 'PostHidden',
  data: { ...post(number), by: 'moderator', reason: 'Not here.' },
});
const restored = (number: number): DomainEvent => ({ type: 'PostRestored', data: post(number) });
const marked = (accountId: string): DomainEvent => ({
  type: 'PostMarkedHelpful',
  data: { accountId, threadId: T, number: 1 },
});

const threadAfter = (...events: readonly DomainEvent[]) => project(threads, ...events)[T] as Row;
const postAfter = (number: number, ...events: readonly DomainEvent[]) =>
  project(posts, ...events)[`${T}-${number}`] as Row;
/** Everything a post says anywhere in its row. */
const saidIn = (row: Row) =>
  JSON.stringify([
    row['title'],
    row['body'],
    row['html'],
    row['excerpt'],
    row['words'],
    row['fingerprint'],
    row['history'],
  ]);

describe('community_threads', () => {
  test('ThreadStarted makes a row with the beginning of what it says', () => {
    expect(threadAfter(started())).toMatchObject({
      account_id: 'anna',
      city: 'Las Vegas',
      title: 'Quiet places to meet',
      excerpt: 'Where do you like to go?',
      status: 'visible',
      reply_count: 0,
      last_number: 0,
      started_at: minutesLater(0),
      last_post_at: minutesLater(0),
    });
  });
  test('ReplyPosted counts, and is the last one', () => {
    expect(threadAfter(started(), reply(1), reply(2, 'And the library.', 'clara'))).toMatchObject({
      reply_count: 2,
      last_number: 2,
      last_post_at: minutesLater(2),
      last_account_id: 'clara',
    });
  });
  test('more replies mean more activity, and a later one more than an earlier one', () => {
    const activity = (...events: readonly DomainEvent[]) => Number(threadAfter(...events)['activity']);
    expect(activity(started(), reply(1))).toBeGreaterThan(activity(started()));
    expect(activity(started(), reply(1), reply(2))).toBeGreaterThan(activity(started(), reply(1)));
    const filler = started(OTHER);
    expect(activity(started(), filler, filler, reply(1))).toBeGreaterThan(activity(started(), reply(1)));
  });
  test('PostEdited of the opening post changes title and excerpt, of a reply nothing', () => {
    expect(threadAfter(started(), edited(0, 'Where to?', 'Calm places'))).toMatchObject({
      title: 'Calm places',
      excerpt: 'Where to?',
      reply_count: 0,
    });
    expect(threadAfter(started(), edited(0, 'Where to?'))).toMatchObject({ title: 'Quiet places to meet' });
    expect(threadAfter(started(), reply(1), edited(1, 'No.'))).toMatchObject({ excerpt: 'Where do you like to go?' });
  });
  test('PostDeleted of the opening post leaves nothing of what it said; of a reply, one reply fewer', () => {
    const row = threadAfter(started(), reply(1), deleted(0));
    expect(row).toMatchObject({ status: 'deleted', title: '', excerpt: '', reply_count: 1 });
    expect(threadAfter(started(), reply(1), reply(2), deleted(1))).toMatchObject({
      status: 'visible',
      reply_count: 1,
      last_number: 2,
    });
  });
  test('PostHidden and PostRestored take a reply off the count and back on it', () => {
    expect(threadAfter(started(), reply(1), hidden(1))).toMatchObject({ status: 'visible', reply_count: 0 });
    expect(threadAfter(started(), reply(1), hidden(1), restored(1))).toMatchObject({
      reply_count: 1,
      hidden_numbers: [],
    });
  });
  test('a hidden reply that its author deletes is not counted off twice', () => {
    expect(threadAfter(started(), reply(1), reply(2), hidden(1), deleted(1))).toMatchObject({
      reply_count: 1,
      hidden_numbers: [],
    });
  });
  test('PostHidden of the opening post hides the thread, PostRestored shows it again', () => {
    expect(threadAfter(started(), hidden(0))).toMatchObject({ status: 'hidden' });
    expect(threadAfter(started(), hidden(0), restored(0))).toMatchObject({
      status: 'visible',
      title: 'Quiet places to meet',
    });
  });
  test('PostDeleted of a hidden opening post leaves the thread hidden', () => {
    expect(threadAfter(started(), reply(1), hidden(0), deleted(0))).toMatchObject({
      status: 'hidden',
      title: '',
      excerpt: '',
    });
  });
  test('ThreadLocked, ThreadUnlocked, ThreadPinned, ThreadUnpinned', () => {
    const of = { threadId: T };
    expect(
      threadAfter(started(), { type: 'ThreadLocked', data: of }, { type: 'ThreadPinned', data: of }),
    ).toMatchObject({ is_locked: true, is_pinned: true });
    expect(
      threadAfter(started(), { type: 'ThreadLocked', data: of }, { type: 'ThreadUnlocked', data: of }),
    ).toMatchObject({ is_locked: false });
    expect(
      threadAfter(started(), { type: 'ThreadPinned', data: of }, { type: 'ThreadUnpinned', data: of }),
    ).toMatchObject({ is_pinned: false });
  });
  test('ThreadMoved changes its place', () => {
    expect(
      threadAfter(started(), {
        type: 'ThreadMoved',
        data: { threadId: T, country: 'us', state: 'CA', city: 'San Diego' },
      }),
    ).toMatchObject({ state: 'CA', city: 'San Diego' });
  });
  test('the tally of places counts visible threads alone', () => {
    const [tally] = threads.tallies ?? [];
    const keysAfter = (...events: readonly DomainEvent[]) => tally?.keysOf(threadAfter(...events));
    expect(keysAfter(started())).toEqual(['us', 'us/NV', 'us/NV/Las Vegas']);
    expect(keysAfter(started(), hidden(0))).toEqual([]);
    expect(keysAfter(started(), deleted(0))).toEqual([]);
    expect(keysAfter(started(), hidden(0), restored(0))).toHaveLength(3);
  });
});

describe('community_posts', () => {
  test('ThreadStarted makes post 0, found by title and text', () => {
    const row = postAfter(0, started());
    expect(row).toMatchObject({
      number: 0,
      title: 'Quiet places to meet',
      status: 'visible',
      posted_at: minutesLater(0),
      edited_at: null,
    });
    expect(row['html']).toContain('<em>like</em>');
    expect(row['words']).toMatch(/'quiet':1A(?: |$)/u);
    expect(row['words']).toMatch(/'like':1B(?: |$)/u);
  });
  test('a word of title and text alike has both weights', () => {
    const row = postAfter(0, { ...started(), data: { ...started().data, body: 'Quiet ones.' } } as DomainEvent);
    expect(row['words']).toMatch(/'quiet':1A,2B/u);
  });
  test('ReplyPosted makes a post of its own, with what it answers to', () => {
    expect(postAfter(2, started(), reply(1), reply(2))).toMatchObject({
      number: 2,
      title: null,
      account_id: 'ben',
      quoted_number: 1,
      helpful_count: 0,
    });
  });
  test('PostEdited marks it and keeps what it said, each time', () => {
    const row = postAfter(1, started(), reply(1), edited(1, 'Second.'), edited(1, 'Third.'));
    expect(row).toMatchObject({ body: 'Third.', edited_at: minutesLater(3), fingerprint: 'fe' });
    expect(row['history']).toEqual([
      { at: minutesLater(1), body: 'The tea room by the park.' },
      { at: minutesLater(2), body: 'Second.' },
    ]);
    expect(row['words']).not.toContain('second');
  });
  test('PostDeleted leaves nothing of what it ever said', () => {
    const row = postAfter(1, started(), reply(1), edited(1, 'Second.'), deleted(1));
    expect(row).toMatchObject({ status: 'deleted', number: 1 });
    expect(saidIn(row)).not.toMatch(/tea|second/iu);
    expect(saidIn(postAfter(0, started(), deleted(0)))).not.toMatch(/quiet|like/iu);
  });
  test('PostHidden is found by none of its words, and says why', () => {
    expect(postAfter(1, started(), reply(1), hidden(1))).toMatchObject({
      status: 'hidden',
      words: '',
      hidden_by: 'moderator',
      hidden_reason: 'Not here.',
      hidden_at: minutesLater(2),
    });
  });
  test('PostRestored is found again', () => {
    const row = postAfter(1, started(), reply(1), hidden(1), restored(1));
    expect(row).toMatchObject({ status: 'visible', hidden_by: null, hidden_at: null });
    expect(row['words']).toContain("'tea'");
  });
  test('a hidden post that is deleted says nothing any more', () => {
    expect(postAfter(1, started(), reply(1), hidden(1), deleted(1))).toMatchObject({
      status: 'deleted',
      body: '',
      hidden_at: null,
    });
  });
  test('PostMarkedHelpful and PostUnmarkedHelpful count', () => {
    const unmarked: DomainEvent = { type: 'PostUnmarkedHelpful', data: { accountId: 'clara', threadId: T, number: 1 } };
    expect(postAfter(1, started(), reply(1), marked('clara'), marked('dora'))).toMatchObject({ helpful_count: 2 });
    expect(postAfter(1, started(), reply(1), marked('clara'), marked('dora'), unmarked)).toMatchObject({
      helpful_count: 1,
    });
  });
});

describe('helpful_marks', () => {
  const marks = helpfulMarks as unknown as Projection;
  test('PostMarkedHelpful and PostUnmarkedHelpful', () => {
    expect(Object.keys(project(marks, marked('clara'), marked('dora')))).toEqual([`clara/${T}-1`, `dora/${T}-1`]);
    expect(
      project(marks, marked('clara'), {
        type: 'PostUnmarkedHelpful',
        data: { accountId: 'clara', threadId: T, number: 1 },
      }),
    ).toEqual({});
  });
});

describe('thread_follows', () => {
  const follows = threadFollows as unknown as Projection;
  const followed = (mail: 'instant' | 'daily' | 'off'): DomainEvent => ({
    type: 'ThreadFollowed',
    data: { accountId: 'anna', threadId: T, mail },
  });
  test('ThreadFollowed keeps when it began, and changes the mail', () => {
    expect(project(follows, followed('instant'), followed('daily'))).toEqual({
      [`anna/${T}`]: {
        follow_id: `anna/${T}`,
        account_id: 'anna',
        thread_id: T,
        mail: 'daily',
        followed_at: minutesLater(0),
      },
    });
  });
  test('ThreadUnfollowed ends it', () => {
    expect(
      project(follows, followed('instant'), { type: 'ThreadUnfollowed', data: { accountId: 'anna', threadId: T } }),
    ).toEqual({});
  });
});
