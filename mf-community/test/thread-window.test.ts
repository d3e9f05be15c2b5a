import { describe, expect, test } from 'vitest';
import type { PostView, ThreadAnswer } from '@alpenglow/domain/contracts';
import {
  CHUNKS_MAX,
  firstNumberOf,
  hasPost,
  isAtEnd,
  lastNumberOf,
  previousCursorOf,
  repliesOf,
  windowOf,
  withEarlier,
  withLater,
  withMark,
  withNews,
  withPost,
  type ThreadWindow,
} from '../src/thread/thread-window.ts';
import { isShown } from '../src/thread/use-thread.ts';
import { postAddress, postInAddress } from '../src/thread/where.ts';

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
  isStarter: false,
});

const range = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

/** Replies `first` to `last` of a thread of `total`, as the server answers them. */
function answer(first: number, last: number, total: number): ThreadAnswer {
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

const numbersOf = (window: ThreadWindow) => repliesOf(window).map(({ number }) => number);
const pages = (total: number, count: number) => {
  let window = windowOf(answer(1, 50, total));
  for (let page = 1; page < count; page++) window = withLater(window, answer(page * 50 + 1, page * 50 + 50, total));
  return window;
};

describe('the part of a thread that is shown', () => {
  test('grows page by page, and drops what is farthest once it is long', () => {
    const window = pages(10_000, CHUNKS_MAX + 2);
    expect(numbersOf(window)).toEqual(range(101, 300));
    expect(previousCursorOf(window)).toBe('before 101');
    expect(isAtEnd(window)).toBe(false);
  });

  test('grows upwards too, and lets go of its end', () => {
    const window = withEarlier(pages(10_000, CHUNKS_MAX + 1), answer(1, 50, 10_000));
    expect(numbersOf(window)).toEqual(range(1, 200));
    expect(previousCursorOf(window)).toBeNull();
    expect(isAtEnd(window)).toBe(false);
  });

  test('an answer that overlaps doubles nothing', () => {
    const window = windowOf(answer(51, 100, 200));
    expect(numbersOf(withEarlier(window, answer(1, 60, 200)))).toEqual(range(1, 100));
    expect(numbersOf(withLater(window, answer(90, 140, 200)))).toEqual(range(51, 140));
  });

  test('its first and last number, and which posts it has', () => {
    const window = windowOf(answer(51, 100, 200));
    expect([firstNumberOf(window), lastNumberOf(window)]).toEqual([51, 100]);
    expect([0, 50, 51, 100, 101].map((number) => hasPost(window, number))).toEqual([true, false, true, true, false]);
    expect([null, 'last' as const, 75, 300].map((target) => isShown(window, target))).toEqual([
      false,
      false,
      true,
      false,
    ]);
    const end = windowOf(answer(151, 200, 200));
    expect(isShown(end, 'last')).toBe(true);
    expect(isShown(end, 900), 'nothing is behind the end').toBe(true);
  });
});

describe('replies that come live', () => {
  test('are put in behind the last one, once', () => {
    const window = windowOf(answer(1, 3, 3));
    const grown = withNews(window, answer(1, 5, 5));
    expect(grown && numbersOf(grown)).toEqual([1, 2, 3, 4, 5]);
    expect(grown?.thread.lastNumber).toBe(5);
    expect(numbersOf(withNews(grown ?? window, answer(1, 5, 5)) ?? window)).toEqual([1, 2, 3, 4, 5]);
  });

  test('the first reply of all', () => {
    const grown = withNews(windowOf(answer(1, 0, 0)), answer(1, 1, 1));
    expect(grown && numbersOf(grown)).toEqual([1]);
  });

  test('a page further on is not stuck to what it does not follow', () => {
    expect(withNews(windowOf(answer(1, 40, 40)), answer(51, 60, 60))).toBeNull();
  });

  test('a page that has grown too long is asked for anew', () => {
    expect(withNews(windowOf(answer(1, 90, 90)), answer(91, 101, 101))).toBeNull();
  });
});

describe('one post', () => {
  test('is changed where it stands, the others stay the very same', () => {
    const window = windowOf(answer(1, 3, 3));
    const marked = withPost(window, 2, (one) => withMark(one, true));
    expect(repliesOf(marked).map(({ isHelpful, helpfulCount }) => [isHelpful, helpfulCount])).toEqual([
      [false, 0],
      [true, 1],
      [false, 0],
    ]);
    expect(repliesOf(marked)[0]).toBe(repliesOf(window)[0]);
    expect(withPost(window, 0, (one) => withMark(one, true)).thread.opening.helpfulCount).toBe(1);
  });

  test('a mark counts once, and never below nothing', () => {
    const marked = withMark(post(1), true);
    expect(withMark(marked, true)).toBe(marked);
    expect(withMark(marked, false)).toMatchObject({ isHelpful: false, helpfulCount: 0 });
    expect(withMark({ ...marked, helpfulCount: 0 }, false).helpfulCount).toBe(0);
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
])('the post that %s%s means', (search, hash, expected) => {
  expect(postInAddress({ search, hash })).toBe(expected);
});

test('the address of a post leads to its page', () => {
  expect(postAddress('/community/us/nv/reno/a-thread-0000000001', 0)).toBe('/community/us/nv/reno/a-thread-0000000001');
  expect(postAddress('/a', 12)).toBe('/a?post=12#post-12');
});
