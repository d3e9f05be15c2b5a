import { describe, expect, test } from 'vitest';
import type { PostView, ResponseOf } from '@alpenglow/domain/contracts';
import {
  CHUNKS_MAX,
  getFirstNumber,
  hasPost,
  isAtEnd,
  getLastNumber,
  getPreviousCursor,
  getReplies,
  createWindow,
  addEarlierReplies,
  addLaterReplies,
  setHelpfulMark,
  addNewReplies,
  updatePost,
  type ThreadWindow,
} from '../src/thread/thread-window.ts';
import { isTargetLoaded } from '../src/thread/use-thread.ts';
import { getPostUrl, parsePostUrl } from '../src/thread/post-url.ts';

const MEMBER = { name: 'Alex', isModerator: false };
const AT = '2026-01-01T10:00:00.000Z';

const post = (number: number): PostView => ({
  id: `t-${number}`,
  number,
  author: MEMBER,
  status: 'visible',
  html: `<p>${number}</p>`,
  markdown: null,
  quote: null,
  postedAt: AT,
  editedAt: null,
  editableUntil: null,
  hiddenReason: null,
  helpfulCount: 0,
  isHelpful: false,
  isMine: false,
  hasContactDetails: false,
  isStarter: false,
});

const range = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

/** Creates the response with replies `first` to `last` of a thread with `total` replies. */
function response(first: number, last: number, total: number): ResponseOf<'getThread'> {
  return {
    success: true,
    data: {
      id: 't',
      slug: 'a-thread-0000000001',
      title: 'A thread',
      excerpt: 'Words',
      country: 'us',
      state: 'NV',
      city: 'Reno',
      author: MEMBER,
      status: 'visible',
      isLocked: false,
      isPinned: false,
      replyCount: total,
      startedAt: AT,
      lastPostAt: AT,
      lastPostBy: MEMBER,
      opening: post(0),
      replies: range(first, last).map(post),
      lastNumber: total,
      previousCursor: first > 1 ? `before ${first}` : null,
      follow: null,
      canReply: true,
    },
    nextCursor: last < total ? `from ${last + 1}` : null,
  };
}

const numbersOf = (window: ThreadWindow) => getReplies(window).map(({ number }) => number);
const pages = (total: number, count: number) => {
  let window = createWindow(response(1, 50, total));
  for (let page = 1; page < count; page++)
    window = addLaterReplies(window, response(page * 50 + 1, page * 50 + 50, total));
  return window;
};

describe('the loaded part of a thread', () => {
  test('grows page by page, and drops its beginning if it becomes too long', () => {
    const window = pages(10_000, CHUNKS_MAX + 2);
    expect(numbersOf(window)).toEqual(range(101, 300));
    expect(getPreviousCursor(window)).toBe('before 101');
    expect(isAtEnd(window)).toBe(false);
  });

  test('grows upwards too, and drops its end', () => {
    const window = addEarlierReplies(pages(10_000, CHUNKS_MAX + 1), response(1, 50, 10_000));
    expect(numbersOf(window)).toEqual(range(1, 200));
    expect(getPreviousCursor(window)).toBeNull();
    expect(isAtEnd(window)).toBe(false);
  });

  test('contains no reply twice after overlapping responses', () => {
    const window = createWindow(response(51, 100, 200));
    expect(numbersOf(addEarlierReplies(window, response(1, 60, 200)))).toEqual(range(1, 100));
    expect(numbersOf(addLaterReplies(window, response(90, 140, 200)))).toEqual(range(51, 140));
  });

  test('has a first and a last number, and reports which posts it contains', () => {
    const window = createWindow(response(51, 100, 200));
    expect([getFirstNumber(window), getLastNumber(window)]).toEqual([51, 100]);
    expect([0, 50, 51, 100, 101].map((number) => hasPost(window, number))).toEqual([true, false, true, true, false]);
    expect([null, 'last' as const, 75, 300].map((target) => isTargetLoaded(window, target))).toEqual([
      false,
      false,
      true,
      false,
    ]);
    const end = createWindow(response(151, 200, 200));
    expect(isTargetLoaded(end, 'last')).toBe(true);
    expect(isTargetLoaded(end, 900), 'there are no posts after the end').toBe(true);
  });
});

describe('live replies', () => {
  test('are appended after the last one, each once', () => {
    const window = createWindow(response(1, 3, 3));
    const extended = addNewReplies(window, response(1, 5, 5));
    expect(extended && numbersOf(extended)).toEqual([1, 2, 3, 4, 5]);
    expect(extended?.thread.lastNumber).toBe(5);
    expect(numbersOf(addNewReplies(extended ?? window, response(1, 5, 5)) ?? window)).toEqual([1, 2, 3, 4, 5]);
  });

  test('include the first reply of a thread', () => {
    const extended = addNewReplies(createWindow(response(1, 0, 0)), response(1, 1, 1));
    expect(extended && numbersOf(extended)).toEqual([1]);
  });

  test('are not appended if they do not directly follow', () => {
    expect(addNewReplies(createWindow(response(1, 40, 40)), response(51, 60, 60))).toBeNull();
  });

  test('are not appended if the last chunk would become too long', () => {
    expect(addNewReplies(createWindow(response(1, 90, 90)), response(91, 101, 101))).toBeNull();
  });
});

describe('a single post', () => {
  test('is changed at its position; the other posts stay the same objects', () => {
    const window = createWindow(response(1, 3, 3));
    const marked = updatePost(window, 2, (target) => setHelpfulMark(target, true));
    expect(getReplies(marked).map(({ isHelpful, helpfulCount }) => [isHelpful, helpfulCount])).toEqual([
      [false, 0],
      [true, 1],
      [false, 0],
    ]);
    expect(getReplies(marked)[0]).toBe(getReplies(window)[0]);
    expect(updatePost(window, 0, (target) => setHelpfulMark(target, true)).thread.opening.helpfulCount).toBe(1);
  });

  test('has a mark only once, and its count is never negative', () => {
    const marked = setHelpfulMark(post(1), true);
    expect(setHelpfulMark(marked, true)).toBe(marked);
    expect(setHelpfulMark(marked, false)).toMatchObject({ isHelpful: false, helpfulCount: 0 });
    expect(setHelpfulMark({ ...marked, helpfulCount: 0 }, false).helpfulCount).toBe(0);
  });
});

test.each([
  ['', '', null],
  ['?post=12', '', 12],
  ['?post=last', '', 'last'],
  ['', '#post-7', 7],
  ['?post=12', '#post-7', 12],
  ['?post=0', '', null],
  ['?post=-3', '', null],
  ['?post=12345678', '', null],
  ['?post=x', '#reply', null],
])('the number of the post is read from the URL part %s%s', (search, hash, expected) => {
  expect(parsePostUrl({ search, hash })).toBe(expected);
});

test('the URL of a post selects its page', () => {
  expect(getPostUrl('/community/us/nv/reno/a-thread-0000000001', 0)).toBe('/community/us/nv/reno/a-thread-0000000001');
  expect(getPostUrl('/a', 12)).toBe('/a?post=12#post-12');
});
