import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import type { Projection, Row } from '../src/projection.ts';
import { communityPosts } from '../src/projections/community-posts.ts';
import { communityThreads } from '../src/projections/community-threads.ts';
import { helpfulMarks } from '../src/projections/helpful-marks.ts';
import { threadFollows } from '../src/projections/thread-follows.ts';
import { minutesLater, project } from './project.ts';

const threads = communityThreads as unknown as Projection;
const posts = communityPosts as unknown as Projection;
const T = '0193a1b2-0000-7000-8000-000000000001';
const OTHER = '0193a1b2-0000-7000-8000-000000000002';

const threadStarted = (threadId = T, title = 'Quiet places to meet'): DomainEvent => ({
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
const replyPosted = (number: number, body = 'The tea room by the park.', accountId = 'ben'): DomainEvent => ({
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
const postFields = (number: number) => ({ threadId: T, number, accountId: number === 0 ? 'anna' : 'ben' });
const postEdited = (number: number, body: string, title?: string): DomainEvent => ({
  type: 'PostEdited',
  data: { ...postFields(number), body, fingerprint: 'fe', ...(title !== undefined && { title }) },
});
const postDeleted = (number: number): DomainEvent => ({ type: 'PostDeleted', data: postFields(number) });
const postHidden = (number: number): DomainEvent => ({
  type: 'PostHidden',
  data: { ...postFields(number), by: 'moderator', reason: 'Not here.' },
});
const postRestored = (number: number): DomainEvent => ({ type: 'PostRestored', data: postFields(number) });
const postMarkedHelpful = (accountId: string): DomainEvent => ({
  type: 'PostMarkedHelpful',
  data: { accountId, threadId: T, number: 1 },
});

const threadAfter = (...events: readonly DomainEvent[]) => project(threads, ...events)[T] as Row;
const postAfter = (number: number, ...events: readonly DomainEvent[]) =>
  project(posts, ...events)[`${T}-${number}`] as Row;
/** Returns the values of all columns of a row that contain text of the post. */
const textIn = (row: Row) =>
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
  test('ThreadStarted creates a row with an excerpt of its text', () => {
    expect(threadAfter(threadStarted())).toMatchObject({
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
  test('ReplyPosted increments the count and becomes the last post', () => {
    expect(threadAfter(threadStarted(), replyPosted(1), replyPosted(2, 'And the library.', 'clara'))).toMatchObject({
      reply_count: 2,
      last_number: 2,
      last_post_at: minutesLater(2),
      last_account_id: 'clara',
    });
  });
  test('a reply increases the activity, a later one more than an earlier one', () => {
    const activity = (...events: readonly DomainEvent[]) => Number(threadAfter(...events)['activity']);
    expect(activity(threadStarted(), replyPosted(1))).toBeGreaterThan(activity(threadStarted()));
    expect(activity(threadStarted(), replyPosted(1), replyPosted(2))).toBeGreaterThan(
      activity(threadStarted(), replyPosted(1)),
    );
    const filler = threadStarted(OTHER);
    expect(activity(threadStarted(), filler, filler, replyPosted(1))).toBeGreaterThan(
      activity(threadStarted(), replyPosted(1)),
    );
  });
  test('PostEdited of the opening post changes title and excerpt; of a reply, nothing', () => {
    expect(threadAfter(threadStarted(), postEdited(0, 'Where to?', 'Calm places'))).toMatchObject({
      title: 'Calm places',
      excerpt: 'Where to?',
      reply_count: 0,
    });
    expect(threadAfter(threadStarted(), postEdited(0, 'Where to?'))).toMatchObject({ title: 'Quiet places to meet' });
    expect(threadAfter(threadStarted(), replyPosted(1), postEdited(1, 'No.'))).toMatchObject({
      excerpt: 'Where do you like to go?',
    });
  });
  test('PostDeleted of the opening post clears its texts; of a reply, decrements the count', () => {
    const row = threadAfter(threadStarted(), replyPosted(1), postDeleted(0));
    expect(row).toMatchObject({ status: 'deleted', title: '', excerpt: '', reply_count: 1 });
    expect(threadAfter(threadStarted(), replyPosted(1), replyPosted(2), postDeleted(1))).toMatchObject({
      status: 'visible',
      reply_count: 1,
      last_number: 2,
    });
  });
  test('PostHidden decrements the count of replies, PostRestored increments it', () => {
    expect(threadAfter(threadStarted(), replyPosted(1), postHidden(1))).toMatchObject({
      status: 'visible',
      reply_count: 0,
    });
    expect(threadAfter(threadStarted(), replyPosted(1), postHidden(1), postRestored(1))).toMatchObject({
      reply_count: 1,
      hidden_numbers: [],
    });
  });
  test('PostDeleted of a hidden reply does not decrement the count again', () => {
    expect(threadAfter(threadStarted(), replyPosted(1), replyPosted(2), postHidden(1), postDeleted(1))).toMatchObject({
      reply_count: 1,
      hidden_numbers: [],
    });
  });
  test('PostHidden of the opening post hides the thread, PostRestored shows it again', () => {
    expect(threadAfter(threadStarted(), postHidden(0))).toMatchObject({ status: 'hidden' });
    expect(threadAfter(threadStarted(), postHidden(0), postRestored(0))).toMatchObject({
      status: 'visible',
      title: 'Quiet places to meet',
    });
  });
  test('PostDeleted of a hidden opening post leaves the thread hidden', () => {
    expect(threadAfter(threadStarted(), replyPosted(1), postHidden(0), postDeleted(0))).toMatchObject({
      status: 'hidden',
      title: '',
      excerpt: '',
    });
  });
  test('ThreadLocked and ThreadPinned set a mark, ThreadUnlocked and ThreadUnpinned clear it', () => {
    const data = { threadId: T };
    expect(
      threadAfter(threadStarted(), { type: 'ThreadLocked', data: data }, { type: 'ThreadPinned', data: data }),
    ).toMatchObject({ is_locked: true, is_pinned: true });
    expect(
      threadAfter(threadStarted(), { type: 'ThreadLocked', data: data }, { type: 'ThreadUnlocked', data: data }),
    ).toMatchObject({ is_locked: false });
    expect(
      threadAfter(threadStarted(), { type: 'ThreadPinned', data: data }, { type: 'ThreadUnpinned', data: data }),
    ).toMatchObject({ is_pinned: false });
  });
  test('ThreadMoved changes the place', () => {
    expect(
      threadAfter(threadStarted(), {
        type: 'ThreadMoved',
        data: { threadId: T, country: 'us', state: 'CA', city: 'San Diego' },
      }),
    ).toMatchObject({ state: 'CA', city: 'San Diego' });
  });
  test('the tally of places counts only visible threads', () => {
    const [tally] = threads.tallies ?? [];
    const keysAfter = (...events: readonly DomainEvent[]) => tally?.keysOf(threadAfter(...events));
    expect(keysAfter(threadStarted())).toEqual(['us', 'us/NV', 'us/NV/Las Vegas']);
    expect(keysAfter(threadStarted(), postHidden(0))).toEqual([]);
    expect(keysAfter(threadStarted(), postDeleted(0))).toEqual([]);
    expect(keysAfter(threadStarted(), postHidden(0), postRestored(0))).toHaveLength(3);
  });
});

describe('community_posts', () => {
  test('ThreadStarted creates post 0, searchable by title and text', () => {
    const row = postAfter(0, threadStarted());
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
  test('a word that occurs in title and text has both weights', () => {
    const row = postAfter(0, {
      ...threadStarted(),
      data: { ...threadStarted().data, body: 'Quiet ones.' },
    } as DomainEvent);
    expect(row['words']).toMatch(/'quiet':1A,2B/u);
  });
  test('ReplyPosted creates a post, with the number of the quoted post', () => {
    expect(postAfter(2, threadStarted(), replyPosted(1), replyPosted(2))).toMatchObject({
      number: 2,
      title: null,
      account_id: 'ben',
      quoted_number: 1,
      helpful_count: 0,
    });
  });
  test('PostEdited sets the time of the edit and adds the old text to the history', () => {
    const row = postAfter(1, threadStarted(), replyPosted(1), postEdited(1, 'Second.'), postEdited(1, 'Third.'));
    expect(row).toMatchObject({ body: 'Third.', edited_at: minutesLater(3), fingerprint: 'fe' });
    expect(row['history']).toEqual([
      { at: minutesLater(1), body: 'The tea room by the park.' },
      { at: minutesLater(2), body: 'Second.' },
    ]);
    expect(row['words']).not.toContain('second');
  });
  test('PostDeleted removes all current and earlier texts', () => {
    const row = postAfter(1, threadStarted(), replyPosted(1), postEdited(1, 'Second.'), postDeleted(1));
    expect(row).toMatchObject({ status: 'deleted', number: 1 });
    expect(textIn(row)).not.toMatch(/tea|second/iu);
    expect(textIn(postAfter(0, threadStarted(), postDeleted(0)))).not.toMatch(/quiet|like/iu);
  });
  test('PostHidden removes the post from the search and stores the reason', () => {
    expect(postAfter(1, threadStarted(), replyPosted(1), postHidden(1))).toMatchObject({
      status: 'hidden',
      words: '',
      hidden_by: 'moderator',
      hidden_reason: 'Not here.',
      hidden_at: minutesLater(2),
    });
  });
  test('PostRestored makes the post searchable again', () => {
    const row = postAfter(1, threadStarted(), replyPosted(1), postHidden(1), postRestored(1));
    expect(row).toMatchObject({ status: 'visible', hidden_by: null, hidden_at: null });
    expect(row['words']).toContain("'tea'");
  });
  test('PostDeleted of a hidden post removes its text', () => {
    expect(postAfter(1, threadStarted(), replyPosted(1), postHidden(1), postDeleted(1))).toMatchObject({
      status: 'deleted',
      body: '',
      hidden_at: null,
    });
  });
  test('PostMarkedHelpful and PostUnmarkedHelpful change the count', () => {
    const postUnmarkedHelpful: DomainEvent = {
      type: 'PostUnmarkedHelpful',
      data: { accountId: 'clara', threadId: T, number: 1 },
    };
    expect(
      postAfter(1, threadStarted(), replyPosted(1), postMarkedHelpful('clara'), postMarkedHelpful('dora')),
    ).toMatchObject({ helpful_count: 2 });
    expect(
      postAfter(
        1,
        threadStarted(),
        replyPosted(1),
        postMarkedHelpful('clara'),
        postMarkedHelpful('dora'),
        postUnmarkedHelpful,
      ),
    ).toMatchObject({
      helpful_count: 1,
    });
  });
});

describe('helpful_marks', () => {
  const marks = helpfulMarks as unknown as Projection;
  test('PostMarkedHelpful adds a mark, PostUnmarkedHelpful removes it', () => {
    expect(Object.keys(project(marks, postMarkedHelpful('clara'), postMarkedHelpful('dora')))).toEqual([
      `clara/${T}-1`,
      `dora/${T}-1`,
    ]);
    expect(
      project(marks, postMarkedHelpful('clara'), {
        type: 'PostUnmarkedHelpful',
        data: { accountId: 'clara', threadId: T, number: 1 },
      }),
    ).toEqual({});
  });
});

describe('thread_follows', () => {
  const follows = threadFollows as unknown as Projection;
  const threadFollowed = (mail: 'instant' | 'daily' | 'off'): DomainEvent => ({
    type: 'ThreadFollowed',
    data: { accountId: 'anna', threadId: T, mail },
  });
  test('ThreadFollowed again changes the mail setting, but not the start time', () => {
    expect(project(follows, threadFollowed('instant'), threadFollowed('daily'))).toEqual({
      [`anna/${T}`]: {
        follow_id: `anna/${T}`,
        account_id: 'anna',
        thread_id: T,
        mail: 'daily',
        followed_at: minutesLater(0),
      },
    });
  });
  test('ThreadUnfollowed removes the row', () => {
    expect(
      project(follows, threadFollowed('instant'), {
        type: 'ThreadUnfollowed',
        data: { accountId: 'anna', threadId: T },
      }),
    ).toEqual({});
  });
});
