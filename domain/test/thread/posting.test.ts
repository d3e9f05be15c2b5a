import { describe, expect, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import { MAX_REPLIES } from '../../src/constants.ts';
import { replyToThread, startThread } from '../../src/thread/decide.ts';
import { findPost, countPosts } from '../../src/thread/post-list.ts';
import { thread, type Post, type ThreadState } from '../../src/thread/state.ts';
import { givenAggregate } from '../given.ts';
import {
  anna,
  ben,
  deleted,
  hidden,
  moderator,
  threadEvent,
  place,
  replied,
  restored,
  started,
  threadId,
  content,
} from './events.ts';

const given = givenAggregate(thread);

describe('starting a thread', () => {
  const starting = startThread.bind(null, {
    threadId,
    accountId: 'anna',
    admissionId: 'a0',
    place,
    title: 'Quiet places',
    content: content('Where?'),
  });
  test('records the thread with its opening post', () => {
    given().when(starting).then(started);
  });
  test('is rejected the second time, because the same text was posted', () => {
    given(started).when(starting).thenThrows('DUPLICATE_TEXT', { message: 'This text was already posted' });
  });
});

describe('replying to a thread', () => {
  const replying =
    (body: string, { member = ben, admissionId = 'new', quotedNumber = null as number | null } = {}) =>
    (state: ThreadState, context: DecisionContext) =>
      replyToThread({ member, admissionId, content: content(body), quotedNumber }, state, context);

  test('adds a post at the end, numbered from 1', () => {
    given(started)
      .when(replying('Here.', { admissionId: 'a1' }))
      .then(replied(1, { body: 'Here.' }));
    given(started, replied(1))
      .when(replying('There.', { admissionId: 'a2' }))
      .then(replied(2, { body: 'There.' }));
  });
  test('continues the numbers after deleted and hidden posts', () => {
    given(started, replied(1), replied(2), deleted(2, 'ben'), hidden(1, 'ben'))
      .when(replying('There.', { admissionId: 'a3' }))
      .then(replied(3, { body: 'There.' }));
  });
  test('can quote any visible post, including the opening post', () => {
    given(started, replied(1))
      .when(replying('Yes.', { admissionId: 'a2', quotedNumber: 1 }))
      .then(replied(2, { body: 'Yes.', quotedNumber: 1 }));
    given(started)
      .when(replying('Yes.', { admissionId: 'a1', quotedNumber: 0 }))
      .then(replied(1, { body: 'Yes.', quotedNumber: 0 }));
  });
  test('cannot quote an unknown, hidden or deleted post', () => {
    given(started)
      .when(replying('Yes.', { quotedNumber: 1 }))
      .thenThrows('POST_NOT_FOUND');
    given(started, replied(1), hidden(1, 'ben'))
      .when(replying('Yes.', { quotedNumber: 1 }))
      .thenThrows('POST_NOT_FOUND');
    given(started, replied(1), deleted(1, 'ben'))
      .when(replying('Yes.', { quotedNumber: 1 }))
      .thenThrows('POST_NOT_FOUND');
  });
  test('can quote a restored post', () => {
    given(started, replied(1), hidden(1, 'ben'), restored(1, 'ben'))
      .when(replying('Yes.', { admissionId: 'a2', quotedNumber: 1 }))
      .then(replied(2, { body: 'Yes.', quotedNumber: 1 }));
  });
  test('is rejected for a used admission, because the same text was posted', () => {
    given(started, replied(1))
      .when(replying('Reply 1', { admissionId: 'a1' }))
      .thenThrows('DUPLICATE_TEXT');
    given(started, replied(1), deleted(1, 'ben'))
      .when(replying('Reply 1', { admissionId: 'a1' }))
      .thenThrows('DUPLICATE_TEXT');
  });
  test('is rejected for an unknown thread', () => {
    given().when(replying('Here.')).thenThrows('THREAD_NOT_FOUND');
  });
  test('reports a hidden thread as not found', () => {
    given(started, hidden(0, 'anna')).when(replying('Here.')).thenThrows('THREAD_NOT_FOUND');
  });
  test('is possible after the opening post is deleted', () => {
    given(started, deleted(0, 'anna'))
      .when(replying('Here.', { admissionId: 'a1' }))
      .then(replied(1, { body: 'Here.' }));
  });
  test('is rejected in a closed thread until it is opened again', () => {
    given(started, threadEvent('ThreadLocked'))
      .when(replying('Here.'))
      .thenThrows('THREAD_LOCKED', { message: 'This thread is closed' });
    given(started, threadEvent('ThreadLocked'))
      .when(replying('Here.', { member: anna }))
      .thenThrows('THREAD_LOCKED');
    given(started, threadEvent('ThreadLocked'), threadEvent('ThreadUnlocked'))
      .when(replying('Here.', { admissionId: 'a1' }))
      .then(replied(1, { body: 'Here.' }));
  });
  test('is possible for moderators in a closed or hidden thread', () => {
    given(started, threadEvent('ThreadLocked'), hidden(0, 'anna'))
      .when(replying('Here.', { member: moderator, admissionId: 'a1' }))
      .then(replied(1, { body: 'Here.', by: 'mo' }));
  });
});

test('a thread of ten thousand replies has all of them, in order', () => {
  let state = thread.evolve(null, started, '2026-01-01T00:00:00.000Z');
  for (let number = 1; number <= 10_000; number += 1) state = thread.evolve(state, replied(number), `at ${number}`);
  if (!state) throw new Error('The thread was started');
  expect(countPosts(state.posts)).toBe(10_001);
  for (const number of [1, 127, 128, 129, 5_000, 10_000])
    expect(findPost(state.posts, number)).toMatchObject({ admissionId: `a${number}`, postedAt: `at ${number}` });
  given(started)
    .when((_state, context) =>
      replyToThread(
        { member: ben, admissionId: 'a10001', content: content('Reply 10001'), quotedNumber: 10_000 },
        state,
        context,
      ),
    )
    .then(replied(10_001, { quotedNumber: 10_000 }));
});

test('a thread has a maximum number of replies', () => {
  const post: Post = {
    accountId: 'ben',
    admissionId: '',
    postedAt: '',
    fingerprint: '',
    status: 'visible',
    contentRevision: 0,
  };
  const posts = (count: number) =>
    Array.from({ length: Math.ceil(count / 128) }, (_, chunk) =>
      Array.from({ length: Math.min(128, count - chunk * 128) }, () => post),
    );
  const full = (replies: number): ThreadState => ({
    revision: 0,
    threadId,
    title: '',
    place,
    isLocked: false,
    isPinned: false,
    isHidden: false,
    posts: posts(replies + 1),
  });
  const replying = (state: ThreadState) => (_state: ThreadState, context: DecisionContext) =>
    replyToThread(
      { member: ben, admissionId: 'new', content: content('One more'), quotedNumber: null },
      state,
      context,
    );
  given()
    .when(replying(full(MAX_REPLIES - 1)))
    .then(replied(MAX_REPLIES, { body: 'One more', admissionId: 'new' }));
  given()
    .when(replying(full(MAX_REPLIES)))
    .thenThrows('THREAD_FULL', { message: 'This thread is full. Please start a new one.' });
});
